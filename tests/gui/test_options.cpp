// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/session/options.h>
#include <remote/desk/config/job.h>

#include <tests/gui/gui_test.h>

#include <set>

namespace rankscope::gui::testing {
namespace {

TEST(Options, AreReadFromTheCommandLine) {
    const ParsedOptions parsed =
        parse_options({u"rankscope"_s, u"--cluster"_s, u"c.yaml"_s, u"--quick-start"_s, u"--theme"_s,
                       u"dark"_s, u"--data-dir"_s, u"/d"_s});
    EXPECT_TRUE(parsed.error.isEmpty());
    EXPECT_EQ(parsed.options.inventory_path(), "c.yaml");
    EXPECT_TRUE(parsed.options.inventory_must_exist);
    EXPECT_TRUE(parsed.options.quick_start);
    EXPECT_EQ(parsed.options.theme, ThemeChoice::Dark);
    EXPECT_EQ(parsed.options.store_path().parent_path(), "/d");
}

TEST(Options, WrongUsageIsSaid) {
    EXPECT_FALSE(parse_options({u"rankscope"_s, u"--colour"_s}).error.isEmpty());
    EXPECT_FALSE(parse_options({u"rankscope"_s, u"--theme"_s, u"pink"_s}).error.isEmpty());
    EXPECT_FALSE(parse_options({u"rankscope"_s, u"stray"_s}).error.isEmpty());
    EXPECT_TRUE(parse_options({u"rankscope"_s, u"--version"_s}).text.startsWith(u"rankscope "_s));
}

TEST(Options, TheQuickStartRecipeIsThereAndRight) {
    const Recipe recipe = quick_start_recipe(u"/nowhere"_s);
    EXPECT_TRUE(recipe.file.empty()) << "the built-in one";
    const JobRead read = parse_job(recipe.yaml, "mnist-quickstart.yaml");
    EXPECT_TRUE(read.problems.empty());
    EXPECT_EQ(read.job.nodes, std::vector<std::string>{"local"});
}

double luminance(const QColor& color) {
    const auto channel = [](double c) {
        return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
    };
    return 0.2126 * channel(color.redF()) + 0.7152 * channel(color.greenF()) +
           0.0722 * channel(color.blueF());
}

double contrast(const QColor& a, const QColor& b) {
    const double one = luminance(a) + 0.05;
    const double two = luminance(b) + 0.05;
    return std::max(one, two) / std::min(one, two);
}

TEST(Theme, TextCanBeReadOnWhatItLiesOn) {
    for (const QPalette& palette : {light_palette(), dark_palette()}) {
        const ThemeColors c = theme_colors(palette);
        for (const QColor& ground : {c.surface, c.chrome}) {
            EXPECT_GE(contrast(c.text, ground), 7.0);
            for (const QColor& text : {c.muted, c.accent, c.good, c.warning, c.bad}) {
                EXPECT_GE(contrast(text, ground), 4.5)
                    << text.name().toStdString() << " on " << ground.name().toStdString();
            }
        }
        EXPECT_GE(contrast(c.text, c.bad_surface), 7.0);
        EXPECT_GE(contrast(c.text, c.selection), 7.0);
        EXPECT_GE(contrast(c.field_frame, c.surface), 3.0);
    }
}

TEST(Theme, RanksHaveDifferentColours) {
    for (const bool dark : {false, true}) {
        std::set<QRgb> seen;
        for (int rank = 0; rank < 32; ++rank) {
            EXPECT_TRUE(seen.insert(rank_color(rank, dark).rgb()).second) << rank;
            EXPECT_GE(contrast(rank_color(rank, dark),
                               theme_colors(dark ? dark_palette() : light_palette()).surface),
                      1.9)
                << rank << (dark ? " dark" : " light");
        }
    }
}

}  // namespace
}  // namespace rankscope::gui::testing
