// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/runs_model.h>
#include <gui/runs/compare_view.h>
#include <gui/runs/runs_page.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/runs/store/run_labels.h>
#include <remote/desk/runs/store/run_store.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractItemModelTester>
#include <QAction>
#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
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

TEST_F(RunLabelsInTheWindow, CtrlZPutsLabelsBackAndDelWorksAfterTheDialog) {
    open_runs();
    click_cell(0, RunsModel::Star);
    ASSERT_TRUE(wait_until([&] { return cell(0, RunsModel::Star) == u"★"_s; }));
    table()->selectRow(0);
    auto* label = find<QPushButton>("labelRun");
    label->setFocus();
    click(label);
    QDialog* dialog = wait_dialog("labelsDialog");
    type_into(child<QLineEdit>(dialog, "labelTags"), u"paper"_s);
    click(child<QPushButton>(dialog, "labelSave"));
    ASSERT_TRUE(wait_until([&] { return cell(0, RunsModel::Labels) == u"paper"_s; }));
    window_->activateWindow();
    label->setFocus();
    ASSERT_TRUE(wait_until([&] { return label->hasFocus(); }));
    QTest::keyClick(label, Qt::Key_Z, Qt::ControlModifier);
    ASSERT_TRUE(wait_until([&] { return cell(0, RunsModel::Labels).isEmpty(); }));
    EXPECT_EQ(cell(0, RunsModel::Star), u"★"_s) << "one change at a time";
    EXPECT_EQ(stored("new-1"), (RunLabels{true, "", "", {}}));
    QTest::keyClick(label, Qt::Key_Delete);
    EXPECT_TRUE(wait_until([&] { return table()->model()->rowCount() == 1; }))
        << "the focus is not in the list";
}

TEST_F(RunLabelsInTheWindow, TheSearchLineFilters) {
    open_runs();
    click_cell(1, RunsModel::Star);
    ASSERT_TRUE(wait_until([&] { return cell(1, RunsModel::Star) == u"★"_s; }));
    auto* search = find<QLineEdit>("runsSearch");
    type_into(search, u"is:starred"_s);
    ASSERT_EQ(table()->model()->rowCount(), 1);
    EXPECT_EQ(cell(0, RunsModel::Name), u"older"_s);
    const auto* summary = find<QLabel>("runsSummary");
    EXPECT_TRUE(
        wait_until([&] { return summary->text() == u"1 of 2 runs"_s; }))  // once their metrics are read
        << qPrintable(summary->text());
    type_into(search, u"nothing like that"_s);
    EXPECT_EQ(table()->model()->rowCount(), 0);
    EXPECT_FALSE(find<QPushButton>("exportRun")->isEnabled());
    search->clear();
    EXPECT_EQ(table()->model()->rowCount(), 2);
}

TEST_F(RunLabelsInTheWindow, SeveralRunsAreLabelledAtOnce) {
    open_runs();
    auto store = RunLabelStore::open(options_in(folder_.path()).store_path());
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->set("old-1", {true, "first", "mine", {"both", "old"}}).ok());
    ASSERT_TRUE((*store)->set("new-1", {false, "second", "yours", {"both", "new"}}).ok());
    window_->runs_page()->refresh();
    ASSERT_TRUE(wait_until([&] { return cell(1, RunsModel::Star) == u"★"_s; }));
    table()->selectAll();
    ASSERT_TRUE(find<QPushButton>("labelRun")->isEnabled());
    click(find<QPushButton>("labelRun"));
    QDialog* dialog = wait_dialog("labelsDialog");
    EXPECT_TRUE(dialog->windowTitle().contains(u'2')) << qPrintable(dialog->windowTitle());
    EXPECT_EQ(child<QCheckBox>(dialog, "labelStar")->checkState(), Qt::PartiallyChecked);
    EXPECT_EQ(child<QLineEdit>(dialog, "labelTags")->text(), u"both"_s);
    EXPECT_EQ(child<QLineEdit>(dialog, "labelSomeTags")->text(), u"new, old"_s);
    EXPECT_EQ(child<QLineEdit>(dialog, "labelGroup")->text(), QString());
    type_into(child<QLineEdit>(dialog, "labelTags"), u"paper"_s);
    type_into(child<QLineEdit>(dialog, "labelSomeTags"), u"new"_s);
    type_into(child<QLineEdit>(dialog, "labelGroup"), u"sweep"_s);
    click(child<QPushButton>(dialog, "labelSave"));
    ASSERT_TRUE(wait_until([&] { return cell(1, RunsModel::Labels) == u"sweep: paper"_s; }));
    EXPECT_EQ(stored("old-1"), (RunLabels{true, "sweep", "mine", {"paper"}})) << "star and note stay";
    EXPECT_EQ(stored("new-1"), (RunLabels{false, "sweep", "yours", {"new", "paper"}}));

    click(find<QPushButton>("labelRun"));
    dialog = wait_dialog("labelsDialog");
    child<QCheckBox>(dialog, "labelStar")->setCheckState(Qt::Checked);
    type_into(child<QLineEdit>(dialog, "labelGroup"), QString());
    child<QPlainTextEdit>(dialog, "labelNote")->setFocus();
    QTest::keyClicks(child<QPlainTextEdit>(dialog, "labelNote"), u"ours"_s);
    click(child<QPushButton>(dialog, "labelSave"));
    ASSERT_TRUE(wait_until([&] { return cell(0, RunsModel::Star) == u"★"_s; }));
    EXPECT_EQ(stored("new-1"), (RunLabels{true, "", "ours", {"new", "paper"}}));
    EXPECT_EQ(stored("old-1"), (RunLabels{true, "", "ours", {"paper"}}));
}

TEST_F(RunLabelsInTheWindow, ComparingIsACommand) {
    open_runs();
    auto* compare = window_->findChild<QAction*>(u"runs.compare"_s);
    ASSERT_NE(compare, nullptr);
    table()->selectRow(0);
    compare->trigger();
    EXPECT_FALSE(window_->runs_page()->compare_view()->isVisible()) << "one alone";
    EXPECT_TRUE(find<NoticeBar>("windowMessage")->text().contains(u"two runs"_s));
    table()->selectAll();
    compare->trigger();
    EXPECT_TRUE(window_->runs_page()->compare_view()->isVisible());
}

}  // namespace
}  // namespace rankscope::gui::testing
