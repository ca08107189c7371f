// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The Doctor page over synthetic reports, driven by clicks and keys.

#include <gui/app/main_window.h>
#include <gui/doctor/doctor_page.h>
#include <gui/doctor/doctor_subject.h>
#include <gui/doctor/nodes_button.h>
#include <gui/doctor/pair_matrix.h>
#include <gui/launch/launch_page.h>
#include <gui/models/checked_nodes_model.h>
#include <gui/models/checks_model.h>
#include <gui/widgets/elided_label.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/runs/store/run_reports.h>

#include <tests/gui/pages_fixture.h>
#include <tests/gui/synthetic_preflight.h>

#include <QAbstractItemModelTester>
#include <QClipboard>
#include <QFile>
#include <QGuiApplication>
#include <QLineEdit>
#include <QListWidget>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <QTableView>
#include <atomic>
#include <memory>

namespace rankscope::gui::testing {
namespace {

class Doctor : public Pages {
protected:
    void open_doctor(const SyntheticPreflight& preflight) {
        open();
        window_->show_page(MainWindow::Page::Doctor);
        show(preflight);
    }
    void show(const SyntheticPreflight& preflight) {
        window_->workspace()->preflight()->set_report(Job{}, PreflightDepth::Full,
                                                      synthetic_preflight(preflight));
    }
    PairMatrix* matrix() { return window_->doctor_page()->matrix(); }
    PairState state(std::size_t from, std::size_t to) { return matrix()->grid().state(from, to); }
    void click_square(int from, int to) {
        QTest::mouseClick(matrix()->viewport(), Qt::LeftButton, {}, matrix()->square(from, to).center());
    }
    QAbstractItemModel* checks() { return find<QTableView>("checkTable")->model(); }
    QString details() { return find<QLabel>("checkTitle")->text(); }
    std::vector<QPushButton*> visible(const char* name) {
        std::vector<QPushButton*> all;
        for (auto* button : window_->findChildren<QPushButton*>(QString::fromLatin1(name))) {
            if (button->isVisible()) {
                all.push_back(button);
            }
        }
        return all;
    }
};

TEST_F(Doctor, BeginsWithOneClearAction) {
    open();
    window_->show_page(MainWindow::Page::Doctor);
    EXPECT_TRUE(find<QWidget>("doctorEmpty")->isVisible());
    EXPECT_TRUE(wait_until([&] { return find<QPushButton>("doctorFull")->isEnabled(); }));
    EXPECT_FALSE(find<NoticeBar>("doctorProblem")->isVisible());
    // A job that is not right cannot be inspected, and the page says why.
    find<QListWidget>("launchNodes")->item(0)->setCheckState(Qt::Unchecked);
    EXPECT_TRUE(wait_until([&] { return find<NoticeBar>("doctorProblem")->isVisible(); }));
    EXPECT_FALSE(find<QPushButton>("doctorFull")->isEnabled());
    click(find<QPushButton>("doctorProblemAction"));
    EXPECT_EQ(window_->page(), MainWindow::Page::Launch);
}

TEST_F(Doctor, IsReadableForAnyNumberOfNodes) {
    open();
    window_->show_page(MainWindow::Page::Doctor);
    for (const std::size_t nodes : {1U, 2U, 8U, 64U}) {
        SCOPED_TRACE(nodes);
        show({.nodes = nodes});
        ASSERT_EQ(matrix()->grid().size(), nodes);
        EXPECT_EQ(matrix()->isVisible(), nodes > 1);
        EXPECT_EQ(find<QTabWidget>("doctorTabs")->currentIndex(), nodes > 1 ? 0 : 1);
        EXPECT_EQ(find<QWidget>("doctorSingle")->isHidden(), nodes > 1);
        EXPECT_FALSE(find<QLabel>("doctorTitle")->text().contains(u"failed"_s));
        EXPECT_EQ(find<QTableView>("doctorNodeTable")->model()->rowCount(), int(nodes));
        EXPECT_FALSE(details().isEmpty());
        if (nodes > 1) {
            const QRect square = matrix()->square(0, int(nodes) - 1);
            EXPECT_GE(square.width(), 5);
            EXPECT_EQ(state(0, 0), PairState::Self);
            EXPECT_EQ(state(0, 1), PairState::Fine);
        }
    }
    // Of 64 nodes not every pair is tried: the matrix says where, the page says that.
    EXPECT_EQ(state(5, 30), PairState::Untested);
    EXPECT_TRUE(find<QLabel>("doctorAbout")->text().contains(u"not every pair"_s));
}

TEST_F(Doctor, TheMatrixShowsDirectionsAndWhatCameBack) {
    open_doctor({.nodes = 8, .faults = true});
    EXPECT_EQ(matrix()->grid().size(), 9U) << "a node that took no part has its row, too";
    EXPECT_EQ(state(0, 1), PairState::Failed);
    EXPECT_EQ(state(1, 0), PairState::Fine) << "one direction only";
    EXPECT_EQ(state(2, 0), PairState::Warned);
    EXPECT_EQ(state(0, 8), PairState::Untested);

    click_square(3, 1);
    const QString text = find<QPlainTextEdit>("pairText")->toPlainText();
    EXPECT_TRUE(text.contains(u"node4 → node2"_s)) << qPrintable(text);
    EXPECT_TRUE(text.contains(u"10.0.0.12 (eth0), port 43217: no answer"_s)) << qPrintable(text);
    EXPECT_TRUE(text.contains(u"not used by the run: 192.168.7.12 (eth1)"_s)) << qPrintable(text);
    EXPECT_EQ(checks()->rowCount(), 1) << "the checks of this direction";
    EXPECT_TRUE(details().contains(u"no answer"_s));
    click(find<QPushButton>("checkShowAll"));
    EXPECT_GT(checks()->rowCount(), 8);

    click_square(1, 0);
    EXPECT_EQ(checks()->rowCount(), 0);
    EXPECT_TRUE(find<QLabel>("checkFilter")->text().contains(u"No fault from node2 to node1"_s));
    const QString fine = find<QPlainTextEdit>("pairText")->toPlainText();
    EXPECT_TRUE(fine.contains(u"MTU 1500"_s) && fine.contains(u"Mbit/s"_s) && fine.contains(u"loss 0"_s))
        << qPrintable(fine);
}

TEST(PairMatrix, NineNodesNeedNoScrollBarAtAnyWidth) {
    PairMatrix matrix;
    matrix.set_grid(
        PairGrid(std::make_shared<const PreflightReport>(synthetic_preflight({.nodes = 8, .faults = true}))));
    matrix.show();
    for (int width = 400; width < 420; ++width) {
        matrix.resize(width, 600);
        EXPECT_EQ(matrix.horizontalScrollBar()->maximum(), 0) << width;
        EXPECT_EQ(matrix.verticalScrollBar()->maximum(), 0) << width;
    }
}

TEST_F(Doctor, LongNamesKeepTheirEndsAndDoNotWidenTheWindow) {
    open_doctor({.nodes = 8, .faults = true, .long_names = true});
    click_square(3, 1);
    auto* filter = find<ElidedLabel>("checkFilter");
    EXPECT_TRUE(filter->full_text().contains(u"node4 → "_s) && filter->full_text().endsWith(u"node2"_s))
        << qPrintable(filter->full_text());
    EXPECT_LE(window_->minimumSizeHint().width(), 1280);
    click(find<QPushButton>("checkShowAll"));
    const QModelIndex check = checks()->index(0, ChecksModel::Nodes);
    EXPECT_TRUE(check.data().toString().endsWith(u"node2"_s)) << qPrintable(check.data().toString());
    EXPECT_EQ(check.data(Qt::ToolTipRole).toString().size(), 63);
    const QModelIndex node = find<QTableView>("doctorNodeTable")->model()->index(3, CheckedNodesModel::Node);
    EXPECT_TRUE(node.data().toString().endsWith(u"node4"_s)) << qPrintable(node.data().toString());
    EXPECT_LT(node.data().toString().size(), 30);
    EXPECT_EQ(node.data(Qt::ToolTipRole).toString().size(), 63);
    // The table of nodes does not scroll sideways: what it leaves out is in a tool tip.
    auto* nodes = find<QTableView>("doctorNodeTable");
    find<QTabWidget>("doctorTabs")->setCurrentIndex(1);
    EXPECT_TRUE(wait_until([&] { return nodes->isVisible() && !nodes->horizontalScrollBar()->isVisible(); }));
    EXPECT_TRUE(nodes->isColumnHidden(CheckedNodesModel::Why));
    const QModelIndex interface = node.siblingAtColumn(CheckedNodesModel::Interface);
    EXPECT_TRUE(interface.data(Qt::ToolTipRole)
                    .toString()
                    .contains(node.siblingAtColumn(CheckedNodesModel::Why).data().toString()));
    window_->resize(2400, 800);
    EXPECT_TRUE(wait_until([&] { return !nodes->isColumnHidden(CheckedNodesModel::Why); }));
    EXPECT_FALSE(nodes->horizontalScrollBar()->isVisible());
}

TEST_F(Doctor, TheMatrixIsReachedByKeys) {
    open_doctor({.nodes = 8, .faults = true});
    matrix()->setFocus(Qt::TabFocusReason);
    EXPECT_EQ(matrix()->current_from(), 0);
    EXPECT_EQ(matrix()->current_to(), 1);
    QTest::keyClick(matrix(), Qt::Key_Down);
    QTest::keyClick(matrix(), Qt::Key_Down);
    EXPECT_TRUE(matrix()->accessibleDescription().contains(u"node3 → node2"_s));
    QTest::keyClick(matrix(), Qt::Key_Return);
    EXPECT_EQ(checks()->rowCount(), 1);
    QTest::keyClick(matrix(), Qt::Key_Escape);
    EXPECT_GT(checks()->rowCount(), 8);
    EXPECT_EQ(matrix()->current_from(), -1);
}

TEST_F(Doctor, FailedChecksComeFirstAndNodesSayWhatDiffers) {
    open_doctor({.nodes = 8, .faults = true});
    EXPECT_EQ(checks()->index(0, ChecksModel::Status).data(ChecksModel::StatusRole).toInt(),
              int(CheckStatus::Fail));
    EXPECT_TRUE(find<QLabel>("doctorTitle")->text().contains(u"3 of"_s))
        << qPrintable(find<QLabel>("doctorTitle")->text());
    EXPECT_TRUE(find<QPlainTextEdit>("checkEvidence")->toPlainText().contains(u"handle 9"_s));
    auto* nodes = find<QTableView>("doctorNodeTable");
    find<QTabWidget>("doctorTabs")->setCurrentIndex(1);
    EXPECT_EQ(nodes->model()->index(3, CheckedNodesModel::Differs).data().toString(), u"shm-too-small"_s);
    EXPECT_EQ(nodes->model()->index(3, CheckedNodesModel::Interface).data().toString(), u"eth0"_s);
    nodes->selectRow(3);
    EXPECT_TRUE(find<QLabel>("checkFilter")->text().contains(u"node4"_s));
    for (QAbstractItemModel* model : {checks(), nodes->model()}) {
        QAbstractItemModelTester tester(model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    }
}

TEST_F(Doctor, AFixIsCopiedAndAFixOfTheJobIsOneClick) {
    open_doctor({.nodes = 4, .faults = true});
    ASSERT_TRUE(wait_until([&] { return visible("fixCopy").size() == 1; }));
    click(visible("fixCopy").front());
    EXPECT_TRUE(QGuiApplication::clipboard()->text().startsWith(u"sudo nft insert rule"_s));
    window_->show_page(MainWindow::Page::Launch);
    type_into(find<QLineEdit>("launchPort"), u"29500"_s);
    window_->show_page(MainWindow::Page::Doctor);
    find<QTableView>("checkTable")->selectRow(1);
    ASSERT_TRUE(wait_until([&] { return visible("fixApply").size() == 2; })) << visible("fixApply").size();
    click(visible("fixApply").front());
    EXPECT_EQ(window_->launch_page()->job().master_port, 0);
    EXPECT_EQ(find<QLineEdit>("launchPort")->text(), u"0"_s);
    EXPECT_TRUE(find<NoticeBar>("doctorNews")->text().contains(u"master_port: 0"_s));
}

TEST_F(Doctor, ACommandRunsOnlyAfterItWasShownAndConfirmed) {
    open_doctor({.nodes = 4, .faults = true});
    ASSERT_TRUE(wait_until([&] { return visible("fixApply").size() == 1; }));
    click(visible("fixApply").front());
    QDialog* dialog = wait_dialog("applyDialog");
    ASSERT_NE(dialog, nullptr);
    EXPECT_TRUE(
        child<QPlainTextEdit>(dialog, "applyCommands")->toPlainText().startsWith(u"sudo nft insert"_s));
    EXPECT_TRUE(child<QPlainTextEdit>(dialog, "applyUndo")->toPlainText().contains(u"delete rule"_s));
    dialog->reject();
    EXPECT_TRUE(window_->workspace()->fixes()->applied().empty());
    EXPECT_FALSE(window_->workspace()->fixes()->busy());
}

TEST_F(Doctor, AWholeJobThatCannotRunIsSaid) {
    open_doctor({});
    window_->workspace()->preflight()->set_report(
        Job{}, PreflightDepth::Full,
        Failure{"unknown-node", "", "Node nowhere is not in the inventory.", "Add it in Fleet.", ""});
    EXPECT_TRUE(find<NoticeBar>("doctorProblem")->text().contains(u"nowhere"_s));
    EXPECT_TRUE(find<QWidget>("doctorEmpty")->isVisible());
}

TEST_F(Doctor, LaunchShowsTheQuickOneBeforeStart) {
    open();
    window_->show_page(MainWindow::Page::Launch);
    ASSERT_TRUE(wait_start_enabled());
    auto* text = find<ElidedLabel>("preflightText");
    EXPECT_TRUE(text->full_text().contains(u"not checked yet"_s)) << qPrintable(text->full_text());
    EXPECT_TRUE(find<QPushButton>("preflightCheck")->isEnabled());
    PreflightSession* preflight = window_->workspace()->preflight();
    preflight->set_report(window_->launch_page()->job(), PreflightDepth::Quick, synthetic_preflight({}));
    EXPECT_EQ(text->full_text(), u"4 nodes, 7 checks passed in 1.9 s"_s);
    preflight->set_report(window_->launch_page()->job(), PreflightDepth::Quick,
                          synthetic_preflight({.faults = true}));
    EXPECT_TRUE(text->full_text().contains(u"cannot connect to node2"_s)) << qPrintable(text->full_text());
    // Another job was not checked.
    auto* port = find<QLineEdit>("launchPort");
    type_into(port, u"29501"_s);
    EXPECT_TRUE(wait_until([&] { return text->full_text().contains(u"has changed"_s); }));
    EXPECT_FALSE(find<QPushButton>("preflightDoctor")->isVisible());
    type_into(port, u"0"_s);
    EXPECT_TRUE(wait_until([&] { return find<QPushButton>("preflightDoctor")->isVisible(); }));
    click(find<QPushButton>("preflightDoctor"));
    EXPECT_EQ(window_->page(), MainWindow::Page::Doctor);
    EXPECT_TRUE(details().contains(u"cannot connect to node2"_s));
}

DoctorRun failed_run(const std::string& id) {
    DoctorRun run;
    run.run_id = id;
    run.name = u"mnist"_s;
    run.job_yaml = "name: mnist\nnodes: [local]\nprocs_per_node: 3\ncommand: [python3, ddp.py]\n";
    return run;
}

TEST_F(Doctor, ShowsTheReportThatIsKeptOfARunAndLeavesTheOneOfTheJob) {
    open();
    window_->show_page(MainWindow::Page::Launch);
    ASSERT_TRUE(wait_start_enabled());
    PreflightSession* preflight = window_->workspace()->preflight();
    preflight->set_report(window_->launch_page()->job(), PreflightDepth::Quick, synthetic_preflight({}));
    const auto of_job = preflight->report();
    remember_report("20261126-kept",
                    {synthetic_preflight({.faults = true}), PreflightDepth::Quick, 1'700'000'000'000'000});
    DoctorPage* doctor = window_->doctor_page();
    doctor->show_run(failed_run("20261126-kept"));
    window_->show_page(MainWindow::Page::Doctor);
    ASSERT_TRUE(wait_until([&] { return doctor->subject()->report() != nullptr; }));
    EXPECT_TRUE(find<QLabel>("doctorTitle")->text().contains(u"checks failed"_s));
    EXPECT_FALSE(find<QPlainTextEdit>("pairText")->toPlainText().contains(u"No connection was tried"_s));
    EXPECT_TRUE(find<ElidedLabel>("doctorSubject")->full_text().contains(u"mnist"_s));
    EXPECT_TRUE(find<QLabel>("doctorAbout")->text().contains(u"found for the run mnist"_s));
    // Launch still knows that its job was checked.
    EXPECT_EQ(preflight->report(), of_job);
    EXPECT_TRUE(find<ElidedLabel>("preflightText")->full_text().contains(u"7 checks passed"_s));
    doctor->show_job();
    EXPECT_EQ(doctor->subject()->report(), of_job);
}

TEST_F(Doctor, AFixOfARunChangesTheJobOfTheRun) {
    open();
    window_->show_page(MainWindow::Page::Launch);
    ASSERT_TRUE(wait_start_enabled());
    PreflightReport report = synthetic_preflight({});
    report.checks.insert(report.checks.begin(), {.id = "master-port-dropped",
                                                 .status = CheckStatus::Fail,
                                                 .nodes = {"node1"},
                                                 .detail = "The port is blocked.",
                                                 .fixes = {{.job = {{"master_port", "0"}}}}});
    remember_report("20261126-fix", {report, PreflightDepth::Quick, 1});
    window_->doctor_page()->show_run(failed_run("20261126-fix"));
    window_->show_page(MainWindow::Page::Doctor);
    ASSERT_TRUE(wait_until([&] { return details() == u"The port is blocked."_s; }));
    const auto apply = visible("fixApply");
    ASSERT_EQ(apply.size(), 1U);
    click(apply.front());
    EXPECT_EQ(window_->page(), MainWindow::Page::Launch);
    EXPECT_EQ(window_->launch_page()->job().name, "mnist");
    EXPECT_EQ(window_->launch_page()->job().procs_per_node, 3)
        << "the job of the run, not the one that was open";
    EXPECT_EQ(window_->launch_page()->job().master_port, 0);
}

TEST_F(Doctor, ARunInProgressIsInspectedWithItsRanks) {
    open();
    DoctorSubject* subject = window_->doctor_page()->subject();
    std::string asked;
    subject->set_runners(run_preflight, [&](const ExaminationRequest& request, const std::stop_token&) {
        asked = request.run_id;
        RunExamination found;
        found.ranks[1].node = "node2";
        found.ranks[1].state.pid = 4711;
        found.verdict.emplace();
        found.verdict->id = "rank-hang";
        found.verdict->title = "Rank 1 on node2 was stopped.";
        found.verdict->node = "node2";
        found.paths = synthetic_preflight({});
        return Result<RunExamination>(found);
    });
    DoctorRun run = failed_run("20261126-live");
    run.in_progress = true;
    window_->doctor_page()->show_run(run);
    window_->show_page(MainWindow::Page::Doctor);
    ASSERT_TRUE(wait_until([&] { return subject->report() != nullptr; }));
    EXPECT_EQ(asked, "20261126-live");
    EXPECT_EQ(details(), u"Rank 1 on node2 was stopped."_s);
    EXPECT_EQ(find<QTableView>("doctorRankTable")->model()->rowCount(), 1);
    EXPECT_EQ(find<QPushButton>("doctorFull")->text(), u"Inspect the &run"_s);
    EXPECT_FALSE(find<QPushButton>("doctorQuick")->isVisible());
}

TEST_F(Doctor, WorseAfterAFixIsSaidWithItsUndo) {
    write(inventory_file(), "nodes:\n  - { name: node1 }\n");
    open();
    const std::string mark = ss(folder_.path() + u"/fixed"_s);
    const Fix fix{.node = "local", .command = "touch " + mark, .undo = "rm " + mark};
    Check blocked{.id = "master-port-dropped",
                  .status = CheckStatus::Fail,
                  .nodes = {"local"},
                  .detail = "The port is blocked.",
                  .fixes = {fix}};
    DoctorSubject* subject = window_->doctor_page()->subject();
    subject->set_runners(
        [&](const PreflightRequest&, const std::stop_token&) -> Result<PreflightReport> {
            PreflightReport report = synthetic_preflight({});
            if (QFile::exists(qs(mark))) {
                report.checks.insert(report.checks.begin(), {.id = "no-answer",
                                                             .status = CheckStatus::Fail,
                                                             .nodes = {"local"},
                                                             .detail = "This computer does not answer."});
            } else {
                report.checks.insert(report.checks.begin(), blocked);
            }
            return report;
        },
        {});
    window_->show_page(MainWindow::Page::Doctor);
    window_->doctor_page()->show_nodes({"node1"});
    ASSERT_TRUE(wait_until([&] { return visible("fixApply").size() == 1; }));
    auto* worse = find<NoticeBar>("doctorWorse");
    EXPECT_FALSE(worse->isVisible());
    click(visible("fixApply").front());
    click(child<QPushButton>(wait_dialog("applyDialog"), "applyConfirm"));
    ASSERT_TRUE(wait_until([&] { return worse->isVisible(); }));
    EXPECT_TRUE(worse->text().startsWith(u"Worse after the fix: This computer does not answer."_s))
        << qPrintable(worse->text());
    click(child<QPushButton>(worse, "doctorWorseAction"));
    QDialog* undo = nullptr;
    ASSERT_TRUE(wait_until([&] {
        undo = window_->findChild<QDialog*>(u"applyDialog"_s);
        return undo && undo->windowTitle().startsWith(u"Undo"_s) && undo->isVisible();
    }));
    EXPECT_EQ(child<QPlainTextEdit>(undo, "applyCommands")->toPlainText(), qs(fix.undo));
    click(child<QPushButton>(undo, "applyConfirm"));
    ASSERT_TRUE(
        wait_until([&] { return !QFile::exists(qs(mark)) && details() == u"The port is blocked."_s; }));
    EXPECT_FALSE(worse->isVisible()) << "it is as before";
}

TEST_F(Doctor, NodesAreInspectedForNoJob) {
    write(inventory_file(), "nodes:\n  - { name: node1 }\n  - { name: node2 }\n  - { name: node3 }\n");
    open();
    DoctorSubject* subject = window_->doctor_page()->subject();
    std::vector<std::string> asked;
    subject->set_runners(
        [&](const PreflightRequest& request, const std::stop_token&) -> Result<PreflightReport> {
            asked = request.job.nodes;
            return synthetic_preflight({});
        },
        {});
    window_->show_page(MainWindow::Page::Doctor);
    window_->doctor_page()->show_nodes({"node1", "node3"});
    ASSERT_TRUE(wait_until([&] { return subject->report() != nullptr; }));
    EXPECT_EQ(asked, (std::vector<std::string>{"node1", "node3"}));
    EXPECT_EQ(window_->workspace()->preflight()->report(), nullptr) << "it is not about the job in Launch";
    EXPECT_FALSE(find<QPushButton>("doctorStart")->isVisible()) << "nothing to start";
}

TEST_F(Doctor, WhatIsToBeDoneIsSaidWhereNoCommandDoesIt) {
    open_doctor({});
    PreflightReport report = synthetic_preflight({});
    report.checks.insert(report.checks.begin(), {.id = "link-down",
                                                 .status = CheckStatus::Fail,
                                                 .nodes = {"node1"},
                                                 .detail = "No link.",
                                                 .remedy = "Check the cable."});
    window_->workspace()->preflight()->set_report(Job{}, PreflightDepth::Full, report);
    EXPECT_EQ(find<QLabel>("checkRemedy")->text(), u"Check the cable."_s);
}

Result<PreflightReport> until_stopped(const PreflightRequest& request, const std::stop_token& stop) {
    request.progress("node3: connecting");
    while (!stop.stop_requested()) {
        QTest::qSleep(1);
    }
    return Failure{"cancelled", "", "Stopped by the user.", "", ""};
}

TEST(PreflightSessions, AreCancelledAndLeaveTheOldReport) {
    QTemporaryDir folder;
    QThreadPool pool;
    Fleet fleet(ss(folder.path() + u"/cluster.yaml"_s), false, {});
    PreflightSession session(&fleet, &pool, until_stopped);
    session.set_report(Job{}, PreflightDepth::Quick, synthetic_preflight({}));
    const auto before = session.report();
    session.start(Job{}, PreflightDepth::Full);
    EXPECT_TRUE(session.running());
    EXPECT_TRUE(wait_until([&] { return session.progress() == u"node3: connecting"_s; }));
    session.cancel();
    EXPECT_FALSE(session.running());
    EXPECT_EQ(session.report(), before);
    EXPECT_TRUE(pool.waitForDone(10000));
}

TEST(FixRunners, ApplyInTurnAndUndo) {
    QTemporaryDir folder;
    QThreadPool pool;
    Fleet fleet(ss(folder.path() + u"/cluster.yaml"_s), false, {});
    std::atomic<int> at_once = 0;
    std::atomic<bool> overlapped = false;
    FixRunner runner(&fleet, &pool,
                     [&](const FixRequest& request, const std::stop_token&) -> Result<std::string> {
                         overlapped = overlapped || ++at_once > 1;
                         QTest::qSleep(5);
                         --at_once;
                         if (request.fix.command == "bad") {
                             return Failure{"fix-failed", request.fix.node, "The command failed.", "", ""};
                         }
                         return request.undo ? request.fix.undo : request.fix.command;
                     });
    int finished = 0;
    QObject::connect(&runner, &FixRunner::finished, [&] { ++finished; });
    const Fix good{.node = "node1", .command = "open", .undo = "close"};
    const Fix bad{.node = "node1", .command = "bad", .undo = "good"};
    runner.apply({good, bad});
    ASSERT_TRUE(wait_until([&] { return finished == 1; }));
    EXPECT_FALSE(overlapped);
    EXPECT_EQ(runner.entry(good).state, FixState::Applied);
    EXPECT_EQ(runner.entry(bad).state, FixState::Open);
    ASSERT_TRUE(runner.entry(bad).failure);
    EXPECT_EQ(runner.applied().size(), 1U);
    runner.undo(good);
    ASSERT_TRUE(wait_until([&] { return finished == 2; }));
    EXPECT_TRUE(runner.applied().empty());
}

}  // namespace
}  // namespace rankscope::gui::testing
