// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/base/wake_fd.h>
#include <remote/node/node_connection.h>
#include <remote/plan/launch_plan.h>
#include <remote/run/run_meeting.h>

#include <atomic>
#include <functional>
#include <map>
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
    void request_stop(int strength, const std::string& cause);
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
    bool start();
    void stream();
    bool stream_once();
    bool reconnect();
    void send_stop_if_asked();
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
    std::atomic<bool> launching_{false};
    int stop_sent_ = 0;
    std::mutex cause_mutex_;
    std::string stop_cause_;
    std::uint64_t next_seq_ = 1;
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace rankscope
