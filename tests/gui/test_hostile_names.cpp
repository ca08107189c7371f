// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Names that look like HTML are shown as they are written, in every tool tip.

#include <base/clock.h>
#include <gui/data/live_model.h>
#include <gui/models/comparison_model.h>
#include <gui/models/plan_model.h>
#include <gui/models/rank_table_model.h>
#include <gui/models/runs_model.h>
#include <gui/plain_text.h>
#include <gui/runs/run_legend.h>
#include <gui/runs/runs_page.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractItemView>
#include <QAction>
#include <QFileDialog>
#include <QMessageBox>
#include <QTableView>
#include <QTableWidget>
#include <QTextDocument>
#include <QToolButton>

namespace rankscope::gui::testing {
namespace {

const std::string kHostile = "<img src=x>";

/// What a tool tip shows of its text.
QString shown(const QString& tip) {
    if (!Qt::mightBeRichText(tip)) {
        return tip;
    }
    QTextDocument document;
    document.setHtml(tip);
    return document.toPlainText();
}

/// A tool tip as HTML is one of ours: it has no picture and no link.
void expect_harmless(const QString& tip, const QString& where) {
    EXPECT_FALSE(Qt::mightBeRichText(tip) && tip.contains(u"<img"_s)) << qPrintable(where + u": "_s + tip);
}

int walk(const QAbstractItemModel& model, const QModelIndex& parent = {}) {
    int hostile = 0;
    for (int column = 0; column < model.columnCount(parent); ++column) {
        expect_harmless(model.headerData(column, Qt::Horizontal, Qt::ToolTipRole).toString(), u"header"_s);
        for (int row = 0; row < model.rowCount(parent); ++row) {
            const QModelIndex index = model.index(row, column, parent);
            const QString tip = index.data(Qt::ToolTipRole).toString();
            expect_harmless(tip, u"row %1 column %2"_s.arg(row).arg(column));
            hostile += shown(tip).contains(qs(kHostile)) ? 1 : 0;
            if (column == 0) {
                hostile += walk(model, index);
            }
        }
    }
    return hostile;
}

TEST(HostileNames, PlainTextStaysAsItIsAndMarkupIsShown) {
    EXPECT_EQ(plain_text(u"loss & acc\nnext"_s), u"loss & acc\nnext"_s);
    EXPECT_EQ(shown(plain_text(u"a < b & c > d"_s)), u"a < b & c > d"_s) << "Qt takes this for bold text";
    const QString tip = plain_text(qs(kHostile) + u"\n<b>bold</b> & more"_s);
    EXPECT_FALSE(tip.contains(u"<img"_s));
    EXPECT_TRUE(shown(tip).contains(u"<img src=x>"_s)) << qPrintable(shown(tip));
    EXPECT_TRUE(shown(tip).contains(u"<b>bold</b> & more"_s)) << qPrintable(shown(tip));
}

TEST(HostileNames, NoModelPassesThemOnAsMarkup) {
    RunsModel runs;
    RunRecord record = synthetic_record({.name = kHostile, .id = "a"});
    record.summary = kHostile;
    record.nodes = kHostile;
    runs.set_runs({record});
    EXPECT_GT(walk(runs), 0) << "the name is in a tool tip, as text";

    const SyntheticRun run{.name = kHostile, .ranks = 2, .nodes = {kHostile}, .steps_per_epoch = 5};
    LiveModel live;
    LiveData data = synthetic_data(run);
    data.apply({9999, 1, kHostile, 0, MetricEvent{6, 1, {{kHostile, 1.0}}, {}}});
    live.reset(std::move(data));
    RankTableModel ranks(&live);
    ranks.refresh();
    walk(ranks);
    PlanModel plan;
    plan.set_plan(synthetic_plan(run));
    EXPECT_GT(walk(plan), 0);
}

/// Every tool tip of every widget and view of a window whose runs, nodes and metrics have such names.
class HostileWindow : public Pages {
protected:
    void walk_window() {
        for (const QWidget* widget : window_->findChildren<QWidget*>()) {
            expect_harmless(widget->toolTip(), widget->objectName());
            if (const auto* view = qobject_cast<const QAbstractItemView*>(widget); view && view->model()) {
                walk(*view->model());
            }
        }
        for (const QAction* action : window_->findChildren<QAction*>()) {
            if (action->toolTip() != action->text().remove(u'&')) {  // its own, not its text
                expect_harmless(action->toolTip(), action->objectName());
            }
        }
    }
};

TEST_F(HostileWindow, NoToolTipIsMarkupOfAName) {
    fill_store(
        {{.name = kHostile, .id = "a-1", .nodes = {kHostile}, .steps_per_epoch = 5, .fate = Fate::Killed},
         {.name = kHostile, .id = "a-2", .nodes = {kHostile}, .steps_per_epoch = 5}});
    open();
    click(find<QToolButton>("navRuns"));
    auto* table = find<QTableView>("runsTable");
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 2; }));
    walk_window();
    table->selectRow(0);
    click(find<QPushButton>("openRun"));
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }));
    walk_window();
}

TEST_F(HostileWindow, TheNameOfARunIsNoPathOfItsLog) {
    fill_store({{.name = "../../.config/autostart/x", .id = "a-1", .steps_per_epoch = 5}});
    open();
    click(find<QToolButton>("navRuns"));
    auto* table = find<QTableView>("runsTable");
    ASSERT_TRUE(wait_until([&] { return table->model()->rowCount() == 1; }));
    table->selectRow(0);
    click(find<QPushButton>("openRun"));
    ASSERT_TRUE(wait_until([&] { return window_->page() == MainWindow::Page::Live; }));
    find<QAction>("logSaveAll")->trigger();
    auto* dialog = window_->findChild<QFileDialog*>(u"logSaveDialog"_s);
    ASSERT_NE(dialog, nullptr);
    EXPECT_EQ(ss(dialog->selectedFiles().join(u' ')),
              ss(dialog->directory().filePath(u".._.._.config_autostart_x.log"_s)));
    dialog->close();
}

TEST_F(HostileWindow, NoQuestionIsMarkupOfAName) {
    fill_store({{.name = kHostile, .id = "a-1", .nodes = {kHostile}, .steps_per_epoch = 5}});
    auto store = RunStore::open(options_in(folder_.path()).store_path());
    ASSERT_TRUE(store.ok());
    ASSERT_TRUE((*store)->trash_runs({"a-1"}, now_us()));
    open();
    click(find<QToolButton>("navRuns"));
    find<RunsPage>("runsPage")->open_trash();
    QDialog* trash = wait_dialog("trashDialog");
    auto* table = child<QTableWidget>(trash, "trashTable");
    ASSERT_TRUE(wait_until([&] { return table->rowCount() == 1; }));
    expect_harmless(table->item(0, 0)->toolTip(), u"trash"_s);
    table->selectRow(0);
    click(child<QPushButton>(trash, "trashRemove"));
    auto* question = trash->findChild<QMessageBox*>();
    ASSERT_NE(question, nullptr);
    expect_harmless(question->informativeText(), u"question"_s);
    EXPECT_TRUE(shown(question->informativeText()).contains(qs(kHostile)));
    question->close();
    trash->close();
}

}  // namespace
}  // namespace rankscope::gui::testing
