// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/run/backoff.h>
#include <remote/desk/run/node_task.h>

#include <atomic>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace rankscope {

/// A run that Slurm starts, on a thread of its own, through the agent of one login node: connect → push →
/// submit → wait in the queue → follow. The supervisors of the nodes write their events into the run's
/// folder, which login node and nodes share; the login node's agent sends them all, with the job's state.
class SlurmTask {
public:
    struct Hooks {
        std::function<void()> submitted;                 ///< the run no longer needs this program
        std::function<void(const Failure& why)> failed;  ///< over, for this reason
        std::function<void()> ended;                     ///< over, as the ranks' exits tell
    };

    SlurmTask(NodeSpec login, RunContext& context, LaunchPlan plan, Hooks hooks);
    ~SlurmTask();
    SlurmTask(const SlurmTask&) = delete;
    SlurmTask& operator=(const SlurmTask&) = delete;

    void start_run();
    /// Takes up a submitted run: `past` is what the store has of it.
    void attach(const std::vector<Event>& past);
    /// Any thread. 1: as a stop over SSH; 2: SIGKILL at once. A job that waits is cancelled.
    void request_stop(int strength, const std::string& cause, bool by_user);
    /// Any thread: ends the conversation, not the run.
    void leave();
    void join();

private:
    enum class Phase { Connecting, Submitting, Submitted };

    void run_from_start();
    void run_attached();
    bool connect();
    bool push();
    bool submit();
    void follow();
    bool follow_once();
    bool reconnect();
    void give_up(const char* stage, const Failure& failure);
    bool enter(Phase phase);
    void send_stop_if_asked();
    void take(const wire::Reply& reply);
    void take_events(const wire::EventBatch& batch);
    void take_state(const wire::SlurmState& state);
    void note_start(const Event& event);
    void finish_start();
    void conclude(const wire::SlurmState& state);
    wire::StartRun spec() const;
    void post(const char* stage, StageStatus status, const std::string& detail = {}, double progress = -1);
    AgentLink::Progress progress(const char* stage);

    NodeSpec login_;
    RunContext& context_;
    LaunchPlan plan_;
    Hooks hooks_;
    NodeConnection connection_;
    WakeFd wake_;
    std::stop_source stop_;
    std::mutex mutex_;  ///< phase, what was asked
    Phase phase_ = Phase::Connecting;
    std::string stop_cause_;
    bool stop_by_user_ = false;
    std::atomic<int> stop_strength_{0};
    int stop_sent_ = 0;
    std::uint64_t stop_reply_ = 0;
    Backoff backoff_;
    std::map<std::string, std::uint64_t> next_seqs_;
    std::string pushed_folder_;  ///< on the shared file system; empty: nothing is pushed
    std::string queue_text_;
    bool allocated_ = false;
    bool started_ = false;
    std::set<int> ranks_started_;
    bool rank_failed_ = false;
    bool ended_by_signal_ = false;  ///< a supervisor ended its ranks for a signal that nobody explained
    bool over_ = false;
    std::thread thread_;
};

}  // namespace rankscope
