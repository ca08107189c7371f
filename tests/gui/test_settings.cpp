// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The settings file and the dialog over it.

#include <gui/settings/settings_file.h>
#include <gui/style/contrast.h>
#include <gui/widgets/notice_bar.h>

#include <tests/gui/pages_fixture.h>

#include <QComboBox>
#include <QFile>
#include <QKeySequenceEdit>
#include <QLineEdit>
#include <QListWidget>
#include <QSettings>
#include <QSpinBox>
#include <QTableWidget>

namespace rankscope::gui::testing {
namespace {

class SettingsTest : public Pages {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override {
        window_.reset();
        QSettings().clear();
        apply_look(*qobject_cast<QApplication*>(QApplication::instance()), {.theme = LookTheme::Light},
                   false);
    }
    QDialog* open_settings() {
        open();
        window_->activateWindow();
        EXPECT_TRUE(wait_until([&] { return window_->isActiveWindow(); }));
        QTest::keyClick(window_.get(), Qt::Key_Comma, Qt::ControlModifier);
        return wait_dialog("settingsDialog");
    }
    const Settings& settings() const { return window_->workspace()->settings()->now(); }
};

TEST_F(SettingsTest, EveryValueIsWrittenAndReadBack) {
    Settings chosen;
    chosen.look = {LookTheme::HighContrast, 13, RankColors::Tableau, u"DejaVu Sans"_s};
    chosen.fleet_refresh_s = 30;
    chosen.output_mb = 1000;
    chosen.live_refresh_ms = 250;
    chosen.runs_refresh_s = 60;
    chosen.keep_days = 90;
    chosen.keep_mib = 4096;
    chosen.store_folder = u"/data/with, comma"_s;
    chosen.shortcuts = {{u"page.fleet"_s, u"Ctrl+Shift+,"_s}, {u"page.runs"_s, QString()}};
    QSettings file;
    write_settings(file, {}, chosen);
    file.sync();
    const SettingsRead read = read_settings(QSettings());
    EXPECT_EQ(read.settings, chosen);
    EXPECT_TRUE(read.problems.empty());
    write_settings(file, chosen, {});
    EXPECT_TRUE(file.allKeys().isEmpty()) << "defaults are not written";
}

TEST_F(SettingsTest, ABadValueIsReportedOnceAndStaysInTheFile) {
    QSettings().setValue(u"appearance/theme"_s, u"pink"_s);
    QSettings().setValue(u"data/keep_days"_s, u"-4"_s);
    QSettings().setValue(u"data/keep_mib"_s, QString(100'000, u'9'));
    QSettings().setValue(u"shortcuts/page.fleet"_s, u"Ctrl+NoSuchKey"_s);
    QSettings().setValue(u"future/key"_s, u"kept"_s);
    {
        const SettingsFile file;
        EXPECT_EQ(file.now(), Settings());
        ASSERT_EQ(file.news().size(), 4);
        EXPECT_TRUE(file.news()[0].contains(u"appearance/theme"_s)) << ss(file.news()[0]);
        EXPECT_TRUE(file.news()[0].contains(u"high-contrast"_s)) << ss(file.news()[0]);
        EXPECT_LT(file.news()[2].size(), 1000) << "a long value is cut";
    }
    SettingsFile again;
    EXPECT_TRUE(again.news().isEmpty());
    EXPECT_EQ(QSettings().value(u"appearance/theme"_s).toString(), u"pink"_s);
    Settings settings = again.now();
    settings.look.theme = LookTheme::Dark;
    again.set(settings);
    EXPECT_EQ(QSettings().value(u"appearance/theme"_s).toString(), u"dark"_s);
    EXPECT_EQ(QSettings().value(u"rejected/appearance/theme"_s).toString(), u"pink"_s);
    EXPECT_EQ(QSettings().value(u"future/key"_s).toString(), u"kept"_s);
}

TEST_F(SettingsTest, ADamagedFileIsKeptAsACopy) {
    QSettings().setValue(u"data/keep_days"_s, 30);
    QSettings().sync();
    const QString path = SettingsFile::path();
    {
        QFile file(path);
        ASSERT_TRUE(file.open(QIODevice::Append));
        file.write("\n[data\nthis is no line of such a file\n\x01\x02\xff\n");
    }
    const SettingsFile file;
    EXPECT_EQ(file.now().keep_days, 30) << "what can be read counts";
    ASSERT_FALSE(file.news().isEmpty());
    EXPECT_TRUE(file.news()[0].contains(path)) << ss(file.news()[0]);
    EXPECT_TRUE(QFile::exists(QSettings().value(u"rejected/file"_s).toString()));
}

TEST_F(SettingsTest, TheThemeOfAnEarlierVersionIsUnderstood) {
    QSettings().setValue(u"theme"_s, int(ThemeChoice::Dark));
    EXPECT_EQ(read_settings(QSettings()).settings.look.theme, LookTheme::Dark);
}

TEST_F(SettingsTest, AppearanceHoldsAtOnceAndCanBeReset) {
    QDialog* dialog = open_settings();
    auto* theme = child<QComboBox>(dialog, "settingsTheme");
    theme->setCurrentIndex(theme->findData(int(LookTheme::HighContrast)));
    EXPECT_EQ(QApplication::palette().color(QPalette::Window), QColor(Qt::black));
    EXPECT_TRUE(is_high_contrast(window_->palette()));
    const double before = QApplication::font().pointSizeF();
    child<QSpinBox>(dialog, "settingsFont")->setValue(16);
    EXPECT_EQ(QApplication::font().pointSizeF(), 16);
    auto* family = child<QComboBox>(dialog, "settingsFamily");
    const QStringList families = QApplication::font().families();
    if (family->count() > 1) {  // else no font is installed
        family->setCurrentIndex(1);
        EXPECT_EQ(QApplication::font().families().first(), family->currentText());
    }
    auto* colors = child<QComboBox>(dialog, "settingsRankColors");
    const QColor first = rank_color(0, false);
    colors->setCurrentIndex(1);
    EXPECT_NE(rank_color(0, false), first);
    EXPECT_EQ(QSettings().value(u"appearance/theme"_s).toString(), u"high-contrast"_s);
    click(child<QPushButton>(dialog, "settingsReset"));
    EXPECT_EQ(settings().look, Look());
    EXPECT_EQ(QApplication::font().pointSizeF(), before);
    EXPECT_EQ(QApplication::font().families(), families);
    EXPECT_EQ(rank_color(0, false), first);
    EXPECT_FALSE(child<QPushButton>(dialog, "settingsReset")->isEnabled());
}

TEST_F(SettingsTest, SearchLeavesTheSectionsThatMentionTheWords) {
    QDialog* dialog = open_settings();
    auto* list = child<QListWidget>(dialog, "settingsSections");
    type_into(child<QLineEdit>(dialog, "settingsSearch"), u"starred"_s);
    for (int i = 0; i < list->count(); ++i) {
        EXPECT_EQ(list->item(i)->isHidden(), list->item(i)->text() != u"Data"_s) << i;
    }
    EXPECT_EQ(list->currentItem()->text(), u"Data"_s);
}

TEST_F(SettingsTest, ATextThatComesLaterIsShownWhole) {
    QDialog* dialog = open_settings();
    auto* note = child<QLabel>(dialog, "settingsOutputNote");
    ASSERT_TRUE(wait_until([&] { return !note->text().isEmpty(); }));
    child<QListWidget>(dialog, "settingsSections")->setCurrentRow(1);
    const auto expect_fit = [](const QLabel* label) {
        constexpr int kBeside = 4;  // the name beside it stands lower
        const auto need = [&] {
            const QRect room(0, 0, label->width(), 10'000);
            return label->fontMetrics().boundingRect(room, Qt::TextWordWrap, label->text()).height();
        };
        const auto fits = [&] {
            return label->height() == need() && label->parentWidget()->height() <= need() + kBeside;
        };
        EXPECT_TRUE(wait_until(fits)) << ss(label->objectName()) << ": " << label->height() << " of "
                                      << label->parentWidget()->height() << " for a need of " << need();
    };
    auto* used = child<QLabel>(dialog, "settingsUsed");
    ASSERT_TRUE(wait_until([&] { return used->text().contains(u"runs.sqlite"_s); }));
    for (QLabel* label : {used, note}) {
        expect_fit(label);
        for (const QString& text :
             {u"Short."_s, QString(u"A text of many words. "_s.repeated(30)), u"Short."_s}) {
            label->setText(text);
            expect_fit(label);
        }
    }
}

TEST_F(SettingsTest, RetentionShowsWhatItWouldRemoveAndRemovesItWhenConfirmed) {
    fill_store({{.id = "old", .start_us = 1'400'000'000'000'000},
                {.id = "starred", .start_us = 1'400'000'100'000'000}});
    auto labels = RunLabelStore::open(options_in(folder_.path()).store_path());
    ASSERT_TRUE((*labels)->set("starred", {.starred = true}));
    QDialog* dialog = open_settings();
    child<QListWidget>(dialog, "settingsSections")->setCurrentRow(1);
    auto* used = child<QLabel>(dialog, "settingsUsed");
    EXPECT_TRUE(wait_until([&] { return used->text().contains(u"runs.sqlite"_s); })) << ss(used->text());
    auto* preview = child<QPushButton>(dialog, "settingsPreview");
    EXPECT_FALSE(preview->isEnabled()) << "no limit is set";
    child<QSpinBox>(dialog, "settingsKeepDays")->setValue(30);
    ASSERT_TRUE(preview->isEnabled());
    click(preview);
    QDialog* list = wait_dialog("retentionDialog");
    auto* table = child<QTableWidget>(list, "retentionTable");
    ASSERT_TRUE(wait_until([&] { return table->rowCount() == 1; }));
    EXPECT_TRUE(child<QLabel>(list, "retentionKept")->text().contains(u"1 kept for their star"_s));
    click(child<QPushButton>(list, "retentionRemove"));
    auto* what = child<QLabel>(list, "retentionWhat");
    EXPECT_TRUE(wait_until([&] { return what->text() == u"1 run is removed."_s; })) << ss(what->text());
    EXPECT_EQ(window_->workspace()->store()->runs()->size(), 1U);
}

TEST_F(SettingsTest, AStartAboveTheLimitsAsks) {
    QSettings().setValue(u"data/keep_days"_s, 30);
    fill_store({{.id = "old", .start_us = 1'400'000'000'000'000}});
    open();
    auto* bar = find<NoticeBar>("storeNews");
    ASSERT_TRUE(wait_until([&] { return bar->isVisible(); }));
    EXPECT_EQ(window_->workspace()->store()->runs()->size(), 1U) << "nothing is removed without the user";
    click(find<QPushButton>("storeNewsAction"));
    EXPECT_NE(wait_dialog("retentionDialog"), nullptr);
}

TEST_F(SettingsTest, ShortcutsChangeAndConflictsAreNamed) {
    QDialog* dialog = open_settings();
    child<QListWidget>(dialog, "settingsSections")->setCurrentRow(2);
    auto* table = child<QTableWidget>(dialog, "settingsShortcuts");
    table->selectRow(0);  // Fleet
    auto* edit = child<QKeySequenceEdit>(dialog, "shortcutKeys");
    auto* assign = child<QPushButton>(dialog, "shortcutAssign");
    EXPECT_FALSE(assign->isEnabled());
    edit->setKeySequence(QKeySequence(Qt::CTRL | Qt::Key_K));
    EXPECT_TRUE(child<QLabel>(dialog, "shortcutProblem")->text().contains(u"Command palette"_s));
    edit->setKeySequence(QKeySequence(Qt::CTRL | Qt::Key_Space));
    EXPECT_FALSE(assign->isEnabled()) << "a page has these keys";
    edit->setKeySequence(QKeySequence(Qt::CTRL | Qt::Key_2));
    ASSERT_TRUE(assign->isEnabled());
    click(assign);
    EXPECT_EQ(settings().shortcuts.at(u"page.fleet"_s), u"Ctrl+2"_s);
    EXPECT_EQ(settings().shortcuts.at(u"page.launch"_s), QString()) << "Launch has lost it";
    dialog->close();
    window_->show_page(MainWindow::Page::Runs);
    window_->activateWindow();
    QTest::keyClick(window_.get(), Qt::Key_2, Qt::ControlModifier);
    EXPECT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Fleet; }));
}

TEST(Theme, HighContrastHasSevenToOneForEveryText) {
    const QPalette palette = high_contrast_palette();
    const ThemeColors colors = theme_colors(palette);
    ASSERT_TRUE(is_high_contrast(palette));
    for (const QColor& text :
         {colors.text, colors.muted, colors.accent, colors.good, colors.warning, colors.bad,
          palette.color(QPalette::Link), palette.color(QPalette::PlaceholderText)}) {
        for (const QColor& ground :
             {colors.surface, colors.chrome, colors.selection, colors.bad_surface, colors.info_surface,
              colors.good_surface, palette.color(QPalette::AlternateBase)}) {
            EXPECT_GE(contrast(text, ground), 7) << ss(text.name()) << " on " << ss(ground.name());
        }
    }
    EXPECT_GE(contrast(palette.color(QPalette::HighlightedText), palette.color(QPalette::Highlight)), 7);
    EXPECT_GE(contrast(colors.field_frame, colors.surface), 4.5);
    for (int rank = 0; rank < 8; ++rank) {
        EXPECT_GE(contrast(rank_color(rank, true), colors.surface), 4.5) << rank;
    }
}

}  // namespace
}  // namespace rankscope::gui::testing
