// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/style/rankscope_style.h>
#include <gui/style/theme.h>

#include <QApplication>
#include <QFile>
#include <array>
#include <cmath>

namespace rankscope::gui {

namespace {

struct PaletteColors {
    QRgb window, window_text, base, alternate, text, button, mid, dark, light, highlight, highlighted_text,
        link, disabled, tool_tip, placeholder;
};

QPalette make_palette(const PaletteColors& c) {
    QPalette palette;
    palette.setColor(QPalette::Window, QColor(c.window));
    palette.setColor(QPalette::WindowText, QColor(c.window_text));
    palette.setColor(QPalette::Base, QColor(c.base));
    palette.setColor(QPalette::AlternateBase, QColor(c.alternate));
    palette.setColor(QPalette::Text, QColor(c.text));
    palette.setColor(QPalette::Button, QColor(c.button));
    palette.setColor(QPalette::ButtonText, QColor(c.text));
    palette.setColor(QPalette::BrightText, QColor(c.highlighted_text));
    palette.setColor(QPalette::Mid, QColor(c.mid));
    palette.setColor(QPalette::Midlight, QColor(c.mid).lighter(115));
    palette.setColor(QPalette::Dark, QColor(c.dark));
    palette.setColor(QPalette::Shadow, QColor(c.dark).darker(130));
    palette.setColor(QPalette::Light, QColor(c.light));
    palette.setColor(QPalette::Highlight, QColor(c.highlight));
    palette.setColor(QPalette::HighlightedText, QColor(c.highlighted_text));
    palette.setColor(QPalette::Link, QColor(c.link));
    palette.setColor(QPalette::LinkVisited, QColor(c.link));
    palette.setColor(QPalette::ToolTipBase, QColor(c.tool_tip));
    palette.setColor(QPalette::ToolTipText, QColor(c.text));
    palette.setColor(QPalette::PlaceholderText, QColor(c.placeholder));
    for (const QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
        palette.setColor(QPalette::Disabled, role, QColor(c.disabled));
    }
    palette.setColor(QPalette::Disabled, QPalette::Highlight, QColor(c.mid));
    palette.setColor(QPalette::Disabled, QPalette::HighlightedText, QColor(c.disabled));
    return palette;
}

/// WCAG's relative luminance.
double luminance(const QColor& color) {
    const auto linear = [](double c) {
        return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * linear(color.redF()) + 0.7152 * linear(color.greenF()) + 0.0722 * linear(color.blueF());
}

}  // namespace

QPalette light_palette() {
    return make_palette({.window = 0xfff3f4f6,
                         .window_text = 0xff1d2329,
                         .base = 0xffffffff,
                         .alternate = 0xfff8f9fa,
                         .text = 0xff1d2329,
                         .button = 0xfffafbfc,
                         .mid = 0xffd3d8de,
                         .dark = 0xffaab2bb,
                         .light = 0xffffffff,
                         .highlight = 0xff1f66ad,
                         .highlighted_text = 0xffffffff,
                         .link = 0xff1f66ad,
                         .disabled = 0xff8a929b,
                         .tool_tip = 0xffffffff,
                         .placeholder = 0xff737c86});
}

QPalette dark_palette() {
    return make_palette({.window = 0xff23272c,
                         .window_text = 0xffe3e6ea,
                         .base = 0xff1b1e22,
                         .alternate = 0xff20242a,
                         .text = 0xffe3e6ea,
                         .button = 0xff2e333a,
                         .mid = 0xff3c434b,
                         .dark = 0xff14171a,
                         .light = 0xff3a4149,
                         .highlight = 0xff2f74b8,
                         .highlighted_text = 0xffffffff,
                         .link = 0xff6db3f2,
                         .disabled = 0xff747d87,
                         .tool_tip = 0xff2e333a,
                         .placeholder = 0xff8b949e});
}

bool is_dark(const QPalette& palette) {
    return palette.color(QPalette::Window).lightness() < palette.color(QPalette::WindowText).lightness();
}

ThemeColors theme_colors(const QPalette& palette) {
    ThemeColors colors;
    colors.dark = is_dark(palette);
    colors.text = palette.color(QPalette::Active, QPalette::WindowText);
    colors.surface = palette.color(QPalette::Active, QPalette::Base);
    colors.chrome = palette.color(QPalette::Active, QPalette::Window);
    colors.line = palette.color(QPalette::Active, QPalette::Mid);
    if (colors.dark) {
        colors.muted = QColor(0xff9aa4ae);
        colors.field_frame = QColor(0xff6b757f);
        colors.accent = QColor(0xff6db3f2);
        colors.good = QColor(0xff4fc08d);
        colors.warning = QColor(0xffe6b450);
        colors.bad = QColor(0xfff2777a);
        colors.bad_surface = QColor(0xff43262a);
        colors.info_surface = QColor(0xff22384d);
        colors.good_surface = QColor(0xff1f3a30);
        colors.selection = QColor(0xff294b6b);
        colors.grid = QColor(0xff31373e);
    } else {
        colors.muted = QColor(0xff5c6670);
        colors.field_frame = QColor(0xff828b95);
        colors.accent = QColor(0xff1f66ad);
        colors.good = QColor(0xff0f7a4f);
        colors.warning = QColor(0xff8a5a00);
        colors.bad = QColor(0xffb3261e);
        colors.bad_surface = QColor(0xfffdecea);
        colors.info_surface = QColor(0xffe6f0fa);
        colors.good_surface = QColor(0xffe4f4ec);
        colors.selection = QColor(0xffcfe3f7);
        colors.grid = QColor(0xffe7eaee);
    }
    return colors;
}

void apply_theme(QApplication& app, ThemeChoice choice, bool system_is_dark) {
    const bool dark = choice == ThemeChoice::Dark || (choice == ThemeChoice::System && system_is_dark);
    if (!app.property("rankscopeStyle").toBool()) {
        QApplication::setStyle(new RankscopeStyle);  // the application owns it
        app.setProperty("rankscopeStyle", true);
    }
    const QPalette palette = dark ? dark_palette() : light_palette();
    QApplication::setPalette(palette);
    const ThemeColors c = theme_colors(palette);
    QFile file(u":/rankscope/styles/rankscope.qss"_s);
    if (!file.open(QIODevice::ReadOnly)) {
        return;
    }
    QString sheet = QString::fromUtf8(file.readAll());
    const std::array<std::pair<const char*, QColor>, 12> names{{{"@text", c.text},
                                                                {"@muted", c.muted},
                                                                {"@line", c.line},
                                                                {"@frame", c.field_frame},
                                                                {"@surface", c.surface},
                                                                {"@chrome", c.chrome},
                                                                {"@accent", c.accent},
                                                                {"@selection", c.selection},
                                                                {"@bad_surface", c.bad_surface},
                                                                {"@info_surface", c.info_surface},
                                                                {"@good_surface", c.good_surface},
                                                                {"@bad", c.bad}}};
    // Longer names first: "@bad_surface" must not be read as "@bad" and a rest.
    for (const auto& [name, color] : names) {
        sheet.replace(QString::fromLatin1(name), color.name());
    }
    app.setStyleSheet(sheet);
}

QColor phase_color(RankPhase phase, const ThemeColors& colors) {
    switch (phase) {
        case RankPhase::Waiting:
            return colors.muted;
        case RankPhase::Starting:
            return colors.dark ? QColor(0xff7fb2d9) : QColor(0xff4a7ba6);
        case RankPhase::Rendezvous:
            return colors.dark ? QColor(0xffe6b450) : QColor(0xffb87900);
        case RankPhase::Training:
            return colors.accent;
        case RankPhase::Validating:
            return colors.dark ? QColor(0xffd49adf) : QColor(0xff8a3ea0);
        case RankPhase::Done:
            return colors.good;
        case RankPhase::Failed:
            return colors.bad;
        case RankPhase::EndedWithRun:
            return colors.warning;
    }
    return colors.muted;
}

QColor outcome_color(Outcome outcome, const ThemeColors& colors) {
    switch (outcome) {
        case Outcome::Running:
            return colors.accent;
        case Outcome::Done:
            return colors.good;
        case Outcome::Failed:
            return colors.bad;
        case Outcome::Stopped:
            return colors.warning;
        case Outcome::Lost:
            return colors.bad;
    }
    return colors.muted;
}

QColor rank_color(int rank, bool dark) {
    // Okabe & Ito 2008; the yellow is deepened on white, the blue lifted on black, black itself left out.
    static constexpr std::array<QRgb, 8> light{0xff0072b2, 0xffd55e00, 0xff009e73, 0xffcc79a7,
                                               0xffe69f00, 0xff56b4e9, 0xff8c7a00, 0xff6b7280};
    static constexpr std::array<QRgb, 8> night{0xff4aa3df, 0xfff08542, 0xff2fc79a, 0xffe29cc2,
                                               0xfff0b43c, 0xff8fd0f5, 0xfff0e442, 0xffa8b0b9};
    const auto index = std::size_t(std::max(rank, 0));
    if (index < light.size()) {
        return QColor(dark ? night[index] : light[index]);
    }
    const std::size_t n = index - light.size();
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
