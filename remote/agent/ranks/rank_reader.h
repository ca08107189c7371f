// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/metrics_line.h>
#include <remote/agent/ranks/found_files.h>
#include <remote/agent/ranks/rank_process.h>
#include <remote/agent/spool/spool.h>
#include <remote/observe/metric_lines/pattern.h>

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// Makes events of what this node's ranks say: stdout and stderr, the metrics pipe, files that they write,
/// and metrics out of the lines they print. Writes the log files that the job asks for.
class RankReader {
public:
    RankReader(SpoolWriter& spool, std::vector<RankProcess>& ranks) : spool_(spool), ranks_(ranks) {}

    /// Opens the folder of log files. A failure names it.
    AgentResult<void> prepare(const wire::StartRun& run);
    /// Before the ranks of an attempt start: reads the rest of the one before, takes stock of the files
    /// that are there.
    void begin_attempt(const wire::StartRun& run, bool first);
    /// Before this rank starts.
    void begin(RankProcess& rank, const wire::StartRun& run);
    /// The same for a rank that a program has started: it has no log files.
    void begin_inner(RankProcess& rank, const wire::StartRun& run);
    /// It is no more: after finish().
    void forget_inner(const RankProcess& rank);
    /// What has come since; never blocks.
    void read();
    /// Of one rank, whoever has started it.
    void read(RankProcess& rank);
    /// The rank has ended; what it wrote before that is still in its pipes.
    void finish(RankProcess& rank, bool well);
    /// Their files up to the ends.
    void finish_files(bool run_ended_well);
    /// When there will be something to do though no rank says more, on monotonic_s()'s clock.
    double due_s() const;
    static double due_s(const RankProcess& rank);

private:
    void begin_lines(RankProcess& rank, const wire::StartRun& run) const;
    void open_logs(RankProcess& rank);
    void write_logs(RankProcess& rank, bool is_stderr, std::string_view text);
    void read_output(RankProcess& rank, UniqueFd& fd, bool is_stderr);
    void take_text(RankProcess& rank, bool is_stderr, std::string_view text);
    void sort_lines(RankProcess& rank, bool is_stderr, std::string_view text);
    void flush_unsorted(RankProcess& rank);
    void emit_lines(RankProcess& rank, LineBuffer& lines, bool is_stderr, bool all);
    void read_metrics(RankProcess& rank);
    void take_metrics_line(RankProcess& rank, std::string_view line);
    void read_files(bool all);
    void emit_metrics(RankProcess& rank, const std::vector<MetricsLine>& lines);
    void emit_metric(RankProcess& rank, const MetricsLine& line);
    void note_first_metric(RankProcess& rank, const MetricsLine& line);
    RankProcess* find_rank(int number);
    void offer_lines(RankProcess& rank, bool ended);

    SpoolWriter& spool_;
    std::vector<RankProcess>& ranks_;
    LogFolder logs_;
    std::vector<metric_lines::Pattern> patterns_;
    std::unique_ptr<FoundFiles> files_;  ///< null: not asked for
    std::vector<RankProcess*> inner_;    ///< that a program has started
};

}  // namespace rankscope::agent
