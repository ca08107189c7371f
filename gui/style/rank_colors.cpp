// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/style/contrast.h>
#include <gui/style/look.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

namespace rankscope::gui {

namespace {

/// Painting code has no other way to know, as with QApplication's palette.
std::atomic<RankColors> chosen_colors{RankColors::OkabeIto};

struct FirstColors {
    std::array<QRgb, 10> light;
    std::array<QRgb, 10> dark;
    std::size_t count;
};

const FirstColors& first_colors(RankColors choice) {
    // Okabe & Ito 2008; the yellow is deepened on white, the blue lifted on black, black itself left out.
    static constexpr FirstColors okabe_ito{
        {0xff0072b2, 0xffd55e00, 0xff009e73, 0xffcc79a7, 0xffe69f00, 0xff56b4e9, 0xff8c7a00, 0xff6b7280},
        {0xff4aa3df, 0xfff08542, 0xff2fc79a, 0xffe29cc2, 0xfff0b43c, 0xff8fd0f5, 0xfff0e442, 0xffa8b0b9},
        8};
    static constexpr FirstColors tableau{{0xff1f77b4, 0xffd9660a, 0xff2ca02c, 0xffd62728, 0xff9467bd,
                                          0xff8c564b, 0xffc85aa8, 0xff7f7f7f, 0xff8f8f10, 0xff0f9aab},
                                         {0xff5ba3d9, 0xffff9a4a, 0xff5fc75f, 0xfff0696a, 0xffb596d6,
                                          0xffc08a7e, 0xffec9fd8, 0xffb0b0b0, 0xffd2d34f, 0xff4fd3e0},
                                         10};
    static constexpr FirstColors brightness{
        {0xff08306b, 0xff2171b5, 0xff5a9bd0, 0xff1b4f8a, 0xff4181c0, 0xff0f3f7a},
        {0xffdeebf7, 0xff9ecae1, 0xff5a9bd0, 0xffbdd7ee, 0xff7fb4dc, 0xff4181c0},
        6};
    switch (choice) {
        case RankColors::OkabeIto:
            return okabe_ito;
        case RankColors::Tableau:
            return tableau;
        case RankColors::Brightness:
            return brightness;
    }
    return okabe_ito;
}

}  // namespace

bool set_rank_colors(RankColors colors) {
    return chosen_colors.exchange(colors) != colors;
}

QColor rank_color(int rank, bool dark) {
    const RankColors choice = chosen_colors;
    const FirstColors& first = first_colors(choice);
    auto index = std::size_t(std::max(rank, 0));
    if (choice == RankColors::Brightness) {
        index %= first.count;  // a second hue would say what it does not mean
    }
    if (index < first.count) {
        return QColor(dark ? first.dark[index] : first.light[index]);
    }
    const std::size_t n = index - first.count;
    const double hue = std::fmod(double(n) * 0.61803398875 + 0.08, 1.0);
    const std::array<double, 3> lightness =
        dark ? std::array<double, 3>{0.62, 0.72, 0.52} : std::array<double, 3>{0.42, 0.32, 0.50};
    double level = lightness[n % 3];
    QColor color = QColor::fromHslF(float(hue), 0.62F, float(level));
    // Yellows and greens are brighter than their lightness: adjust until the line is visible on its background.
    while (dark ? luminance(color) < 0.16 : luminance(color) > 0.34) {
        level += dark ? 0.03 : -0.03;
        color = QColor::fromHslF(float(hue), 0.62F, float(level));
    }
    return color;
}

}  // namespace rankscope::gui
