// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/agent/node/line_buffer.h>
#include <remote/agent/node/node_paths.h>
#include <remote/agent/ranks/crash_dump.h>
#include <remote/agent/ranks/exit_cause.h>
#include <remote/agent/ranks/python_environment.h>
#include <remote/agent/ranks/rank_logs.h>
#include <remote/observe/metric_lines/line_metrics.h>
#include <remote/observe/metric_lines/series_merge.h>
#include <remote/wire/frames.pb.h>

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// One rank: its process, its pipes, and what was heard of it.
struct RankProcess {
    wire::RankSpec spec;
    pid_t pid = -1;
    UniqueFd out;
    UniqueFd err;
    UniqueFd metrics;  ///< read end of the FIFO; opened read-write so that it never reports end of file
    LineBuffer out_lines;
    LineBuffer err_lines;
    std::string metrics_lines;
    LastLines last_lines;
    RankLogs logs;
    std::optional<metric_lines::LineMetrics>
        printed;                      ///< metrics from what it prints; nothing: not asked for
    metric_lines::SeriesMerge merge;  ///< of its lines and its files
    TracebackReader traceback;
    CrashDumpReader crash;
    bool recorded_before_stop = false;  ///< its error file was there when the node's ranks were stopped
    double traceback_at = 0;            ///< when the last one was read, monotonic seconds
    double stopped_since = 0;           ///< by a signal, not by us; 0: it runs
    int stop_signal = 0;
    bool stop_reported = false;
    double quiet_since = 0;             ///< when the last byte of an unfinished line came
    std::filesystem::path nccl_plugin;  ///< with nccl_folder; empty: NCCL is not observed
    std::filesystem::path nccl_folder;
    int bad_metrics = 0;
    bool first_metric_seen = false;
    bool exited = false;
    std::uint16_t ras_port = 0;  ///< of NCCL's RAS service on this node; 0: NCCL's own choice
    /// The rank of the run that it stands for, or whose output it shares, where its program has started ranks of its own; -1:
    /// none has been found.
    int stands_for = -1;
    bool shares_output = false;  ///< with the ranks that its program has started
    /// Of a line that it shares: whose it is; nullptr: that is not known. None: the output is its own.
    std::function<RankProcess*(std::string_view line)> owner_of;
    std::string out_unsorted;  ///< the beginning of a line, where there is an owner_of
    std::string err_unsorted;

    bool running() const { return pid > 0 && !exited; }
    /// As the events of the run number it.
    int number() const { return stands_for >= 0 ? stands_for : spec.rank(); }
};

/// The program of a rank as a child of this process: own session, parent-death signal SIGKILL, stdin from /dev/null. Needs
/// `spec`, `ras_port`, `nccl_plugin` and `nccl_folder` of the rank. On failure: what, and errno's text.
AgentResult<pid_t> fork_rank(const RankProcess& rank, const wire::StartRun& run, const RunDir& dir,
                             const NodePaths& paths, const PythonEnvironment& python, int out, int err);

/// Starts the program of a rank with these descriptors as stdout and stderr; its process id on this node.
using StartProgram = std::function<AgentResult<pid_t>(const RankProcess& rank, int out, int err)>;

/// Starts the rank: pipes of its stdout and stderr, the FIFO of RANKSCOPE_METRICS, the error file of
/// TORCHELASTIC_ERROR_FILE, and the program by `start`.
AgentResult<void> start_rank(RankProcess& rank, const RunDir& dir, const StartProgram& start);

/// As a shell finds it: a name with '/' counts from the workdir, any other is looked for in the folders of `path`. One that
/// cannot be executed is found where there is no other. Empty: not found.
std::string find_program(const std::string& name, const std::string& path,
                         const std::filesystem::path& workdir);

/// The file of TORCHELASTIC_ERROR_FILE.
std::filesystem::path error_file_of(const RunDir& dir, int rank);

}  // namespace rankscope::agent
