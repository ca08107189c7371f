// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/agent/container/node_container.h>
#include <remote/agent/hardware/hardware_events.h>
#include <remote/agent/inner/inner_watch.h>
#include <remote/agent/link/peer_link.h>
#include <remote/agent/nccl/nccl_watch.h>
#include <remote/agent/probes/gpu_monitor.h>
#include <remote/agent/probes/host_sampler.h>
#include <remote/agent/ranks/error_file.h>
#include <remote/agent/ranks/exit_cause.h>
#include <remote/agent/ranks/python_environment.h>
#include <remote/agent/ranks/rank_process.h>
#include <remote/agent/ranks/rank_reader.h>
#include <remote/agent/spool/spool.h>
#include <remote/agent/supervise/control_socket.h>
#include <remote/agent/supervise/supervisor.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::agent {

/// The supervisor of a node's part of a run, one thread. Parts: supervisor.cpp (start, loop, end),
/// supervisor_ranks.cpp (what happens to ranks), supervisor_stop.cpp, supervisor_restart.cpp.
class Supervisor {
public:
    Supervisor(RunDir dir, NodePaths paths) : dir_(std::move(dir)), paths_(std::move(paths)) {}

    int run(int ready_fd);

private:
    enum class StopFrom {
        Failure,  ///< of a rank or node: all ranks may be started again
        Outside,  ///< a signal, or the desk for a reason of its own
        User
    };
    struct Stop {
        std::string cause;
        bool by_user = false;
        double deadline = 0;
        bool killed = false;
        double kill_again = 0;
        double checkpoint_until = 0;  ///< SIGTERM waits for the ranks' own end until then; 0: it was sent
        double begun = 0;
        StopFrom first = StopFrom::Failure;  ///< who began it
    };

    AgentResult<void> prepare();
    AgentResult<void> prepare_own_program();
    void report_settings();
    void start_all();
    void loop();
    void signalled(int signal);
    void start_telemetry();
    void sample_if_due();
    void watch_gpus();
    std::map<int, std::uint64_t> memory_of_ranks(const std::vector<NvmlProcess>& processes) const;
    void reap();
    void rank_changed(pid_t pid, int status);
    void watch_container();
    void signal_all(int signal);
    void signal_rank(const RankProcess& rank, int signal);
    void await_own_sigterm();
    void rank_ended(RankProcess& rank, int status);
    bool ended_by_our_stop(const RankProcess& rank, const ErrorFile& said, const wire::Exit& exit) const;
    void rank_stopped(RankProcess& rank, int signal);
    void rank_continued(RankProcess& rank);
    void watch_stopped_ranks();
    void add_evidence(RankProcess& rank, const ErrorFile& said, wire::Exit& exit);
    void pause(bool resume);
    void note_recorded_failures();
    void terminate();
    void handle_request(const wire::Request& request);
    void begin_stop(const std::string& cause, StopFrom from, bool force);
    void prepare_link();
    void notify_peers(const wire::Cause& cause);
    void report_rank_state(const RankProcess& rank, bool stopped);
    wire::Cause cause_of(const RankProcess& rank, const wire::Exit& exit) const;
    void take_peer_news();
    void drive_stop();
    bool may_restart() const;
    bool expects_others() const;
    bool busy() const;
    void drive_restart();
    void begin_attempt();
    void give_up_restart(const std::string& why);
    void finish();
    double next_timeout_s() const;
    bool any_running() const;

    RunDir dir_;
    NodePaths paths_;
    wire::StartRun run_;
    SpoolWriter spool_;
    std::vector<RankProcess> ranks_;
    UniqueFd signals_;
    ControlSocket control_;
    PythonEnvironment python_;
    std::unique_ptr<NodeContainer> container_;  ///< in which the ranks run; null: on the node itself
    RankReader reader_{spool_, ranks_};
    InnerWatch inner_{
        spool_,
        reader_,
        {[this](const RankProcess& rank, const wire::Exit& exit) {
             return ended_by_our_stop(rank, ErrorFile(), exit);
         },
         [this](RankProcess& rank, wire::Exit& exit) { add_evidence(rank, ErrorFile(), exit); }}};
    NcclWatch nccl_{spool_, [this](pid_t pid) { return inner_.rank_above(pid); }};
    std::unique_ptr<PeerLink> link_;
    std::uint16_t link_port_ = 0;
    std::optional<Stop> stop_;
    wire::Cause cause_;  ///< of the run's end, wherever it lies; CAUSE_NONE: none
    OomWatch oom_;
    bool failed_ = false;
    bool paused_ = false;
    bool cannot_start_ = false;  ///< a rank's program: another attempt fails as well
    std::uint32_t attempt_ = 0;
    std::optional<double> restart_until_;  ///< waits so long for the other nodes to be ready, too
    bool restart_refused_ = false;
    double expected_until_ = 0;  ///< the other nodes' links
    bool finished_reported_ = false;
    bool mismatch_reported_ = false;  ///< driver and library of the GPUs
    double flush_retry_ = 0;
    std::optional<HostSampler> host_;  ///< with gpus_: where samples are asked for
    std::optional<GpuMonitor> gpus_;
    HardwareEvents hardware_;
    double next_sample_ = 0;
};
}  // namespace rankscope::agent
