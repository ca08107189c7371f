// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// Which rank of how many a process is.
struct RankIdentity {
    int rank = -1;
    int world_size = 0;
    int local_rank = -1;  ///< -1: not said

    bool operator==(const RankIdentity&) const = default;
};

/// What a process's environment says of ranks in variables that are not as in the environment `above` it, of the process
/// that has started it: launchers set RANK and its kin for each rank that they start, helpers inherit them. Environments
/// as /proc has them: entries separated by NUL. `nodes`: of the run, for launchers that set the local rank alone.
std::optional<RankIdentity> identity_beyond(std::string_view environment, std::string_view above, int nodes);

/// The variables that tell ranks, as this environment has them: "RANK=0;WORLD_SIZE=2;LOCAL_RANK;…", without '=' where
/// there is none.
std::string rank_variables(std::string_view environment);

}  // namespace rankscope::agent
