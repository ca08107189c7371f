// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/runs_model.h>
#include <gui/runs/runs_page.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/store/run_labels.h>
#include <remote/desk/store/run_store.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QCheckBox>
#include <QDir>
#include <QFile>
#include <QFileDialog>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>

namespace rankscope::gui::testing {
namespace {

class RunLabelsInTheWindow : public Pages {
protected:
    void open_runs() {
        fill_store({{.name = "older", .id = "old-1", .steps_per_epoch = 5, .start_us = 1'750'000'000'000'000},
                    {.name = "newer <x>", .id = "new-1", .until = 0.3}});
        open();
        click(find<QToolButton>("navRuns"));
        ASSERT_TRUE(wait_until([&] { return table()->model()->rowCount() == 2; }));
    }
    QTableView* table() { return find<QTableView>("runsTable"); }
    QString cell(int row, int column) { return table()->model()->index(row, column).data().toString(); }
    void click_cell(int row, int column) {
        const QModelIndex at = table()->model()->index(row, column);
        QTest::mouseClick(table()->viewport(), Qt::LeftButton, {}, table()->visualRect(at).center());
    }
    RunLabels stored(const std::string& id) {
        auto store = RunLabelStore::open(options_in(folder_.path()).store_path());
        EXPECT_TRUE(store.ok());
        return *(*store)->of(id);
    }
    // Chooses a format in the menu of the button, and a file in the dialog.
    void export_to(const char* format, const QString& path) {
        auto* action =
            find<QPushButton>("exportRun")->menu()->findChild<QAction*>(u"export-"_s + QLatin1String(format));
        ASSERT_NE(action, nullptr);
        action->trigger();
        auto* dialog = qobject_cast<QFileDialog*>(wait_dialog("exportDialog"));
        ASSERT_NE(dialog, nullptr);
        dialog->selectFile(path);
        QMetaObject::invokeMethod(dialog, "accept");
    }
    QString path(const char* name) const { return folder_.path() + u'/' + QString::fromUtf8(name); }
};

TEST_F(RunLabelsInTheWindow, AClickOnTheStarIsKept) {
    open_runs();
    const QAbstractItemModelTester tester(table()->model());
    EXPECT_EQ(cell(0, RunsModel::Star), QString());
    click_cell(0, RunsModel::Star);
    ASSERT_TRUE(wait_until([&] { return cell(0, RunsModel::Star) == u"★"_s; }));
    EXPECT_TRUE(stored("new-1").starred);
    click_cell(0, RunsModel::Star);
    ASSERT_TRUE(wait_until([&] { return cell(0, RunsModel::Star).isEmpty(); }));
    EXPECT_FALSE(stored("new-1").starred);
}

TEST_F(RunLabelsInTheWindow, TheDialogKeepsTagsGroupAndNote) {
    open_runs();
    click(find<QPushButton>("labelRun"));
    QDialog* dialog = wait_dialog("labelsDialog");
    child<QCheckBox>(dialog, "labelStar")->click();
    type_into(child<QLineEdit>(dialog, "labelTags"), u"paper, two words,, paper"_s);
    type_into(child<QLineEdit>(dialog, "labelGroup"), u"sweep"_s);
    child<QPlainTextEdit>(dialog, "labelNote")->setPlainText(u"first\nsecond"_s);
    click(child<QPushButton>(dialog, "labelSave"));
    ASSERT_TRUE(wait_until([&] { return cell(0, RunsModel::Labels) == u"sweep: paper, two-words"_s; }));
    EXPECT_EQ(stored("new-1"), (RunLabels{true, "sweep", "first\nsecond", {"paper", "two-words"}}));
    EXPECT_EQ(table()->model()->index(0, RunsModel::Labels).data(Qt::ToolTipRole).toString(),
              u"first\nsecond"_s);
}

TEST_F(RunLabelsInTheWindow, TheSearchLineFilters) {
    open_runs();
    click_cell(1, RunsModel::Star);
    ASSERT_TRUE(wait_until([&] { return cell(1, RunsModel::Star) == u"★"_s; }));
    auto* search = find<QLineEdit>("runsSearch");
    type_into(search, u"is:starred"_s);
    ASSERT_EQ(table()->model()->rowCount(), 1);
    EXPECT_EQ(cell(0, RunsModel::Name), u"older"_s);
    EXPECT_EQ(find<QLabel>("runsSummary")->text(), u"1 of 2 runs"_s);
    type_into(search, u"nothing like that"_s);
    EXPECT_EQ(table()->model()->rowCount(), 0);
    EXPECT_FALSE(find<QPushButton>("exportRun")->isEnabled());
    search->clear();
    EXPECT_EQ(table()->model()->rowCount(), 2);
}

TEST_F(RunLabelsInTheWindow, ARunIsExported) {
    open_runs();
    export_to("html", path("report.html"));
    ASSERT_TRUE(wait_until([&] { return QFile::exists(path("report.html")); }));
    QFile file(path("report.html"));
    ASSERT_TRUE(file.open(QIODevice::ReadOnly));
    EXPECT_TRUE(file.readAll().contains("newer &lt;x&gt;"));
    EXPECT_TRUE(wait_until([&] { return find<QLabel>("runsSummary")->text() == u"Written: report.html"_s; }));
    window_->runs_page()->refresh();
    click_cell(1, RunsModel::Name);
    EXPECT_TRUE(wait_until([&] { return find<QLabel>("runsSummary")->text() == u"2 runs kept"_s; }));
    export_to("tensorboard", path("events"));
    ASSERT_TRUE(wait_until([&] { return QDir(path("events/rank0")).exists(); }));
}

TEST_F(RunLabelsInTheWindow, AFolderIsImported) {
    open_runs();
    export_to("tensorboard", path("events"));
    ASSERT_TRUE(wait_until([&] { return QDir(path("events/rank0")).exists(); }));
    auto* action = window_->findChild<QAction*>(u"file.import_folder"_s);
    ASSERT_NE(action, nullptr);
    action->trigger();
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

TEST_F(RunLabelsInTheWindow, AnExportThatFailsIsReported) {
    open_runs();
    auto store = RunStore::open(options_in(folder_.path()).store_path());
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->remove_run("new-1").ok());  // by rankscopectl, say
    export_to("csv", path("out.csv"));
    auto* fault = find<NoticeBar>("runsFault");
    ASSERT_TRUE(wait_until([&] { return fault->isVisible(); }));
    EXPECT_TRUE(fault->text().contains(u"was not exported"_s)) << fault->text().toStdString();
    EXPECT_FALSE(QFile::exists(path("out.csv")));
}

}  // namespace
}  // namespace rankscope::gui::testing
