// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/launch/agent_session.h>
#include <remote/desk/runs/launch/ssh/run_meeting.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace rankscope::inline runs {

/// One node's part of a run, on a thread of its own: connect → push → start → stream, and stream again as
/// often as the link is lost.
class NodeTask {
public:
    /// `meeting`: where the nodes of a starting run wait for one another; null: the run is taken up again.
    NodeTask(NodeSpec node, LaunchContext& context, RunMeeting* meeting);
    ~NodeTask();
    NodeTask(const NodeTask&) = delete;
    NodeTask& operator=(const NodeTask&) = delete;

    void start_run();
    void attach(std::uint64_t from_seq);

    /// Any thread, as all below. A stop by the user is passed on by the supervisors as well, for those that
    /// the desk does not reach.
    void request_stop(const StopOrder& order);
    void request_pause(PauseAction action);
    /// A rank failed in this attempt, perhaps on another node; those of this one end. Whether all ranks start
    /// again is decided by the supervisors.
    void report_failure(const std::string& cause, int attempt);
    void ask(wire::Request request, double timeout_s, RunLauncher::OnReply on_reply) {
        session_.ask(std::move(request), timeout_s, std::move(on_reply));
    }
    /// Something that it waits for may have changed.
    void wake() { session_.wake(); }
    void hurry() { session_.hurry(); }
    /// The desk no longer waits for this node: its part ends as lost.
    void conclude_lost(const std::string& detail);
    void leave() { session_.leave(); }
    void join();
    const NodeSpec& node() const { return session_.node(); }
    NodeStatus status() const;

private:
    void run_from_start();
    bool connect();
    bool make_environment();
    bool connected();
    bool checked();
    bool push();
    bool start();
    void stream();
    bool resume();
    void send_requests();
    void send_stop();
    void send_failure();
    void send_pause();
    void send_peers();
    void take(const wire::Reply& reply);
    void note_trouble(const Event& event);
    void end_as_lost(const std::string& detail, bool presumed);
    wire::StartRun spec() const;

    LaunchContext& context_;
    RunMeeting* meeting_;
    AgentSession session_;
    std::string environment_;  ///< folder of the job's Python environment on the node; empty: none
    std::atomic<bool> launching_{false};
    std::atomic<bool> ended_{false};
    std::atomic<std::uint64_t> next_seq_{1};
    std::atomic<bool> supervisor_stopped_{false};
    std::atomic<bool> disk_full_{false};

    std::mutex mutex_;  ///< what was asked by other threads
    std::optional<StopOrder> stop_;
    bool stop_sent_ = false;
    std::string failure_cause_;
    int failed_attempt_ = -1;  ///< -1: none
    int failure_sent_ = -1;
    std::optional<PauseAction> pause_;

    std::thread thread_;
};

}  // namespace rankscope::inline runs
