// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/live/live_page.h>
#include <gui/live/live_panes.h>
#include <gui/live/run_range.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/nccl/pipeline_tab.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>

#include <tests/gui/collective_shots.h>
#include <tests/gui/synthetic_activity.h>
#include <tests/gui/synthetic_run.h>

#include <QComboBox>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>
#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace rankscope::gui::testing {

namespace {

/// A run that the store has, with what NCCL does in it.
void show_activity(MainWindow& window, const SyntheticActivity& what, const std::string& id) {
    SyntheticRun run{.id = id, .ranks = what.ranks, .nodes = {}, .until = 0.4, .fate = Fate::Running};
    run.steps_per_epoch = what.ranks > 64 ? 20 : 100;
    for (int node = 0; node < std::max(what.ranks / 8, 1); ++node) {
        run.nodes.push_back("node" + std::to_string(node + 1));
    }
    const auto store = window.workspace()->store();
    store_run(*store, run);
    std::map<std::string, std::uint64_t> last;
    if (const auto stored = store->last_seqs(id)) {
        last = *stored;
    }
    std::vector<Event> events = activity_events(what);
    for (Event& event : events) {
        event.seq = ++last[event.node];
    }
    (void)store->append(id, events);
    LiveData data = synthetic_data(run);
    data.state.plan.backend = "nccl";
    window.live_page()->show_stored(std::move(data));
    auto* button = window.findChild<QToolButton*>(u"showNccl"_s);
    button->setChecked(true);
    NcclPane* pane = window.live_page()->nccl();
    pane->tabs()->setCurrentIndex(1);
    QElapsedTimer timer;
    timer.start();
    while (!pane->data()->snapshot()->complete && timer.elapsed() < 60000) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
}

/// 64 ranks, 4 × 4 × 4, of which one does not come to its tensor group.
void show_mesh(MainWindow& window) {
    SyntheticRun run{
        .name = "gpt-7b", .id = "mesh", .ranks = 64, .nodes = {}, .until = 0.4, .fate = Fate::Running};
    run.steps_per_epoch = 20;
    for (int node = 0; node < 8; ++node) {
        run.nodes.push_back("node" + std::to_string(node + 1));
    }
    LiveData data = synthetic_data(run);
    const std::int64_t now = data.state.last_us;
    data.state.plan.ranks.front().command = {"python", "pretrain_gpt.py", "--tensor-model-parallel-size=4",
                                             "--pipeline-model-parallel-size=4"};
    Verdict verdict = synthetic_verdict(run, VerdictPhase::Live, now);
    verdict.rank = 21;
    verdict.node = "node3";
    verdict.ranks = {21};
    verdict.waiting = {20, 22, 23};
    verdict.title =
        "Rank 21 has not entered all_reduce 4,812 of tp group 5 (ranks 20 to 23), in which the others wait.";
    data.apply(Event{0, now, "", -1, verdict});
    window.live_page()->show_stored(std::move(data));
    window.findChild<QToolButton*>(u"showNccl"_s)->setChecked(false);
    window.live_page()->panes()->set_shown(LivePanes::Pane::Nccl, false);
}

/// Four stages, GPipe over eight micro-batches.
void show_pipeline(MainWindow& window) {
    const SyntheticRun run{.name = "gpt2-stages", .id = "stages", .until = 0.4, .fate = Fate::Running};
    LiveData data = synthetic_data(run);
    engine::TrainingCost& cost = data.state.plan.cost.emplace();
    cost.pipeline.emplace().stages.resize(4);
    cost.pipeline->bubble = 3.0 / 11;
    for (int stage = 0; stage < 4; ++stage) {
        std::vector<PipelinePass> passes;
        for (int i = 0; i < 8; ++i) {
            passes.push_back({i, true, -360.0 + 10 * (stage + i), 9.5});
        }
        for (int i = 0; i < 8; ++i) {
            passes.push_back({i, false, -250.0 + 21 * (3 - stage) + 21 * i, 20.0 + stage / 4.0});
        }
        MetricEvent metric;
        metric.step = 240;
        metric.texts = {{kPassesKey, passes_text(passes)}};
        data.apply(Event{0, data.state.last_us, "node1", stage, metric});
    }
    window.live_page()->show_stored(std::move(data));
    window.live_page()->panes()->bring(LivePanes::Pane::Nccl);
    QTabWidget* tabs = window.live_page()->nccl()->tabs();
    for (int i = 0; i < tabs->count(); ++i) {
        if (tabs->widget(i)->findChild<PipelineTab*>() != nullptr) {
            tabs->setCurrentIndex(i);
        }
    }
}

}  // namespace

void collective_shots(MainWindow& window, const std::function<void(QWidget*, const char*)>& take) {
    window.show_page(MainWindow::Page::Live);
    const std::vector<std::pair<const char*, SyntheticActivity>> scenes{
        {"collectives-healthy", {}},
        {"collectives-slow", {.slow = 5}},
        {"collectives-behind", {.behind = 11}},
        {"collectives-1024", {.ranks = 1024, .seconds = 4, .behind = 777}},
        {"collectives-mesh", {.tensor = 4}},
        {"collectives-absent", {.unavailable = "nccl-too-old"}}};
    for (const auto& [name, what] : scenes) {
        show_activity(window, what, name);
        if (what.tensor > 0) {
            auto* chooser = window.live_page()->nccl()->findChild<QComboBox*>(u"collectiveCommunicator"_s);
            chooser->setCurrentIndex(std::max(chooser->findText(u"tp group 1"_s, Qt::MatchStartsWith), 0));
        }
        take(&window, name);
    }
    const SyntheticActivity what;
    show_activity(window, what, "collectives-range");
    const NcclRange& range = window.live_page()->nccl()->data()->range();
    window.live_page()->range()->set({what.start_us + 2'500'000, what.start_us + 4'500'000});
    QElapsedTimer timer;
    timer.start();
    while (!range.report() && timer.elapsed() < 60000) {
        QCoreApplication::processEvents(QEventLoop::AllEvents, 20);
    }
    take(&window, "collectives-range");
    show_pipeline(window);
    take(&window, "collectives-pipeline");
    show_mesh(window);
    take(&window, "collectives-ranks");
    auto* grouping = window.findChild<QComboBox*>(u"rankGrouping"_s);
    grouping->setCurrentIndex(grouping->findData(u"tp"_s));
    window.findChild<QTableView*>(u"rankTable"_s)->selectRow(21);
    take(&window, "collectives-ranks-tp");
}

}  // namespace rankscope::gui::testing
