// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/node_runs.h>
#include <remote/desk/shared/text.h>
#include <remote/wire/event_wire.h>

#include <algorithm>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "RunsOnNodes";
constexpr std::uint64_t kMostRanks = 16384;

std::optional<SubmittedRun> submitted_of(const wire::RunEntry& entry) {
    if (!entry.has_slurm()) {
        return std::nullopt;
    }
    const auto& slurm = entry.slurm();
    const std::uint64_t ranks = std::uint64_t{slurm.nodes()} * slurm.ranks_per_node();
    const bool plausible = ranks <= kMostRanks && slurm.nodes() <= kMostRanks;
    return SubmittedRun{"slurm", slurm.job_id(), plausible ? static_cast<int>(slurm.nodes()) : 0,
                        plausible ? static_cast<int>(slurm.ranks_per_node()) : 0, slurm.waiting()};
}

}  // namespace

Result<std::vector<NodeRun>> runs_on_node(AgentLink& link, double timeout_s) {
    wire::Request request;
    request.mutable_list_runs();
    auto reply = link.call(std::move(request), timeout_s);
    if (!reply) {
        return reply.failure();
    }
    std::vector<NodeRun> runs;
    for (const auto& entry : reply->runs().runs()) {
        runs.push_back({entry.run_id(),
                        entry.name(),
                        enum_from_number<Outcome>(entry.state()).value_or(Outcome::Lost),
                        entry.started_us(),
                        entry.desk(),
                        entry.pids_size(),
                        entry.last_seq(),
                        entry.ended_us(),
                        entry.spool_bytes(),
                        {entry.nodes().begin(), entry.nodes().end()},
                        entry.elsewhere(),
                        submitted_of(entry)});
    }
    std::stable_sort(runs.begin(), runs.end(),
                     [](const NodeRun& a, const NodeRun& b) { return a.started_us > b.started_us; });
    return runs;
}

Result<NodeRun> run_on_node(AgentLink& link, const std::string& node, const std::string& run_id) {
    auto runs = runs_on_node(link);
    if (!runs) {
        return runs.failure();
    }
    for (NodeRun& run : *runs) {
        if (run.run_id == run_id) {
            return std::move(run);
        }
    }
    return Failure{"no-such-run", node, text(kContext, "There is no run %1.", {run_id}),
                   text(kContext, "`rankscopectl runs list %1` shows what is there.", {node}), ""};
}

std::string describe(const NodeStop& stop, const std::string& node, const std::string& run) {
    if (!stop.was_running) {
        return text(kContext, "%1: %2 was not running", {node, run});
    }
    return stop.job_id != 0
               ? text(kContext, "%1: Slurm ends job %2 of %3", {node, std::to_string(stop.job_id), run})
               : text(kContext, "%1: the supervisor of %2 stops it", {node, run});
}

Result<NodeStop> stop_run_on_node(AgentLink& link, const std::string& node, const std::string& run_id,
                                  bool force) {
    if (const auto found = run_on_node(link, node, run_id); !found) {
        return found.failure();
    }
    wire::Request request;
    auto* stop = request.mutable_stop_run();
    stop->set_run_id(run_id);
    stop->set_force(force);
    stop->set_everywhere(true);
    stop->set_cause(text(kContext, "stopped by the user"));
    const auto reply = link.call(std::move(request));
    if (!reply) {
        return reply.failure();
    }
    return NodeStop{reply->stopping().was_running(), reply->stopping().slurm_job()};
}

Result<bool> set_nccl_level_on_node(AgentLink& link, const std::string& run_id,
                                    const NcclLevelChange& change) {
    const auto run = run_on_node(link, "", run_id);
    if (!run && run.failure().code != "no-such-run") {
        return run.failure();
    }
    if (run && run->submitted) {
        return Failure{"bad-request", "",
                       text(kContext, "The NCCL level of a run under Slurm cannot be changed."),
                       text(kContext, "Set nccl_profiler: in the job, and start it again."), ""};
    }
    wire::Request request;
    auto* wanted = request.mutable_set_nccl_level();
    wanted->set_run_id(run_id);
    wanted->set_level(change.level);
    for (const int rank : change.ranks) {
        wanted->add_ranks(rank);
    }
    const auto reply = link.call(std::move(request));
    if (!reply) {
        return reply.failure();
    }
    return reply->delivered().was_running();
}

}  // namespace rankscope::inline nodes
