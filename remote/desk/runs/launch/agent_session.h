// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/wake_fd.h>
#include <remote/desk/nodes/session/node_connection.h>
#include <remote/desk/runs/launch/agent_requests.h>
#include <remote/desk/runs/launch/backoff.h>
#include <remote/desk/runs/launch/launch_context.h>
#include <remote/desk/runs/launch/run_launcher.h>

#include <atomic>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>

namespace rankscope::inline runs {

/// A launcher's conversation with the agent of one node: connect, push, then listen and reconnect as often as
/// the link is lost. Reports every change of the link as a LinkEvent. Its methods belong to one thread, except
/// where they say otherwise.
class AgentSession {
public:
    AgentSession(NodeSpec node, LaunchContext& context);
    AgentSession(const AgentSession&) = delete;
    AgentSession& operator=(const AgentSession&) = delete;

    /// The first connection. `attaching`: a failure is not the run's; follow() tries again.
    Result<void> connect(bool attaching);
    /// Bundle and files of push:, as far as the job has them, with a note of what was sent.
    Result<void> push(bool with_bundle);
    /// The image of container:, where the node does not have it, which may take long. `abandoned`: the run does not start.
    Result<void> pull_image(const std::function<bool()>& abandoned);
    /// What of push() the ranks run from, or load a library of; nothing where none was pushed.
    const std::optional<WorkerBundle>& bundle() const { return bundle_; }
    /// Where the files of push: are on the node, absolute; empty: none are pushed.
    const std::string& pushed_folder() const { return pushed_folder_; }

    struct Following {
        std::function<bool()> wanted;  ///< false: the run is over here
        /// Asks the agent for the events again. false: the run is over here, or the link is lost again.
        std::function<bool()> resume;
        std::function<void()> before_wait;                ///< sends what is to be said
        std::function<void(const wire::Reply&)> unasked;  ///< events and states
    };
    /// Until nothing more is wanted, or leave().
    void follow(const Following& following);

    /// The reply of a request that may take long; `look` is called every fifth of a second. Fails with "cancelled" once
    /// `abandoned`: the run does not start.
    Result<wire::Reply> call_long(wire::Request request, const std::function<bool()>& abandoned,
                                  const std::function<void()>& look);
    /// Until `done`, which wake() lets it ask again: only answers ask(). false: the link is lost, or leave().
    bool serve_until(const std::function<bool()>& done);
    /// Any thread: a request of its own, beside the events (RunLauncher::ask).
    void ask(wire::Request request, double timeout_s, RunLauncher::OnReply on_reply);

    AgentLink& link() { return *connection_.link; }
    bool connected() const { return connection_.link != nullptr; }
    const NodeFacts& facts() const { return connection_.facts; }
    const NodeSpec& node() const { return node_; }
    AgentLink::Progress progress(StageName stage);
    /// "node2: …" as a note of the desk.
    void note(const std::string& detail);

    /// Any thread: something is to be said. Ends a wait, also the one before the next attempt.
    void wake();
    /// Any thread: the next attempts follow soon.
    void hurry();
    /// Any thread: ends the conversation, not the run.
    void leave();
    bool leaving() const { return stop_.stop_requested(); }
    std::stop_token stop_token() const { return stop_.get_token(); }
    /// Any thread.
    NodeStatus status() const;

private:
    bool reconnect();
    void wait_before_retry(double wait_s);
    void seen();
    void report(LinkState state, double retry_in_s = 0);
    void take_connection(NodeConnection connection);
    Result<void> push_bundle_files();
    Result<void> push_own_files();

    NodeSpec node_;
    LaunchContext& context_;
    NodeConnection connection_;
    WakeFd wake_;
    std::stop_source stop_;
    AgentRequests requests_;
    Backoff backoff_;
    std::optional<WorkerBundle> bundle_;
    std::string pushed_folder_;
    Failure failure_;  ///< of the last attempt; no code: it succeeded
    std::atomic<unsigned> woken_{0};
    std::atomic<bool> hurry_{false};
    std::atomic<bool> linked_{false};
    std::atomic<double> seen_s_;
    std::atomic<std::int64_t> seen_us_{0};
    LinkState reported_ = LinkState::Linked;
};

}  // namespace rankscope::inline runs
