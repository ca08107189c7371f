// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/session/options.h>
#include <gui/style/look.h>
#include <gui/style/theme.h>
#include <remote/desk/jobs/config/job.h>

#include <tests/gui/gui_test.h>

#include <QComboBox>
#include <QProcess>
#include <QScrollBar>
#include <QSlider>
#include <QToolButton>
#include <algorithm>
#include <set>

namespace rankscope::gui::testing {
namespace {

TEST(Options, AreReadFromTheCommandLine) {
    const ParsedOptions parsed =
        parse_options({u"rankscope"_s, u"--cluster"_s, u"c.yaml"_s, u"--quick-start"_s, u"--theme"_s,
                       u"dark"_s, u"--data-dir"_s, u"/d"_s, u"my run.rankscope"_s});
    EXPECT_TRUE(parsed.error.isEmpty());
    EXPECT_EQ(parsed.options.inventory_path(), "c.yaml");
    EXPECT_TRUE(parsed.options.inventory_must_exist);
    EXPECT_TRUE(parsed.options.quick_start);
    EXPECT_EQ(parsed.options.theme, LookTheme::Dark);
    EXPECT_EQ(parsed.options.store_path().parent_path(), "/d");
    EXPECT_EQ(parsed.options.bundles, QStringList{u"my run.rankscope"_s});
}

TEST(Options, EveryThemeCanBeAskedFor) {
    const std::vector<std::pair<QString, LookTheme>> themes{{u"light"_s, LookTheme::Light},
                                                            {u"high-contrast"_s, LookTheme::HighContrast},
                                                            {u"system"_s, LookTheme::System}};
    for (const auto& [name, theme] : themes) {
        EXPECT_EQ(parse_options({u"rankscope"_s, u"--theme"_s, name}).options.theme, theme) << ss(name);
    }
    EXPECT_FALSE(parse_options({u"rankscope"_s}).options.theme.has_value());
}

TEST(Options, WrongUsageIsReported) {
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

struct Finished {
    int code = -1;
    QString out;
    QString error;
};

/// The real program, without a display or with one that does not exist.
Finished run_program(const QStringList& arguments, const QString& display) {
    QProcess program;
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    for (const char* name : {"DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"}) {
        environment.remove(QString::fromLatin1(name));
    }
    if (!display.isEmpty()) {
        environment.insert(u"DISPLAY"_s, display);
    }
    program.setProcessEnvironment(environment);
    program.start(QApplication::applicationDirPath() % u"/rankscope"_s, arguments);
    if (!program.waitForFinished(60000) || program.exitStatus() != QProcess::NormalExit) {
        return {};
    }
    return {program.exitCode(), QString::fromUtf8(program.readAllStandardOutput()),
            QString::fromUtf8(program.readAllStandardError())};
}

TEST(Program, PrintsHelpAndVersionWithoutADisplay) {
    const Finished version = run_program({u"--version"_s}, {});
    EXPECT_EQ(version.code, 0) << ss(version.error);
    EXPECT_TRUE(version.out.startsWith(u"rankscope "_s)) << ss(version.out);
    for (const QString& option : {u"--help"_s, u"-h"_s}) {
        const Finished help = run_program({option}, {});
        EXPECT_EQ(help.code, 0) << ss(help.error);
        EXPECT_TRUE(help.out.startsWith(u"Usage: rankscope [options]"_s)) << ss(help.out);
        EXPECT_TRUE(help.out.contains(u"--quick-start"_s));
    }
    const Finished wrong = run_program({u"--colour"_s}, {});
    EXPECT_EQ(wrong.code, 2);
    EXPECT_TRUE(wrong.error.contains(u"colour"_s)) << ss(wrong.error);
}

TEST(Program, ExplainsAnUnusableDisplayInOneSentence) {
    for (const QString& display : {QString(), u":9876"_s}) {
        const Finished finished = run_program({}, display);
        EXPECT_EQ(finished.code, 1) << ss(finished.error);
        EXPECT_TRUE(finished.error.startsWith(u"rankscope: Cannot open a window"_s)) << ss(finished.error);
        EXPECT_TRUE(finished.error.contains(display));
        EXPECT_EQ(finished.error.trimmed().count(u'\n'), 0) << ss(finished.error);
    }
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

TEST(Theme, TextIsReadableOnItsBackground) {
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

TEST(Theme, TheHandleOfAScrollBarStandsOutFromItsGroove) {
    for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
        apply_theme(*qobject_cast<QApplication*>(QApplication::instance()), theme, false);
        QScrollBar bar(Qt::Vertical);
        bar.resize(12, 200);
        bar.setRange(0, 100);
        bar.setPageStep(100);
        const QImage image = bar.grab().toImage();  // the handle is the upper half
        const QColor handle = image.pixelColor(6, 50);
        const QColor groove = image.pixelColor(6, 170);
        EXPECT_GE(contrast(handle, groove), 3.0)
            << handle.name().toStdString() << " on " << groove.name().toStdString();
        EXPECT_EQ(luminance(handle) < luminance(groove), theme == ThemeChoice::Light) << "not inverted";
    }
}

TEST(Theme, ControlsHaveABorderInHighContrast) {
    auto* app = qobject_cast<QApplication*>(QApplication::instance());
    apply_look(*app, {.theme = LookTheme::HighContrast}, false);
    QWidget window;
    window.resize(400, 60);
    auto* button = new QToolButton(&window);
    auto* list = new QComboBox(&window);
    auto* slider = new QSlider(Qt::Horizontal, &window);
    button->setGeometry(10, 10, 80, 30);
    list->setGeometry(100, 10, 120, 30);
    slider->setGeometry(240, 10, 140, 30);
    const QImage image = window.grab().toImage();
    const auto brightest = [&](int x, int from, int until) {
        double most = 0;
        for (int y = from; y < until; ++y) {
            most = std::max(most, contrast(image.pixelColor(x, y), QColor(Qt::black)));
        }
        return most;
    };
    EXPECT_GE(brightest(50, 8, 14), 3.0) << "upper edge of a button";
    EXPECT_GE(brightest(160, 8, 14), 3.0) << "upper edge of a list";
    EXPECT_GE(brightest(340, 10, 40), 3.0) << "groove of a slider, right of its handle";
    apply_theme(*app, ThemeChoice::Light, false);
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
