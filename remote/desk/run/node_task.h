// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/wake_fd.h>
#include <remote/desk/deploy/user_tree.h>
#include <remote/desk/node/node_connection.h>
#include <remote/desk/plan/launch_plan.h>
#include <remote/desk/run/backoff.h>
#include <remote/desk/run/run_meeting.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

namespace rankscope {

class EventPump;
class SessionPool;

/// What all nodes of one run share.
struct RunContext {
    std::string run_id;
    std::string token;
    Job job;
    Inventory inventory;
    std::optional<WorkerBundle> bundle;
    /// The files of push:, read once for all nodes by the one that comes first; `tree_mutex` around both.
    std::mutex tree_mutex;
    std::optional<Result<UserTree>> tree;
    Prompter prompter;
    std::shared_ptr<SessionPool> sessions;  ///< may be null
    EventPump* pump = nullptr;
    RunMeeting* meeting = nullptr;
    std::function<void(const std::string& node, const NodeFacts& facts)> facts;
};

/// One node's part of a run, on a thread of its own: connect → push → start → stream, and reconnect → stream
/// as often as the link is lost. A blocking conversation, told to stop or to leave through flags and a
/// WakeFd.
class NodeTask {
public:
    NodeTask(NodeSpec node, RunContext& context);
    ~NodeTask();
    NodeTask(const NodeTask&) = delete;
    NodeTask& operator=(const NodeTask&) = delete;

    void start_run();
    void attach(std::uint64_t from_seq);
    /// Any thread. 1: SIGTERM, grace, SIGKILL; 2: SIGKILL at once.
    /// `by_user`: the supervisors tell one another as well, for those that the desk does not reach.
    void request_stop(int strength, const std::string& cause, bool by_user = false);
    /// Any thread: SIGSTOP to all processes of the ranks, or SIGCONT.
    void request_pause(bool resume);
    /// Any thread: a rank failed in this attempt, perhaps on another node; those of this one end. Whether all
    /// start again is the supervisors' business.
    void tell_failure(const std::string& cause, int attempt);
    /// Any thread: the other nodes have lost this one, and their parts are over. If this computer cannot
    /// reach it either, it is not waited for.
    void presume_lost();
    /// Any thread: ends the conversation, not the run.
    void leave();
    void join();
    const NodeSpec& node() const { return node_; }
    /// Any thread: ranks are being started here, or were.
    bool launching() const { return launching_; }

private:
    void run_from_start();
    void run_attached();
    bool connect(const char* stage);
    bool push();
    bool push_files();
    const Result<UserTree>& collect_files();
    bool start();
    void stream();
    bool stream_once();
    bool reconnect();
    void wait_before_retry(double wait_s);
    bool give_up(double since);
    void send_stop_if_asked();
    void send_failure_if_told();
    void send_peers();
    void send_pause_if_asked();
    void take(const wire::Reply& reply);
    wire::StartRun spec() const;
    AgentLink::Progress progress(const char* stage);
    void note(const std::string& detail);

    NodeSpec node_;
    RunContext& context_;
    NodeConnection connection_;
    WakeFd wake_;
    std::stop_source stop_;
    std::atomic<int> stop_strength_{0};
    std::atomic<bool> stop_by_user_{false};
    std::atomic<bool> presumed_lost_{false};
    enum class Pause { None, Pause, Continue };
    std::atomic<Pause> pause_{Pause::None};
    std::atomic<bool> launching_{false};
    int stop_sent_ = 0;
    std::mutex cause_mutex_;
    std::string stop_cause_;
    std::atomic<int> failed_attempt_{-1};  ///< -1: none
    int failure_sent_ = -1;
    std::string failure_cause_;  ///< under cause_mutex_
    std::uint64_t next_seq_ = 1;
    Backoff backoff_;
    bool ended_ = false;
    std::string pushed_folder_;  ///< on the node; empty: nothing is pushed
    std::thread thread_;
};

}  // namespace rankscope
