// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/result.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/diagnosis/verdict.h>
#include <remote/logs/grammar/log_line.h>
#include <remote/logs/story/story.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::inline runs {

class RunStore;
struct RunRecord;

/// The names and addresses that machines have in logs → the nodes that they are.
class HostNames {
public:
    void note(std::string_view host, const std::string& node);
    /// The addresses of its nodes.
    void note(const LaunchPlan& plan);
    void replace_in(Verdict& verdict) const;

private:
    std::map<std::string, std::string, std::less<>> nodes_;  ///< empty: of several nodes
};

/// Where the content of a run goes, in its order. Only `line` must be set.
struct RunSink {
    logs::LineSink line;
    std::function<void(const logs::ReportedStep&)> step = {};        ///< of metrics
    std::function<void(logs::ProcessExit)> exit = {};                ///< how a rank ended
    std::function<void(const RunRecord&, const Event&)> event = {};  ///< every event
};

/// Events of a run → the lines that its ranks printed. Each rank is a source, numbered in the order of their first
/// lines; its lines count as in the window. Memory is bounded: a line keeps its first 32 KiB. One thread at a time.
class RunOutput {
public:
    /// `first`: the place of the first source in a list of all.
    RunOutput(std::string run_id, std::uint32_t first, RunSink sink);
    RunOutput(std::string run_id, std::uint32_t first, logs::LineSink sink)
        : RunOutput(std::move(run_id), first, RunSink{.line = std::move(sink)}) {}
    ~RunOutput();
    RunOutput(const RunOutput&) = delete;
    RunOutput& operator=(const RunOutput&) = delete;

    /// Other events than output, metrics and exits of ranks are ignored.
    void take(const Event& event);
    /// So many lines of a rank are not here; they count.
    void skip(int rank, std::uint64_t lines);
    /// Lines without an end, as the last ones of their ranks.
    void finish();

    /// "RUN/rank3": what rank 3 printed, its first line is line 1.
    const std::vector<std::string>& sources() const { return sources_; }
    /// The rank of each source.
    const std::vector<int>& ranks() const { return ranks_; }
    /// The nodes of the hosts that printed lines.
    const HostNames& names() const { return names_; }

private:
    class OfRank;
    OfRank& of(int rank);

    std::string run_id_;
    std::uint32_t first_;
    RunSink sink_;
    std::vector<std::string> sources_;
    std::vector<int> ranks_;
    HostNames names_;
    std::map<int, std::unique_ptr<OfRank>> of_rank_;
};

/// A run of the store, as a diagnosis reads it.
struct RunLines {
    std::vector<std::string> sources;  ///< see RunOutput
    HostNames names;                   ///< the nodes of the hosts and addresses that lines name
    std::vector<Verdict> verdicts;     ///< what the run itself measured by its end
};

/// Gives every line that the ranks of a stored run printed to the sink, those of one rank in order, and its steps and
/// exits among them; `first` is the place of the first source in the list of all. Failure: there is no such run, or the store cannot be read.
Result<RunLines> read_run_lines(const RunStore& store, const std::string& run_id, std::uint32_t first,
                                const RunSink& sink, const std::stop_token& stop);

}  // namespace rankscope::inline runs
