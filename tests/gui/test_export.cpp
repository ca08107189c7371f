// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Runs as files for other programs: from Runs, and of the run that Live shows.

#include <gui/live/live_page.h>
#include <gui/runs/runs_page.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/runs/store/run_store.h>

#include <tests/gui/pages_fixture.h>

#include <QAction>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QMenu>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

namespace rankscope::gui::testing {
namespace {

class Exports : public Pages {
protected:
    void SetUp() override {
        fill_store({{.name = "older", .id = "old-1", .steps_per_epoch = 5, .start_us = 1'750'000'000'000'000},
                    {.name = "newer <x>", .id = "new-1", .until = 0.3}});
        open();
    }
    void open_runs() {
        click(find<QToolButton>("navRuns"));
        ASSERT_TRUE(wait_until([&] { return table()->model()->rowCount() == 2; }));
    }
    QTableView* table() { return find<QTableView>("runsTable"); }
    void save_as(const QString& path) {
        auto* dialog = qobject_cast<QFileDialog*>(wait_dialog("exportDialog"));
        ASSERT_NE(dialog, nullptr);
        title_ = dialog->windowTitle();
        dialog->selectFile(path);
        QMetaObject::invokeMethod(dialog, "accept");
    }
    /// By the menu of the button in Runs.
    void export_selected(const char* format, const QString& path) {
        auto* action =
            find<QPushButton>("exportRun")->menu()->findChild<QAction*>(u"export-"_s + QLatin1String(format));
        ASSERT_NE(action, nullptr);
        action->trigger();
        save_as(path);
    }
    /// By the menu of the window, or its palette.
    void export_shown(const char* format, const QString& path) {
        find<QAction>((std::string("export.") + format).c_str())->trigger();
        save_as(path);
    }
    QString path(const char* name) const { return folder_.path() + u'/' + QString::fromUtf8(name); }
    QByteArray content(const char* name) const {
        QFile file(path(name));
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    NoticeBar* written() { return find<NoticeBar>("exportWritten"); }
    /// The run as the store has it.
    void show_in_live(SyntheticRun run) {
        window_->live_page()->show_stored(synthetic_data(run));
        window_->show_page(MainWindow::Page::Live);
    }

    QString title_;
};

TEST_F(Exports, ASelectedRunIsExported) {
    open_runs();
    table()->selectRow(0);
    export_selected("html", path("report.html"));
    ASSERT_TRUE(wait_until([&] { return written()->isVisible(); }));
    EXPECT_TRUE(content("report.html").contains("newer &lt;x&gt;"));
    EXPECT_EQ(written()->text(), u"Written: report.html"_s);
    EXPECT_EQ(title_, u"Export newer <x>"_s);
    export_selected("tensorboard", path("events"));
    ASSERT_TRUE(wait_until([&] { return QDir(path("events/rank0")).exists(); }));
}

TEST_F(Exports, AnExportedFolderIsImported) {
    open_runs();
    export_selected("tensorboard", path("events"));
    ASSERT_TRUE(wait_until([&] { return QDir(path("events/rank0")).exists(); }));
    find<QAction>("file.import_folder")->trigger();
    auto* dialog = qobject_cast<QFileDialog*>(wait_dialog("importFolderDialog"));
    ASSERT_NE(dialog, nullptr);
    dialog->selectFile(path("events"));
    QMetaObject::invokeMethod(dialog, "accept");
    ASSERT_TRUE(wait_until([&] { return table()->model()->rowCount() == 3; }));
    ASSERT_TRUE(wait_until([&] {
        const RunRecord* run = window_->runs_page()->selected();
        return run && run->name == "events";
    }));
}

TEST_F(Exports, OneThatFailsIsReported) {
    open_runs();
    auto store = RunStore::open(options_in(folder_.path()).store_path());
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->remove_run("new-1").ok());  // by rankscopectl, say
    table()->selectRow(0);
    export_selected("csv", path("out.csv"));
    auto* fault = find<NoticeBar>("exportFault");
    ASSERT_TRUE(wait_until([&] { return fault->isVisible(); }));
    EXPECT_TRUE(fault->text().contains(u"was not exported"_s)) << fault->text().toStdString();
    EXPECT_FALSE(QFile::exists(path("out.csv")));
    EXPECT_FALSE(written()->isVisible());
}

TEST_F(Exports, TheRunInLiveIsExportedFromAnyPage) {
    find<QAction>("export.html")->trigger();
    EXPECT_TRUE(find<NoticeBar>("windowMessage")->text().contains(u"show one in Live"_s)) << "no run yet";
    show_in_live({.name = "older", .id = "old-1", .steps_per_epoch = 5});
    export_shown("csv", path("metrics.csv"));
    ASSERT_TRUE(wait_until([&] { return written()->isVisible(); }));
    EXPECT_TRUE(content("metrics.csv").startsWith("t_us,")) << content("metrics.csv").left(80).toStdString();
    window_->show_page(MainWindow::Page::Fleet);
    EXPECT_TRUE(written()->isVisible()) << "on every page";
    export_shown("html", path("report.html"));
    ASSERT_TRUE(wait_until([&] { return content("report.html").contains("older"); }));

    auto* menu = find<QMenu>("exportShownMenu");
    emit menu->aboutToShow();
    EXPECT_EQ(menu->actions().size(), 7);
    for (const QAction* action : menu->actions()) {
        EXPECT_TRUE(action->isEnabled()) << qPrintable(action->text());
    }
    emit menu->aboutToHide();
}

TEST_F(Exports, ARunInProgressIsExportedSoFar) {
    const SyntheticRun running{.name = "running", .id = "run-1", .until = 0.4, .fate = Fate::Running};
    fill_store({running});
    show_in_live(running);
    export_shown("csv", path("so-far.csv"));
    ASSERT_TRUE(wait_until([&] { return written()->isVisible(); }));
    EXPECT_EQ(title_, u"Export running so far"_s);
    EXPECT_TRUE(written()->text().contains(u"has not ended"_s)) << qPrintable(written()->text());
    EXPECT_TRUE(content("so-far.csv").count('\n') > 2);
    export_shown("html", path("so-far.html"));
    ASSERT_TRUE(wait_until([&] { return content("so-far.html").contains("running"); }));

    find<QAction>("file.save_bundle")->trigger();
    QDialog* bundle = wait_dialog("saveBundleDialog");
    ASSERT_TRUE(wait_until([&] { return child<QPushButton>(bundle, "bundleSave")->isEnabled(); }));
    auto* so_far = child<QWidget>(bundle, "bundleSoFar");
    EXPECT_TRUE(so_far->isVisible());
    bundle->close();
}

}  // namespace
}  // namespace rankscope::gui::testing
