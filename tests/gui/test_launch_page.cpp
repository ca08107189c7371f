// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The Launch page, driven by clicks and keys.

#include <gui/app/main_window.h>
#include <gui/launch/launch_page.h>
#include <gui/widgets/notice_bar.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/launch_lines/sandbox_shell.h>
#include <remote/desk/jobs/launchers/slurm/slurm_options.h>

#include <tests/gui/pages_fixture.h>

#include <QAction>
#include <QClipboard>
#include <QComboBox>
#include <QDialog>
#include <QGuiApplication>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QMenu>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTableView>
#include <QTableWidget>
#include <tuple>

namespace rankscope::gui::testing {
namespace {

TEST_F(Pages, LaunchPlansWhileTypingAndMarksErrors) {
    open();
    window_->show_page(MainWindow::Page::Launch);
    auto* start = find<QPushButton>("startButton");
    ASSERT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
    auto* plan = find<QTableView>("planTable");
    type_into(find<QLineEdit>("launchProcs"), u"3"_s);
    ASSERT_TRUE(wait_until([&] { return plan->model()->rowCount() == 3; }));
    EXPECT_TRUE(find<QPlainTextEdit>("planRankText")->toPlainText().contains(u"WORLD_SIZE=3"_s));

    auto* lr = find<QLineEdit>("launchLr");
    type_into(lr, u"fast"_s);
    EXPECT_FALSE(start->isEnabled());
    EXPECT_EQ(lr->property("invalid").toString(), u"true"_s);
    EXPECT_FALSE(find<QLabel>("launchLrError")->text().isEmpty());
    EXPECT_FALSE(find<QLabel>("startReason")->text().isEmpty());
    type_into(lr, u"0.1"_s);
    EXPECT_TRUE(wait_start_enabled());
    EXPECT_EQ(lr->property("invalid").toString(), u"false"_s);

    auto* nodes = find<QListWidget>("launchNodes");
    nodes->item(0)->setCheckState(Qt::Unchecked);
    EXPECT_FALSE(start->isEnabled());
    EXPECT_TRUE(find<QLabel>("startReason")->text().contains(u"node"_s));
}

// A probe that ends between a look at the button and the click: the run starts with the plan that follows.
TEST_F(Pages, StartIsTakenWhileNewFactsOfTheNodesArePlanned) {
    open();
    window_->show_page(MainWindow::Page::Launch);
    auto* start = find<QPushButton>("startButton");
    ASSERT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
    QObject::disconnect(window_->launch_page(), &LaunchPage::startRequested, nullptr, nullptr);
    const QSignalSpy started(window_->launch_page(), &LaunchPage::startRequested);
    emit window_->workspace()->fleet()->changed();
    EXPECT_FALSE(find<QLabel>("startReason")->text().isEmpty()) << "it plans";
    ASSERT_TRUE(start->isEnabled());
    click(start);
    EXPECT_EQ(started.count(), 0);
    EXPECT_TRUE(wait_until([&] { return started.count() == 1; }));
    // Start waits for the plan of a changed form.
    type_into(find<QLineEdit>("launchLr"), u"0.2"_s);
    EXPECT_FALSE(start->isEnabled());
    emit window_->workspace()->fleet()->changed();
    EXPECT_FALSE(start->isEnabled());
    EXPECT_TRUE(wait_start_enabled());
}

TEST_F(Pages, LaunchFollowsTheFleet) {
    write(inventory_file(), "nodes:\n  - { name: node1, cpu_slots: 2 }\n  - { name: node2, cpu_slots: 3 }\n");
    open();
    window_->show_page(MainWindow::Page::Launch);
    auto* nodes = find<QListWidget>("launchNodes");
    ASSERT_TRUE(wait_until([&] { return nodes->count() == 3; }));
    nodes->item(0)->setCheckState(Qt::Unchecked);
    nodes->item(2)->setCheckState(Qt::Checked);
    nodes->item(1)->setCheckState(Qt::Checked);
    auto* plan = find<QTableView>("planTable");
    ASSERT_TRUE(wait_until([&] { return plan->model()->rowCount() == 5; }));
    EXPECT_EQ(plan->model()->index(0, 1).data().toString(), u"node2"_s)
        << "the first one ticked is the master";
}

TEST_F(Pages, ACommandLineBecomesTheJob) {
    write(inventory_file(), "nodes:\n  - { name: node1 }\n  - { name: node2 }\n");
    open();
    window_->show_page(MainWindow::Page::Launch);
    ASSERT_TRUE(wait_until([&] { return find<QListWidget>("launchNodes")->count() == 3; }));
    click(find<QPushButton>("pasteJob"));
    auto* dialog = wait_dialog("pasteDialog");
    ASSERT_TRUE(dialog);
    auto* ok = child<QPushButton>(dialog, "pasteOk");
    auto* line = child<QPlainTextEdit>(dialog, "pasteLine");
    EXPECT_FALSE(ok->isEnabled());
    line->setPlainText(u"torchrun --master-port=70000 a.py"_s);
    EXPECT_FALSE(ok->isEnabled());
    EXPECT_TRUE(child<NoticeBar>(dialog, "pasteFault")->text().contains(u"--master-port=70000"_s));
    line->setPlainText(u"torchrun --never-heard a.py"_s);
    EXPECT_TRUE(ok->isEnabled());
    EXPECT_TRUE(child<QLabel>(dialog, "pasteNotes")->text().contains(u"--never-heard"_s));
    line->setPlainText(
        u"NCCL_DEBUG=INFO torchrun --nnodes=2 \\\n --nproc-per-node=2 --node-rank=0 train.py --lr 0.1"_s);
    EXPECT_TRUE(ok->isEnabled()) << qPrintable(child<NoticeBar>(dialog, "pasteFault")->text());
    EXPECT_TRUE(child<QLabel>(dialog, "pasteNotes")->text().contains(u"--node-rank"_s));
    click(ok);
    auto* plan = find<QTableView>("planTable");
    ASSERT_TRUE(wait_until([&] { return plan->model()->rowCount() == 4; }));
    const QString rank = find<QPlainTextEdit>("planRankText")->toPlainText();
    EXPECT_TRUE(rank.contains(u"python3 train.py --lr 0.1"_s)) << qPrintable(rank);
    EXPECT_TRUE(rank.contains(u"NCCL_DEBUG=INFO"_s)) << qPrintable(rank);
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());

    auto* tools = find<QPushButton>("planCopyAs")->menu();
    ASSERT_TRUE(tools);
    for (QAction* action : tools->actions()) {
        if (action->text() == u"torchrun"_s) {
            action->trigger();
        }
    }
    EXPECT_TRUE(QGuiApplication::clipboard()->text().contains(u"--nnodes=2 --node-rank=1"_s))
        << qPrintable(QGuiApplication::clipboard()->text());
}

TEST_F(Pages, AScriptIsEvaluatedAndAsksForItsValues) {
    if (!launch_lines::has_script_sandbox()) {
        GTEST_SKIP() << "no sandbox for scripts here (Debian: bubblewrap, and user namespaces)";
    }
    write(inventory_file(), "nodes:\n  - { name: node1 }\n  - { name: node2 }\n");
    open();
    window_->show_page(MainWindow::Page::Launch);
    ASSERT_TRUE(wait_until([&] { return find<QListWidget>("launchNodes")->count() == 3; }));
    click(find<QPushButton>("pasteJob"));
    auto* dialog = wait_dialog("pasteDialog");
    ASSERT_TRUE(dialog);
    auto* ok = child<QPushButton>(dialog, "pasteOk");
    auto* fault = child<NoticeBar>(dialog, "pasteFault");
    child<QPlainTextEdit>(dialog, "pasteLine")
        ->setPlainText(
            uR"sh(GPUS=(0 1 2 3)
options=(--nnodes=1 "--nproc-per-node=${#GPUS[@]}")
if [ -n "$DATA" ]; then torchrun "${options[@]}" train.py --data "$DATA" --size $1; fi
)sh"_s);
    EXPECT_FALSE(ok->isEnabled());
    ASSERT_TRUE(wait_until([&] { return dialog->findChild<QLineEdit*>(u"pasteValue_DATA"_s) != nullptr; }))
        << qPrintable(fault->text());
    EXPECT_TRUE(fault->text().contains(u"$1, DATA"_s)) << qPrintable(fault->text());
    EXPECT_FALSE(ok->isEnabled());
    type_into(child<QLineEdit>(dialog, "pasteValue_DATA"), u"/data/a"_s);
    type_into(child<QLineEdit>(dialog, "pasteValue_1"), u"small"_s);
    ASSERT_TRUE(wait_until([&] { return ok->isEnabled(); })) << qPrintable(fault->text());
    const QString yaml = child<QPlainTextEdit>(dialog, "pasteResult")->toPlainText();
    EXPECT_TRUE(yaml.contains(u"procs_per_node: 4"_s)) << qPrintable(yaml);
    EXPECT_TRUE(yaml.contains(u"/data/a"_s)) << qPrintable(yaml);

    // The launcher that the user chooses stays while the script is evaluated again.
    child<QPlainTextEdit>(dialog, "pasteLine")
        ->setPlainText(u"N=2\nsrun -N $N --ntasks-per-node=2 python3 train.py\n"_s);
    auto* launcher = child<QComboBox>(dialog, "pasteLauncher");
    ASSERT_TRUE(wait_until([&] { return launcher->findData(u"slurm"_s) >= 0; }));
    launcher->setCurrentIndex(launcher->findData(u"slurm"_s));
    auto* nodes = child<QListWidget>(dialog, "pasteNodes");
    for (int row = 0; row < nodes->count(); ++row) {
        nodes->item(row)->setCheckState(row == 0 ? Qt::Checked : Qt::Unchecked);
    }
    ASSERT_TRUE(wait_until([&] { return ok->isEnabled(); })) << qPrintable(fault->text());
    EXPECT_TRUE(child<QPlainTextEdit>(dialog, "pasteResult")->toPlainText().contains(u"launcher: slurm"_s));

    // What is no launcher is started by itself.
    child<QPlainTextEdit>(dialog, "pasteLine")->setPlainText(u"own-trainer --config cfg.yaml"_s);
    ASSERT_TRUE(wait_until([&] {
        return child<QPlainTextEdit>(dialog, "pasteResult")->toPlainText().contains(u"own-trainer"_s);
    })) << qPrintable(fault->text());
    EXPECT_EQ(dialog->findChild<QLineEdit*>(u"pasteValue_DATA"_s), nullptr);
    click(ok);
    EXPECT_EQ(window_->launch_page()->job().command.front(), "own-trainer");
}

TEST_F(Pages, AJobFileWithErrorsShowsThemUntilTheirFieldsAreCorrected) {
    const QString job = folder_.path() + u"/job.yaml"_s;
    write(job,
          "name: x\nnodes: [local]\nmaster_prot: 1\nmaster_port: 70000\ntrain:\n  model: convnet\n"
          "  dataset: { name: mnist }\n  epochs: none\n");
    Options options = options_in(folder_.path());
    options.job_file = ss(job);
    open(options);
    EXPECT_EQ(window_->page(), MainWindow::Page::Launch);
    auto* banner = find<NoticeBar>("jobProblems");
    ASSERT_TRUE(wait_until([&] { return banner->isVisible(); }));
    EXPECT_TRUE(banner->text().contains(u"Line 4: master_port"_s)) << qPrintable(banner->text());
    EXPECT_TRUE(banner->text().contains(u"Line 8: train.epochs"_s)) << qPrintable(banner->text());
    EXPECT_TRUE(banner->text().contains(u"Line 3: A job has no key master_prot. Did you mean "_s))
        << qPrintable(banner->text());
    EXPECT_FALSE(find<QPushButton>("startButton")->isEnabled());

    type_into(find<QLineEdit>("launchPort"), u"29600"_s);
    EXPECT_FALSE(banner->text().contains(u"Line 4"_s)) << qPrintable(banner->text());
    EXPECT_TRUE(banner->isVisible()) << "another field is still wrong";
    type_into(find<QLineEdit>("launchEpochs"), u"2"_s);
    EXPECT_TRUE(banner->isVisible()) << "a key that means nothing stops a run";
    EXPECT_EQ(child<QPushButton>(banner, "jobProblemsAction")->text(), u"&Remove line"_s);
    click(child<QPushButton>(banner, "jobProblemsAction"));
    EXPECT_FALSE(banner->isVisible());
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
    EXPECT_EQ(window_->launch_page()->job_text(),
              "name: x\nnodes: [local]\nmaster_port: 29600\ntrain:\n  model: convnet\n"
              "  dataset: { name: mnist }\n  epochs: 2\n");
}

TEST_F(Pages, AnUnknownKeyHasOneAnswer) {
    const QString job = folder_.path() + u"/job.yaml"_s;
    write(job,
          "name: x\nnodes: [local]\ntrain:\n  model: convnet\n  dataset: { name: mnist }\n"
          "  lr_polcy: 3\n");
    Options options = options_in(folder_.path());
    options.job_file = ss(job);
    open(options);
    auto* banner = find<NoticeBar>("jobProblems");
    ASSERT_TRUE(wait_until([&] { return banner->isVisible(); }));
    EXPECT_EQ(banner->text(), u"Line 6: train has no key lr_polcy. Did you mean \"schedule\"?"_s);
    int bars = 0;
    for (auto* bar : window_->launch_page()->findChildren<NoticeBar*>()) {
        bars += bar->isVisible() ? 1 : 0;
    }
    EXPECT_EQ(bars, 1);
    EXPECT_FALSE(find<QLabel>("startReason")->text().contains(u"lr_polcy"_s));
    click(child<QPushButton>(banner, "jobProblemsAction"));
    EXPECT_FALSE(banner->isVisible());
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
}

TEST_F(Pages, AnSrunLineBecomesASlurmJobWithoutClosingTheDialog) {
    write(inventory_file(),
          "nodes:\n  - { name: node1 }\n  - { name: node2, group: gpu }\n  - { name: node3, group: gpu }\n");
    open();
    window_->show_page(MainWindow::Page::Launch);
    ASSERT_TRUE(wait_until([&] { return find<QListWidget>("launchNodes")->count() == 4; }));
    click(find<QPushButton>("pasteJob"));
    auto* dialog = wait_dialog("pasteDialog");
    ASSERT_TRUE(dialog);
    auto* ok = child<QPushButton>(dialog, "pasteOk");
    auto* nodes = child<QListWidget>(dialog, "pasteNodes");
    auto* fault = child<NoticeBar>(dialog, "pasteFault");
    const auto tick = [&](const QString& name, bool on) {
        for (int row = 0; row < nodes->count(); ++row) {
            if (nodes->item(row)->data(Qt::UserRole).toString() == name) {
                nodes->item(row)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
            }
        }
    };

    // Two of three nodes are ticked in the dialog itself; "this computer" counts as one.
    child<QPlainTextEdit>(dialog, "pasteLine")
        ->setPlainText(u"torchrun --nnodes=2 --nproc-per-node=2 train.py"_s);
    EXPECT_TRUE(nodes->isVisible());
    EXPECT_FALSE(ok->isEnabled());
    EXPECT_TRUE(fault->text().contains(u"2 nodes; ticked: 1"_s)) << qPrintable(fault->text());
    tick(u"node1"_s, true);
    EXPECT_TRUE(ok->isEnabled()) << qPrintable(fault->text());
    // Or at once.
    click(child<QPushButton>(dialog, "pasteFirst"));
    EXPECT_TRUE(ok->isEnabled()) << qPrintable(fault->text());
    EXPECT_EQ(nodes->item(0)->checkState(), Qt::Checked);
    EXPECT_EQ(nodes->item(1)->checkState(), Qt::Checked);
    EXPECT_EQ(nodes->item(3)->checkState(), Qt::Unchecked) << "this computer is none of the first two";
    click(child<QPushButton>(dialog, "pasteGroup"));
    EXPECT_TRUE(ok->isEnabled()) << qPrintable(fault->text());
    EXPECT_EQ(nodes->item(2)->checkState(), Qt::Checked) << "node3 is in the group";
    tick(u"node3"_s, false);
    tick(u"node2"_s, false);
    tick(u"node1"_s, true);
    tick(u"local"_s, true);
    EXPECT_TRUE(child<QPlainTextEdit>(dialog, "pasteResult")->toPlainText().contains(u"node1"_s));

    child<QPlainTextEdit>(dialog, "pasteLine")
        ->setPlainText(u"srun -N 2 --ntasks-per-node=2 python3 train.py"_s);
    auto* launcher = child<QComboBox>(dialog, "pasteLauncher");
    ASSERT_TRUE(launcher->isVisible());
    launcher->setCurrentIndex(1);
    EXPECT_FALSE(ok->isEnabled()) << "two nodes are ticked, and the job is submitted on one";
    tick(u"local"_s, false);
    ASSERT_TRUE(ok->isEnabled()) << qPrintable(fault->text());
    click(ok);
    const Job job = window_->launch_page()->job();
    EXPECT_EQ(job.launcher, "slurm");
    EXPECT_EQ(submit_node(job), "node1");
    EXPECT_EQ(slurm_options(job).nodes, 2);
}

TEST_F(Pages, QuickStartIsReadyToStart) {
    Options options = options_in(folder_.path());
    options.quick_start = true;
    open(options);
    EXPECT_EQ(window_->page(), MainWindow::Page::Launch);
    EXPECT_EQ(find<QLineEdit>("launchName")->text(), u"mnist-quickstart"_s);
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
}

TEST_F(Pages, LaunchThroughSlurmHasTheFieldsOfSlurm) {
    write(inventory_file(), "nodes:\n  - { name: login1 }\n  - { name: node2 }\n");
    open();
    window_->show_page(MainWindow::Page::Launch);
    auto* nodes = find<QListWidget>("launchNodes");
    ASSERT_TRUE(wait_until([&] { return nodes->count() == 3; }));
    auto* partition = find<QLineEdit>("launch.slurm.partition");
    EXPECT_FALSE(partition->isVisible());
    find<QComboBox>("launchLauncher")->setCurrentIndex(1);
    EXPECT_TRUE(partition->isVisible());
    nodes->item(1)->setCheckState(Qt::Checked);
    EXPECT_EQ(nodes->item(0)->checkState(), Qt::Unchecked) << "a job is submitted on one node";
    type_into(find<QLineEdit>("launch.slurm.nodes"), u"3"_s);
    type_into(partition, u"gpu"_s);
    type_into(find<QLineEdit>("launch.slurm.gres"), u"gpu:2"_s);
    auto* plan = find<QTableView>("planTable");
    ASSERT_TRUE(wait_until([&] { return plan->model()->rowCount() == 6; }))
        << qPrintable(find<QLabel>("startReason")->text());
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
    auto* time = find<QLineEdit>("launch.slurm.time");
    type_into(time, u"soon"_s);
    EXPECT_FALSE(find<QPushButton>("startButton")->isEnabled());
    EXPECT_EQ(time->property("invalid").toString(), u"true"_s);
    EXPECT_TRUE(find<QLabel>("launch.slurm.timeError")->text().contains(u"HH:MM:SS"_s));
    type_into(time, u"30"_s);
    EXPECT_TRUE(wait_start_enabled());
    for (const auto& [field, wrong, right] :
         {std::tuple{"launch.slurm.nodes", "0", "3"}, {"launch.slurm.extra", "--nodes=4", "--mem=4G"}}) {
        type_into(find<QLineEdit>(field), QString::fromLatin1(wrong));
        EXPECT_FALSE(find<QPushButton>("startButton")->isEnabled()) << field;
        EXPECT_EQ(find<QLineEdit>(field)->property("invalid").toString(), u"true"_s) << field;
        type_into(find<QLineEdit>(field), QString::fromLatin1(right));
    }
    EXPECT_TRUE(wait_start_enabled());
    find<QComboBox>("launchLauncher")->setCurrentIndex(0);
    EXPECT_EQ(nodes->item(0)->checkState(), Qt::Checked) << "over SSH it is as it was";
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
}

TEST_F(Pages, AnOwnProgramIsChosenAndTyped) {
    open();
    window_->show_page(MainWindow::Page::Launch);
    ASSERT_TRUE(wait_start_enabled());
    find<QComboBox>("launchKind")->setCurrentIndex(1);
    EXPECT_FALSE(find<QLineEdit>("launchLr")->isVisible());
    EXPECT_FALSE(find<QPushButton>("startButton")->isEnabled());
    type_into(find<QLineEdit>("launchCommand"), u"sleep 5"_s);
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
    find<QComboBox>("launchKind")->setCurrentIndex(0);
    EXPECT_TRUE(find<QLineEdit>("launchLr")->isVisible());
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());
}

TEST_F(Pages, AnOwnProgramsOptionsAreEditedAndALineIsLearnt) {
    const QString job = folder_.path() + u"/job.yaml"_s;
    write(job,
          "name: own\nnodes: [local]\nmaster_port: 0\ncommand: [python3, a.py]\npush: [a.py]\n"
          "local_rank_argument: --local-rank\n");
    Options options = options_in(folder_.path());
    options.job_file = ss(job);
    open(options);
    auto* push = find<QLineEdit>("launch.push");
    ASSERT_TRUE(wait_until([&] { return push->text() == u"a.py"_s; }));
    EXPECT_FALSE(find<QLineEdit>("launchLr")->isVisible());
    find<QComboBox>("launchPython")->setCurrentIndex(1);
    EXPECT_FALSE(find<QPushButton>("startButton")->isEnabled()) << "which venv?";
    EXPECT_FALSE(find<QLabel>("launchPythonEnvError")->text().isEmpty());
    type_into(find<QLineEdit>("launchPythonEnv"), u"~/venvs/torch"_s);
    EXPECT_FALSE(find<QLineEdit>("launch.checkpoint.wait_s")->isVisible());
    find<QComboBox>("launch.checkpoint.signal")->setCurrentIndex(1);
    EXPECT_TRUE(find<QLineEdit>("launch.checkpoint.wait_s")->isVisibleTo(window_.get()));

    click(find<QPushButton>("launchLearn"));
    QDialog* dialog = wait_dialog("learnDialog");
    auto* ok = child<QPushButton>(dialog, "learnOk");
    EXPECT_FALSE(ok->isEnabled());
    type_into(child<QLineEdit>(dialog, "learnLine"), u"it 5/100 margin 0.31"_s);
    auto* numbers = child<QTableWidget>(dialog, "learnTable");
    ASSERT_EQ(numbers->rowCount(), 3);
    EXPECT_FALSE(ok->isEnabled());
    numbers->item(0, 2)->setText(u"step"_s);
    numbers->item(2, 2)->setText(u"margin"_s);
    EXPECT_TRUE(child<QLabel>(dialog, "learnReads")->text().contains(u"margin = 0.31"_s))
        << qPrintable(child<QLabel>(dialog, "learnReads")->text());
    ASSERT_TRUE(ok->isEnabled());
    click(ok);
    EXPECT_EQ(find<QPlainTextEdit>("launchPatterns")->toPlainText(), u"it {step}/{} margin {margin}"_s);
    EXPECT_TRUE(wait_start_enabled()) << qPrintable(find<QLabel>("startReason")->text());

    const JobRead read = parse_job(to_yaml(window_->launch_page()->job()), ss(job));
    ASSERT_TRUE(read.problems.empty()) << to_line(read.problems.front());
    EXPECT_EQ(read.job.own.venv, "~/venvs/torch");
    EXPECT_EQ(read.job.checkpoint_signal, "USR1");
    EXPECT_EQ(read.job.own.metrics.patterns, std::vector<std::string>{"it {step}/{} margin {margin}"});
    EXPECT_EQ(read.job.own.local_rank_argument, LocalRankArgument::Dash) << "the form has no such field";
}

}  // namespace
}  // namespace rankscope::gui::testing
