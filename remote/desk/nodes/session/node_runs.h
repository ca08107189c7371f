// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/session/agent_link.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// Of a run that a launcher has submitted on this node; its ranks are on nodes that the launcher chooses.
struct SubmittedRun {
    std::string launcher;  ///< as job files name it
    std::uint64_t job_id = 0;
    int nodes = 0;
    int ranks_per_node = 0;
    bool waiting = false;  ///< no rank has started, and may yet
};

/// A run as its node knows it, whichever computer started it.
struct NodeRun {
    std::string run_id;
    std::string name;
    Outcome state = Outcome::Lost;
    std::int64_t started_us = 0;  ///< by the node's clock
    std::string desk;             ///< who started it: user@computer
    int processes = 0;            ///< that are left of it
    std::uint64_t last_seq = 0;   ///< of its events; 0: none yet
    std::int64_t ended_us = 0;    ///< by the node's clock; 0: its part is not over
    std::uint64_t spool_bytes = 0;
    std::vector<std::string> nodes =
        {};                  ///< of the whole run, as the desk that started it names them; empty: not known
    bool elsewhere = false;  ///< of another Rankscope of this user, which has its own cache folder there
    std::optional<SubmittedRun> submitted = std::nullopt;  ///< nothing: this node is one of its nodes
};

/// Newest first. Blocks, as all of these, until the agent answers.
Result<std::vector<NodeRun>> runs_on_node(AgentLink& link, double timeout_s = 60);

/// One of them. "no-such-run": `node` does not have it.
Result<NodeRun> run_on_node(AgentLink& link, const std::string& node, const std::string& run_id);

/// What a node does about a stop.
struct NodeStop {
    bool was_running = false;  ///< or waited
    std::uint64_t job_id = 0;  ///< of the scheduler that ends it; 0: its supervisors do
};
/// "alpha: the supervisor of R stops it", "alpha: Slurm ends job 12 of R", "alpha: R was not running".
std::string describe(const NodeStop& stop, const std::string& node, const std::string& run);

/// Stops a run on all its nodes through one of them: the supervisors notify each other, or the scheduler ends them.
/// `force`: SIGKILL at once. "no-such-run": `node` does not have it.
Result<NodeStop> stop_run_on_node(AgentLink& link, const std::string& node, const std::string& run_id,
                                  bool force);

struct NcclLevelChange {
    std::uint32_t level = 0;  ///< 0 pauses, 1 light, 2 auto, 3 full
    std::vector<int> ranks;   ///< empty: all
};
/// How much of NCCL is observed in a run from now on. Whether it is running there.
Result<bool> set_nccl_level_on_node(AgentLink& link, const std::string& run_id,
                                    const NcclLevelChange& change);

}  // namespace rankscope::inline nodes
