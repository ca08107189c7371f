// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

namespace rankscope::engine::distribuuuu {

using Lookup = std::function<std::optional<std::string>(const std::string&)>;

/// The variables that torchrun would have set, made of Slurm's (srun starts one task per rank): RANK,
/// WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR (the first host) and MASTER_PORT (29566), each
/// unless it is set already; nothing outside a Slurm job. LOCAL_RANK is SLURM_LOCALID: Distribuuuu's own rank
/// % GPUs is wrong where nodes differ. Throws ConfigError naming the variable that is missing or no number.
std::map<std::string, std::string> slurm_environment(const Lookup& variable);

/// "node[03-07,9],gpu1" → "node03"; the text itself when it is one name.
std::string first_host(const std::string& node_list);

}  // namespace rankscope::engine::distribuuuu
