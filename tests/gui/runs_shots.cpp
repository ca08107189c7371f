// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/models/runs_model.h>
#include <gui/runs/code_dialog.h>
#include <gui/runs/compare_view.h>
#include <gui/runs/run_deleter.h>
#include <gui/runs/runs_page.h>
#include <gui/runs/runs_table.h>
#include <gui/runs/scaling_dialog.h>
#include <gui/session/workspace.h>

#include <tests/gui/gui_test.h>
#include <tests/gui/runs_shots.h>

#include <QCheckBox>
#include <QLabel>
#include <QSettings>
#include <QTabWidget>
#include <QTableView>
#include <QTableWidget>
#include <QThreadPool>

namespace rankscope::gui::testing {

namespace {

// Four sizes; the last one failed.
void store_scaling(RunStore& store, const std::filesystem::path& file) {
    constexpr std::int64_t kStart = 1'760'005'000'000'000;
    const auto labels = RunLabelStore::open(file);
    for (const int ranks : {1, 2, 4, 8}) {
        RunRecord record;
        record.run_id = "s" + std::to_string(ranks);
        record.name = "mnist-convnet";
        record.started_us = kStart + ranks;
        record.plan.world_size = ranks;
        (void)store.create_run(record);
        std::vector<Event> events;
        for (int step = 1; step <= 60 && ranks < 8; ++step) {
            for (int rank = 0; rank < ranks; ++rank) {
                const double comm = 4.0 * (ranks - 1) + step % 3;
                Event event;
                event.node = "node1";
                event.rank = rank;
                event.seq = events.size() + 1;
                event.t_us = kStart + step * 100'000;
                event.body = MetricEvent{step,
                                         -1,
                                         {{"images_per_s", 100'000.0 / (52 + comm)},
                                          {"t_data_ms", 4},
                                          {"t_forward_ms", 15},
                                          {"t_backward_ms", 28},
                                          {"t_comm_ms", comm},
                                          {"t_optimizer_ms", 3},
                                          {"t_step_ms", 52 + comm}},
                                         {}};
                events.push_back(std::move(event));
            }
        }
        (void)store.append(record.run_id, events);
        EndEvent end;
        end.outcome = ranks < 8 ? Outcome::Stopped : Outcome::Failed;
        end.detail = ranks < 8 ? "" : "Rank 5 on node2 was killed by signal 9 (SIGKILL)";
        (void)store.finish_run(record.run_id, kStart + 60'000'000, end);
        RunLabels label;
        label.add_tag("scaling-weak-20261009-102000");
        label.group = label.tags.front();
        if (labels) {
            (void)(*labels)->set(record.run_id, label);
        }
    }
}

}  // namespace

void runs_shots(MainWindow& window, const std::function<void(QWidget*, const char*)>& take) {
    QSettings().clear();
    window.show_page(MainWindow::Page::Runs);
    RunsPage* page = window.runs_page();
    auto* table = child<QTableView>(page, "runsTable");
    (void)wait_until([&] { return table->model()->rowCount() > 4; });
    take(&window, "runs");
    auto* model = page->findChild<RunsModel*>();
    (void)wait_until([&] { return model->summaries().size() > 4; });
    model->set_chosen({*run_column("loss:best"), *run_column("images_per_s:mean"), *run_column("run:steps"),
                       *run_column("run:verdict")});
    take(&window, "runs-columns");
    child<QWidget>(page, "runsColumns")->setFocus();
    page->runs_table()->choose_columns();
    auto* dialog = page->findChild<QDialog*>(u"columnDialog"_s);
    take(dialog, "runs-chooser");
    dialog->reject();
    page->runs_table()->set_grouping(u"name"_s);
    take(&window, "runs-groups");
    page->runs_table()->set_grouping({});
    const auto code_shot = [&](const char* run, const char* name) {
        CodeDialog code(window.workspace()->store(), run, window.workspace()->pool(), &window);
        code.show();
        (void)wait_until(
            [&] { return !child<QLabel>(&code, "codeVersion")->text().startsWith(u"Reading"_s); });
        take(&code, name);
    };
    code_shot("a", "runs-code-none");
    RunRecord coded = *window.workspace()->store()->run("a");
    coded.run_id = "coded";
    coded.plan.code = CodeVersion{.commit = "5f2e9a1c0b7d4e6f8a9b0c1d2e3f405162738495",
                                  .branch = "larger-batches",
                                  .changed = {"train.py", "models/resnet.py",
                                              "configs/a-configuration-with-quite-a-long-name.yaml", "x.py"},
                                  .untracked = {"notes.txt"},
                                  .diff =
                                      "diff --git a/train.py b/train.py\nindex 3b18e51..9c1e1a0 100644\n--- "
                                      "a/train.py\n+++ b/train.py\n@@ -12,3 +12,3 "
                                      "@@ def main():\n     model = resnet50()\n-    rate = 0.1\n+    rate = "
                                      "0.4\n     train(model, rate)\n"};
    (void)window.workspace()->store()->create_run(coded);
    code_shot("coded", "runs-code");
    page->compare({"a", "b", "c", "d"});
    (void)wait_until([&] { return page->compare_view()->comparison() != nullptr; });
    take(&window, "runs-compare");
    child<QTabWidget>(page, "compareTabs")->setCurrentIndex(1);
    child<QCheckBox>(page, "compareBands")->setChecked(true);
    take(&window, "runs-compare-bands");
    click(child<QWidget>(page, "compareBack"));
    const auto store = window.workspace()->store();
    store_scaling(*store, window.workspace()->options().store_path());
    QThreadPool pool;
    {
        ScalingDialog scaling({store, window.workspace()->options().store_path(), &pool, {}},
                              u"mnist-convnet"_s, &window);
        scaling.set_request({});
        scaling.show();
        take(&scaling, "runs-scaling-start");
        scaling.show_stored("scaling-weak-20261009-102000");
        (void)wait_until([&] { return scaling.result().points.size() == 4; });
        take(&scaling, "runs-scaling");
    }
    table->selectAll();
    (void)wait_until([&] { return table->selectionModel()->selectedRows().size() > 4; });
    child<QWidget>(page, "deleteRun")->setFocus();
    QTest::keyClick(table, Qt::Key_Delete);
    (void)wait_until([&] { return table->model()->rowCount() < 5; });
    take(&window, "runs-deleted");
    page->open_trash();
    auto* trash = window.findChild<QDialog*>(u"trashDialog"_s);
    (void)wait_until([&] { return child<QTableWidget>(trash, "trashTable")->rowCount() > 3; });
    take(trash, "runs-trash");
    trash->close();
    page->deleter()->undo();
    (void)wait_until([&] { return table->model()->rowCount() > 4; });
    QSettings().clear();
}

}  // namespace rankscope::gui::testing
