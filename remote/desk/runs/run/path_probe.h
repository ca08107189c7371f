// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/launch/ask_and_wait.h>
#include <remote/desk/runs/launch/launch_context.h>
#include <remote/desk/runs/preflight/preflight.h>
#include <remote/desk/runs/watch/hang_view.h>

#include <functional>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

namespace rankscope::inline runs {

/// Tests the paths between the nodes of a run, over the links that the run has. Any thread.
class PathProbe {
public:
    /// `inspected`: there is a new report of the run (run_reports.h), on the thread that asked for it.
    PathProbe(const LaunchContext& context, AskAgent ask, std::function<void()> inspected)
        : context_(context), ask_(std::move(ask)), inspected_(std::move(inspected)) {}
    PathProbe(const PathProbe&) = delete;
    PathProbe& operator=(const PathProbe&) = delete;

    void set_plan(const LaunchPlan& plan);
    void reached(const std::string& node, const NodeFacts& facts);
    void observe(const Event& event);
    /// Every rank that failed has lost another one, and nothing explains it.
    bool is_unexplained() const;
    /// Looks for a fault between the nodes after such an end, over connections of its own, which ask no question.
    /// Blocks for some seconds. The verdict has the phase Live: the end of the run takes it over.
    std::optional<Verdict> find_cause();
    /// Refines the verdict on a network fault. Blocks for some seconds.
    void confirm(HangFinding& finding);
    /// Ends what blocks.
    void close() { stop_.request_stop(); }

private:
    PreflightRequest request();
    void keep(const PreflightReport& report);

    const LaunchContext& context_;  ///< constant once the run has a plan
    AskAgent ask_;
    std::function<void()> inspected_;
    std::stop_source stop_;
    mutable std::mutex mutex_;
    LaunchPlan plan_;
    KnownFacts facts_;
    int attempt_ = 0;
    std::set<int> lost_peers_;  ///< ranks that failed by the loss of another one, in this attempt
    bool explained_ = false;
};

}  // namespace rankscope::inline runs
