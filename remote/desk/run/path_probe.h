// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/launch/ask_and_wait.h>
#include <remote/desk/launch/launch_context.h>
#include <remote/desk/preflight/preflight.h>
#include <remote/desk/watch/hang_view.h>

#include <mutex>
#include <stop_token>
#include <string>

namespace rankscope {

/// Tests the paths between the nodes of a run, over the links that the run has. Any thread.
class PathProbe {
public:
    PathProbe(const LaunchContext& context, AskAgent ask) : context_(context), ask_(std::move(ask)) {}
    PathProbe(const PathProbe&) = delete;
    PathProbe& operator=(const PathProbe&) = delete;

    void set_plan(const LaunchPlan& plan);
    void reached(const std::string& node, const NodeFacts& facts);
    /// Refines the verdict on a network fault. Blocks for some seconds.
    void confirm(HangFinding& finding);
    /// Ends what blocks.
    void close() { stop_.request_stop(); }

private:
    PreflightRequest request();

    const LaunchContext& context_;  ///< constant once the run has a plan
    AskAgent ask_;
    std::stop_source stop_;
    std::mutex mutex_;
    LaunchPlan plan_;
    KnownFacts facts_;
};

}  // namespace rankscope
