// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/ranks/rank_identity.h>
#include <remote/wire/frames.pb.h>

#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// A process of the tree of a rank, with what it says of itself.
struct TreeProcess {
    pid_t pid = 0;
    pid_t parent = 0;
    std::string environment;  ///< when it was started, as /proc has it
    std::string told;         ///< by the hook in it (ranks/sitecustomize.py); empty: nothing yet
};

/// A process of the tree that is a rank of its own.
struct InnerRankFound {
    pid_t pid = 0;
    RankIdentity identity;
    wire::InnerRankSource source = wire::INNER_ENVIRONMENT;
};

/// "torch 1 2", or "set RANK=1;WORLD_SIZE=2;…" of a process that began with this environment.
bool parse_told(std::string_view told, std::string_view environment, int nodes, InnerRankFound& found);

/// Which processes of a rank's tree are ranks: those that say so themselves, and those whose launcher has set variables
/// for them that their parent does not have. `tree`: the rank's own process first, parents before children. Only groups
/// of more than `world_size` ranks, the run's, count: a smaller one is the program's own affair.
///
/// A launcher that is rank 0 itself (Lightning) sets no variables for itself: where its children are the ranks from 1 on,
/// it is rank 0. `known`: ranks that were found before; one of them that is missing has ended.
std::vector<InnerRankFound> inner_ranks_in(const std::vector<TreeProcess>& tree, int world_size, int nodes,
                                           const std::vector<int>& known);

}  // namespace rankscope::agent
