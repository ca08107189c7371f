// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/text.h>
#include <base/wake_fd.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/session/node_connection.h>
#include <remote/desk/nodes/session/node_runs.h>
#include <remote/desk/nodes/session/session_pool.h>
#include <remote/desk/runs/run/run_controller.h>
#include <remote/desk/runs/run/unwatched_runs.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr auto kUnwatchedLookEvery = std::chrono::milliseconds(10);
constexpr const char* kSlurm = "slurm";

using RunsThere = std::map<std::string, NodeRun>;  // by id

// Who knows of the run: its nodes, or the login node of a Slurm cluster.
std::vector<std::string> witnesses(const RunRecord& record, const Inventory& inventory) {
    std::vector<std::string> names;
    const Job job = parse_job(record.job_yaml, record.run_id).job;
    if (job.launcher == kSlurm) {
        const auto login = resolve_nodes(inventory, job);
        return login ? std::vector{login->front().name} : names;
    }
    for (const auto name : split(record.nodes, ',')) {
        names.emplace_back(name);
    }
    return names;
}

std::optional<NodeSpec> spec_of(const Inventory& inventory, const std::string& name) {
    if (const NodeSpec* spec = inventory.find(name)) {
        return *spec;
    }
    return name == kLocalNodeName ? std::optional(local_node()) : std::nullopt;
}

// One conversation with a node, on a thread of its own.
class Asking {
public:
    Asking(NodeSpec node, SessionPool* sessions, double until)
        : thread_([this, spec = std::move(node), sessions, until](const std::stop_token& stop) {
              ask(spec, sessions, until, stop);
          }) {}

    bool done() const { return done_; }
    void give_up() { thread_.request_stop(); }
    /// Waits for its end; nothing: it has not answered.
    std::optional<RunsThere> answer() {
        thread_.join();
        return std::move(answer_);
    }

private:
    void ask(const NodeSpec& node, SessionPool* sessions, double until, const std::stop_token& stop) {
        WakeFd wake;
        const std::stop_callback on_stop(stop, [&wake] { wake.wake(); });
        if (auto connection = connect_node(node, Prompter{}, wake, stop, {}, sessions)) {
            const auto offset_us = static_cast<std::int64_t>(connection->facts.clock_offset_s * 1e6);
            if (auto runs = runs_on_node(*connection->link, std::max(0.1, until - monotonic_s()))) {
                RunsThere there;
                for (NodeRun& run : *runs) {
                    run.ended_us -= run.ended_us != 0 ? offset_us : 0;
                    there.emplace(run.run_id, run);
                }
                answer_ = std::move(there);
            }
            if (sessions != nullptr && connection->link->alive()) {
                sessions->put(node, std::move(connection->link));
            }
        }
        done_ = true;
    }

    std::optional<RunsThere> answer_;
    std::atomic<bool> done_{false};
    std::jthread thread_;  ///< after what it writes
};

bool is_worse(Outcome a, Outcome b) {
    static constexpr std::array kOrder{Outcome::Done, Outcome::Stopped, Outcome::Lost, Outcome::Failed};
    const auto rank = [](Outcome outcome) {
        return std::find(kOrder.begin(), kOrder.end(), outcome) - kOrder.begin();
    };
    return rank(a) > rank(b);
}

NodesSay conclude(const std::string& run_id, const std::vector<std::string>& names,
                  const std::map<std::string, RunsThere>& answers) {
    NodesSay say;
    bool runs = false;
    bool gone = false;
    say.outcome = Outcome::Done;
    for (const auto& name : names) {
        const auto there = answers.find(name);
        if (there == answers.end()) {
            say.silent.push_back(name);
            continue;
        }
        const auto found = there->second.find(run_id);
        if (found == there->second.end()) {
            gone = true;
            continue;
        }
        const NodeRun& run = found->second;
        runs = runs || run.state == Outcome::Running;
        say.outcome = is_worse(run.state, say.outcome) ? run.state : say.outcome;
        say.ended_us = std::max(say.ended_us, run.ended_us);
        say.spool_bytes += run.spool_bytes;
    }
    say.state = runs                                   ? NodesSay::State::Runs
                : gone                                 ? NodesSay::State::Gone
                : !say.silent.empty() || names.empty() ? NodesSay::State::Silent
                                                       : NodesSay::State::Ended;
    if (say.state != NodesSay::State::Ended) {
        say.outcome = Outcome::Running;
        say.ended_us = 0;
    }
    return say;
}

}  // namespace

std::vector<AskedRun> ask_nodes(const std::vector<RunRecord>& unfinished, const Inventory& inventory,
                                SessionPool* sessions, double limit_s, const std::stop_token& stop) {
    const double until = monotonic_s() + limit_s;
    std::map<std::string, std::vector<std::string>> witnesses_of;
    std::map<std::string, std::unique_ptr<Asking>> askings;
    for (const auto& record : unfinished) {
        const auto& names = witnesses_of[record.run_id] = witnesses(record, inventory);
        for (const auto& name : names) {
            if (const auto spec = spec_of(inventory, name); spec && askings.count(name) == 0) {
                askings[name] = std::make_unique<Asking>(*spec, sessions, until);
            }
        }
    }
    const auto all_done = [&] {
        return std::all_of(askings.begin(), askings.end(),
                           [](const auto& entry) { return entry.second->done(); });
    };
    while (!all_done() && monotonic_s() < until && !stop.stop_requested()) {
        std::this_thread::sleep_for(kUnwatchedLookEvery);
    }
    std::map<std::string, RunsThere> answers;
    for (auto& [name, asking] : askings) {
        asking->give_up();
    }
    for (auto& [name, asking] : askings) {
        if (auto answer = asking->answer()) {
            answers[name] = std::move(*answer);
        }
    }
    std::vector<AskedRun> asked;
    for (const auto& record : unfinished) {
        asked.push_back({record, conclude(record.run_id, witnesses_of[record.run_id], answers)});
    }
    return asked;
}

Result<RunRecord> settle_run(const std::shared_ptr<RunStore>& store, const std::string& run_id,
                             const Inventory& inventory, double limit_s, const std::stop_token& stop) {
    const double until = monotonic_s() + limit_s;
    AttachHooks hooks;
    hooks.record = [](const RunRecord&) {};
    hooks.past = [&stop](const Event&) { return !stop.stop_requested(); };
    hooks.ready = [](const Result<void>&) {};
    auto controller = RunController::attach(run_id, inventory, store, Prompter{}, {}, {}, std::move(hooks));
    while (!controller->finished() && monotonic_s() < until && !stop.stop_requested()) {
        std::this_thread::sleep_for(kUnwatchedLookEvery);
    }
    controller.reset();  // its last events are stored now
    return store->run(run_id);
}

}  // namespace rankscope::inline runs
