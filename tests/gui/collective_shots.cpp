// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/app/main_window.h>
#include <gui/live/live_page.h>
#include <gui/live/run_range.h>
#include <gui/nccl/nccl_pane.h>
#include <gui/session/workspace.h>
#include <gui/strings.h>

#include <tests/gui/collective_shots.h>
#include <tests/gui/synthetic_activity.h>
#include <tests/gui/synthetic_run.h>

#include <QComboBox>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QTabWidget>
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
}

}  // namespace rankscope::gui::testing
