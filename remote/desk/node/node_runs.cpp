// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/node/node_runs.h>
#include <remote/desk/text.h>
#include <remote/wire/event_wire.h>

#include <algorithm>

namespace rankscope {
namespace {

constexpr const char* kContext = "RunsOnNodes";

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
                        entry.elsewhere()});
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

Result<bool> stop_run_on_node(AgentLink& link, const std::string& node, const std::string& run_id,
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
    return reply->stopping().was_running();
}

Result<bool> set_nccl_level_on_node(AgentLink& link, const std::string& run_id,
                                    const NcclLevelChange& change) {
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

}  // namespace rankscope
