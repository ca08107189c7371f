// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/run_groups_model.h>
#include <gui/models/runs_model.h>
#include <gui/runs/run_deleter.h>
#include <gui/runs/runs_filter.h>
#include <gui/runs/runs_page.h>
#include <gui/runs/runs_table.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/archive/compare/run_summary.h>
#include <remote/desk/runs/store/run_labels.h>

#include <tests/gui/pages_fixture.h>

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QSettings>
#include <QTableView>
#include <QTableWidget>
#include <QToolButton>
#include <QTreeView>

namespace rankscope::gui::testing {
namespace {

class RunsList : public Pages {
protected:
    void SetUp() override { QSettings().clear(); }
    void TearDown() override { QSettings().clear(); }
    void open_runs() {
        fill_store({{.name = "a", .id = "a-1", .steps_per_epoch = 5, .start_us = 1'750'000'000'000'000},
                    {.name = "b", .id = "b-1", .steps_per_epoch = 50, .start_us = 1'750'000'100'000'000},
                    {.name = "b", .id = "b-2", .steps_per_epoch = 10, .start_us = 1'750'000'200'000'000}});
        open();
        show_runs(3);
    }
    void show_runs(int count) {
        click(find<QToolButton>("navRuns"));
        ASSERT_TRUE(wait_until([&] { return table()->model()->rowCount() == count; }));
    }
    QTableView* table() { return find<QTableView>("runsTable"); }
    QString cell(int row, int column) { return table()->model()->index(row, column).data().toString(); }
    QStringList names() {
        QStringList all;
        for (int row = 0; row < table()->model()->rowCount(); ++row) {
            all += table()->model()->index(row, 0).data(RunsModel::RunIdRole).toString();
        }
        return all;
    }
    /// Checks a column in the dialog.
    void add_column(const QString& id) {
        click(find<QPushButton>("runsColumns"));
        QDialog* dialog = wait_dialog("columnDialog");
        auto* list = child<QTreeView>(dialog, "columnList");
        type_into(child<QLineEdit>(dialog, "columnSearch"), u"steps"_s);
        child<QLineEdit>(dialog, "columnSearch")->clear();
        const QModelIndexList found = list->model()->match(list->model()->index(0, 0), Qt::ToolTipRole, id, 1,
                                                           Qt::MatchExactly | Qt::MatchRecursive);
        ASSERT_FALSE(found.isEmpty()) << id.toStdString();
        list->model()->setData(found.first(), Qt::Checked, Qt::CheckStateRole);
        click(child<QDialogButtonBox>(dialog, "")->button(QDialogButtonBox::Ok));
        ASSERT_TRUE(wait_until([&] { return !window_->findChild<QDialog*>(u"columnDialog"_s); }));
    }
    std::shared_ptr<RunStore> other_program() {
        return *RunStore::open(options_in(folder_.path()).store_path());
    }
};

TEST_F(RunsList, AChosenMetricIsAColumnThatSortsAsNumbersAndIsKept) {
    open_runs();
    const QAbstractItemModelTester tester(table()->model());
    ASSERT_TRUE(wait_until(
        [&] { return !find<RunsPage>("runsPage")->findChild<RunsModel*>()->summaries().empty(); }));
    ASSERT_TRUE(wait_until([&] { return !cell(2, RunsModel::NUM_COLUMNS).isEmpty(); }))
        << "the last loss is there without a choice";
    add_column(u"run:steps"_s);
    add_column(u"acc1:last"_s);
    const int steps = RunsModel::NUM_COLUMNS + 1;
    ASSERT_TRUE(wait_until([&] { return !cell(0, steps).isEmpty() && !cell(2, steps + 1).isEmpty(); }));
    table()->sortByColumn(steps, Qt::AscendingOrder);
    EXPECT_EQ(names(), (QStringList{u"a-1"_s, u"b-2"_s, u"b-1"_s})) << "10, 20, 100 steps";
    const auto column_called = [&](const QString& header) {
        for (int column = 0; column < table()->model()->columnCount(); ++column) {
            if (table()->model()->headerData(column, Qt::Horizontal).toString() == header) {
                return column;
            }
        }
        return -1;
    };
    const QString header = table()->model()->headerData(steps, Qt::Horizontal).toString();
    table()->horizontalHeader()->resizeSection(steps, 77);
    table()->horizontalHeader()->setSectionHidden(RunsModel::Nodes, true);
    table()->horizontalHeader()->resizeSection(RunsModel::Ranks, 61);
    window_.reset();
    open();
    show_runs(3);
    EXPECT_EQ(table()->model()->columnCount(), RunsModel::NUM_COLUMNS + 3);
    EXPECT_EQ(table()->horizontalHeader()->sectionSize(column_called(header)), 77);
    EXPECT_TRUE(table()->isColumnHidden(RunsModel::Nodes));
    ASSERT_TRUE(wait_until([&] { return names() == QStringList{u"a-1"_s, u"b-2"_s, u"b-1"_s}; }));
}

TEST_F(RunsList, ARunOfASilentNodeLastsAsLongAsIsKnown) {
    fill_store({{.name = "a", .id = "a-1", .until = 0.5, .fate = Fate::Running}});
    open();
    show_runs(1);
    EXPECT_TRUE(cell(0, RunsModel::Duration).startsWith(u"at least "_s))
        << cell(0, RunsModel::Duration).toStdString();
}

TEST_F(RunsList, GroupsHaveCountsMeanAndSpread) {
    open_runs();
    add_column(u"run:steps"_s);
    auto* combo = find<QComboBox>("runsGrouping");
    combo->setCurrentIndex(combo->findData(u"name"_s));
    emit combo->activated(combo->currentIndex());
    auto* tree = find<QTreeView>("runGroups");
    ASSERT_TRUE(tree->isVisible());
    const QAbstractItemModelTester tester(tree->model());
    ASSERT_EQ(tree->model()->rowCount(), 2);
    const QModelIndex group = tree->model()->index(0, 0);
    EXPECT_EQ(group.data().toString(), u"b (2)"_s);
    ASSERT_TRUE(wait_until([&] {
        return tree->model()->index(0, RunsModel::NUM_COLUMNS + 1).data().toString() == u"60 ± 57"_s;
    })) << tree->model()->index(0, RunsModel::NUM_COLUMNS + 1).data().toString().toStdString();
    tree->setCurrentIndex(group);
    EXPECT_EQ(find<RunsPage>("runsPage")->runs_table()->selected().size(), 2U) << "a group is its runs";
    type_into(find<QLineEdit>("runsSearch"), u"a-1"_s);
    EXPECT_EQ(tree->model()->rowCount(), 1);
    combo->setCurrentIndex(0);
    emit combo->activated(0);
    EXPECT_TRUE(table()->isVisible());
}

TEST_F(RunsList, DeletedRunsDisappearAndCtrlZBringsThemBack) {
    open_runs();
    table()->selectAll();
    QTest::keyClick(table(), Qt::Key_Delete);
    ASSERT_TRUE(wait_until([&] { return table()->model()->rowCount() == 0; }));
    auto* notice = find<NoticeBar>("runsUndo");
    EXPECT_TRUE(notice->text().contains(u"3 runs"_s)) << notice->text().toStdString();
    EXPECT_EQ(other_program()->runs()->size(), 0U) << "no other program shows them";
    EXPECT_EQ(other_program()->trash()->size(), 3U) << "but nothing is lost";
    click(notice->findChild<QPushButton*>());
    ASSERT_TRUE(wait_until([&] { return table()->model()->rowCount() == 3; }));
    EXPECT_FALSE(notice->isVisible());
    EXPECT_EQ(other_program()->trash()->size(), 0U);
}

TEST_F(RunsList, DeletedRunsCanBeRestoredAfterTheNoticeAndInTheNextSession) {
    open_runs();
    find<RunsPage>("runsPage")->deleter()->set_undo_time(1);
    table()->selectRow(0);
    click(find<QPushButton>("deleteRun"));
    ASSERT_TRUE(wait_until([&] { return table()->model()->rowCount() == 2; }));
    ASSERT_TRUE(wait_until([&] { return !find<NoticeBar>("runsUndo")->isVisible(); }));
    EXPECT_EQ(other_program()->trash()->size(), 1U);
    window_.reset();
    EXPECT_EQ(other_program()->trash()->size(), 1U);
    open();
    show_runs(2);
    find<RunsPage>("runsPage")->open_trash();
    QDialog* dialog = wait_dialog("trashDialog");
    auto* trash = child<QTableWidget>(dialog, "trashTable");
    ASSERT_TRUE(wait_until([&] { return trash->rowCount() == 1; }));
    EXPECT_EQ(trash->item(0, 0)->text(), u"b"_s);
    EXPECT_EQ(trash->item(0, 1)->text(), u"b-2"_s);
    EXPECT_TRUE(trash->item(0, 4)->text().startsWith(u"6 day"_s)) << ss(trash->item(0, 4)->text());
    EXPECT_FALSE(trash->item(0, 5)->text().startsWith(u"0"_s)) << "its size";
    click(child<QPushButton>(dialog, "trashRestore"));
    ASSERT_TRUE(wait_until([&] { return table()->model()->rowCount() == 3; }));
    EXPECT_EQ(trash->rowCount(), 0);
    const QString state = child<QLabel>(dialog, "trashState")->text();
    EXPECT_TRUE(state.contains(u"restored"_s) && state.contains(u"No deleted runs"_s)) << ss(state);
    EXPECT_FALSE(child<QPushButton>(dialog, "trashRestore")->isEnabled());
    EXPECT_FALSE(child<QPushButton>(dialog, "trashRemove")->isEnabled());
}

TEST_F(RunsList, DeletedRunsAreRemovedForGoodWhenTheUserConfirms) {
    open_runs();
    table()->selectAll();
    QTest::keyClick(table(), Qt::Key_Delete);
    ASSERT_TRUE(wait_until([&] { return table()->model()->rowCount() == 0; }));
    find<RunsPage>("runsPage")->open_trash();
    QDialog* dialog = wait_dialog("trashDialog");
    auto* trash = child<QTableWidget>(dialog, "trashTable");
    ASSERT_TRUE(wait_until([&] { return trash->rowCount() == 3; }));
    trash->selectAll();
    click(child<QPushButton>(dialog, "trashRemove"));
    auto* question = child<QMessageBox>(dialog, "trashQuestion");
    EXPECT_TRUE(question->informativeText().contains(u"a-1"_s)) << ss(question->informativeText());
    EXPECT_TRUE(question->informativeText().contains(u"are freed"_s)) << ss(question->informativeText());
    EXPECT_EQ(other_program()->trash()->size(), 3U) << "not before it is confirmed";
    click(child<QPushButton>(dialog, "trashConfirm"));
    ASSERT_TRUE(wait_until([&] { return trash->rowCount() == 0; }));
    EXPECT_TRUE(other_program()->trash()->empty());
    const QString state = child<QLabel>(dialog, "trashState")->text();
    EXPECT_TRUE(state.contains(u"3 run"_s) && state.contains(u"removed"_s)) << ss(state);
}

TEST_F(RunsList, RunAgainKeepsItsParent) {
    open_runs();
    table()->selectRow(1);
    click(find<QPushButton>("againRun"));
    EXPECT_EQ(window_->page(), MainWindow::Page::Launch);
    RunRecord record = *other_program()->run("b-1");
    record.run_id = "child";
    record.parent = "b-1";
    ASSERT_TRUE(other_program()->create_run(record));
    show_runs(4);
    ASSERT_TRUE(wait_until([&] { return names().contains(u"child"_s); }));
    EXPECT_TRUE(table()
                    ->model()
                    ->index(int(names().indexOf(u"child"_s)), 0)
                    .data(Qt::ToolTipRole)
                    .toString()
                    .contains(u"run again from b-1"_s));
}

TEST_F(RunsList, TheCodeOfARunIsShown) {
    open_runs();
    RunRecord record = *other_program()->run("b-1");
    record.run_id = "coded";
    record.plan.code = CodeVersion{.commit = std::string(40, 'a'),
                                   .branch = "main",
                                   .changed = {"train.py"},
                                   .diff = "-rate = 1\n+rate = 2\n"};
    ASSERT_TRUE(other_program()->create_run(record));
    show_runs(4);
    const auto open = [&](const char* run) {
        EXPECT_TRUE(wait_until([&] { return names().contains(QString::fromLatin1(run)); })) << run;
        table()->selectRow(int(names().indexOf(QString::fromLatin1(run))));
        emit window_->runs_page()->runs_table()->menuRequested(window_->mapToGlobal(QPoint(200, 200)));
        QStringList letters;
        for (const QAction* action : find<QMenu>("runsMenu")->actions()) {
            if (!action->isSeparator()) {
                letters += QKeySequence::mnemonic(action->text()).toString();
            }
        }
        EXPECT_EQ(letters.removeDuplicates(), 0) << letters.join(u' ').toStdString();
        window_->findChild<QAction*>(u"runCode"_s)->trigger();
        find<QMenu>("runsMenu")->close();
        return find<QDialog>("codeDialog");
    };
    QDialog* dialog = open("coded");
    const auto* diff = child<QPlainTextEdit>(dialog, "codeDiff");
    ASSERT_TRUE(wait_until([&] { return !diff->toPlainText().isEmpty(); }));
    EXPECT_EQ(diff->toPlainText(), u"-rate = 1\n+rate = 2\n"_s);
    EXPECT_EQ(child<QLabel>(dialog, "codeVersion")->text(), u"main aaaaaaaaaa, changed: train.py"_s);
    click(child<QPushButton>(dialog, "codeCopy"));
    EXPECT_EQ(QGuiApplication::clipboard()->text(), diff->toPlainText());
    dialog->reject();
    QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);

    dialog = open("b-1");
    ASSERT_TRUE(wait_until(
        [&] { return child<QLabel>(dialog, "codeVersion")->text().startsWith(u"No code is stored"_s); }));
    EXPECT_FALSE(child<QPushButton>(dialog, "codeCopy")->isVisible());
    EXPECT_FALSE(child<QPlainTextEdit>(dialog, "codeDiff")->isVisible());
}

TEST_F(RunsList, TenThousandRunsStayQuick) {
    RunsModel model;
    RunsFilter filter;
    filter.setSourceModel(&model);
    model.set_chosen({*run_column("loss:last"), *run_column("job:train.batch_size")});
    constexpr int kRuns = 10'000;
    std::vector<RunRecord> runs;
    RunSummaries summaries;
    for (int i = 0; i < kRuns; ++i) {
        RunRecord run;
        run.run_id = "run-" + std::to_string(i);
        run.name = "name" + std::to_string(i % 7);
        run.started_us = i;
        run.outcome = Outcome::Done;
        auto summary = std::make_shared<RunSummary>();
        MetricStats stats;
        stats.last = (i * 7919) % kRuns;
        summary->metrics.emplace_back("loss", stats);
        summary->job["train.batch_size"] = std::to_string(i % 5);
        summaries[run.run_id] = std::move(summary);
        runs.push_back(std::move(run));
    }
    QElapsedTimer timer;
    const auto lap = [&](const char* what) { RecordProperty(what, int(timer.restart())); };
    timer.start();
    model.set_runs(runs);
    lap("set_runs_ms");
    model.add_summaries(summaries);
    lap("summaries_ms");
    filter.sort(RunsModel::NUM_COLUMNS);
    lap("sort_ms");
    EXPECT_EQ(filter.index(0, RunsModel::NUM_COLUMNS).data().toString(), u"0"_s);
    EXPECT_EQ(
        model.value(filter.mapToSource(filter.index(kRuns - 1, 0)).row(), RunsModel::NUM_COLUMNS).number,
        kRuns - 1);
    filter.set_line(u"name3"_s);
    lap("filter_ms");
    EXPECT_EQ(filter.rowCount(), kRuns / 7 + 1);
    filter.set_line({});
    timer.restart();
    int changes = 0;
    QObject::connect(&model, &QAbstractItemModel::dataChanged, [&] { ++changes; });
    runs[5].summary = "changed";
    model.set_runs(runs);
    lap("refresh_ms");
    EXPECT_EQ(changes, 1) << "a refresh that changes one run draws one";
    RunGroupsModel groups(&model, &filter);
    groups.set_grouping(*run_grouping("job:train.batch_size"));
    lap("group_ms");
    EXPECT_EQ(groups.rowCount(), 5);
}

}  // namespace
}  // namespace rankscope::gui::testing
