// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/runs/launch/connected_nodes.h>
#include <remote/desk/runs/run/path_probe.h>
#include <remote/desk/runs/store/run_reports.h>
#include <remote/desk/runs/watch/path_confirmation.h>
#include <remote/diagnosis/verdict_source.h>

#include <chrono>
#include <condition_variable>
#include <thread>

namespace rankscope::inline runs {
namespace {

constexpr auto kLongestSearch = std::chrono::seconds(12);

// Requests a stop after a while, unless it is destroyed before.
class Deadline {
public:
    explicit Deadline(std::stop_source& stop, std::chrono::seconds within)
        : thread_([&stop, within](const std::stop_token& done) {
              std::mutex mutex;
              std::unique_lock lock(mutex);
              std::condition_variable_any never;
              if (!never.wait_for(lock, done, within, [&done] { return done.stop_requested(); })) {
                  stop.request_stop();
              }
          }) {}

private:
    std::jthread thread_;
};

}  // namespace

void PathProbe::set_plan(const LaunchPlan& plan) {
    const std::lock_guard lock(mutex_);
    plan_ = plan;
}

void PathProbe::reached(const std::string& node, const NodeFacts& facts) {
    const std::lock_guard lock(mutex_);
    facts_[node] = facts;
}

PreflightRequest PathProbe::request() {
    PreflightRequest request;
    request.inventory = context_.inventory;
    request.job = context_.job;
    const std::lock_guard lock(mutex_);
    request.plan = plan_;
    std::vector<NodeSpec> nodes;
    for (const auto& node : plan_.nodes) {
        const NodeSpec* spec = context_.inventory.find(node.node);
        nodes.push_back(spec != nullptr ? *spec : local_node());
    }
    request.connected = connected_nodes(nodes, facts_, ask_, stop_.get_token());
    return request;
}

void PathProbe::observe(const Event& event) {
    const std::lock_guard lock(mutex_);
    if (const auto* exit = event.as<ExitEvent>()) {
        if (exit->attempt > attempt_) {
            attempt_ = exit->attempt;
            lost_peers_.clear();
            explained_ = false;
        }
        if (!exit->requested && exit->lost_peer) {
            lost_peers_.insert(event.rank);
        } else if (!exit->requested && (exit->code != 0 || exit->signal != 0)) {
            explained_ = true;
        }
    } else if (const auto* end = event.as<EndEvent>()) {
        explained_ = explained_ || !end->lost_node.empty() || end->outcome == Outcome::Lost;
    } else if (const auto* verdict = event.as<DiagnosisEvent>();
               verdict != nullptr && !is_from_logs(*verdict)) {
        explained_ = verdict->phase != VerdictPhase::Over;
    } else if (const auto* notice = event.as<NoticeEvent>()) {
        explained_ = explained_ || notice->id == "rank-stopped";
    }
}

bool PathProbe::is_unexplained() const {
    const std::lock_guard lock(mutex_);
    return !lost_peers_.empty() && !explained_;
}

void PathProbe::keep(const PreflightReport& report) {
    remember_report(context_.run_id, {report, PreflightDepth::Quick, now_us()});
    inspected_();
}

std::optional<Verdict> PathProbe::find_cause() {
    PreflightRequest looked = request();
    if (!looked.plan || looked.plan->nodes.size() < 2) {
        return std::nullopt;
    }
    looked.connected.clear();  // the run has closed its links
    looked.sessions = context_.sessions.get();
    looked.depth = PreflightDepth::Quick;
    looked.paths_only = true;
    looked.run_is_over = true;
    std::stop_source late;
    const std::stop_callback on_close(stop_.get_token(), [&late] { late.request_stop(); });
    const Deadline deadline(late, kLongestSearch);
    const auto report = run_preflight(looked, late.get_token());
    if (report) {
        keep(*report);
    }
    const Check* check = report ? explaining_check(*report, {}) : nullptr;
    if (check == nullptr) {
        return std::nullopt;
    }
    Verdict verdict = verdict_of(*check);
    verdict.phase = VerdictPhase::Live;
    verdict.reason = "connection-lost";
    const std::lock_guard lock(mutex_);
    verdict.waiting.assign(lost_peers_.begin(), lost_peers_.end());
    return verdict;
}

void PathProbe::confirm(HangFinding& finding) {
    if (!finding.paths.empty() && finding.verdict.id != "node-lost") {
        if (const auto report = confirm_paths(finding, request(), stop_.get_token())) {
            keep(*report);
        }
    }
}

}  // namespace rankscope::inline runs
