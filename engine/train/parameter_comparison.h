// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/comm/process_group.h>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Ranks whose parameters are not those of the others.
struct ParameterDifference {
    std::vector<int> ranks;  ///< ascending; where no value has a majority, those that differ from rank 0
    std::string parameter;   ///< the first one, in the model's order, that differs
};

/// Compares the parameters of all ranks, which data-parallel training keeps the same to the last bit; none: they are the
/// same. Reads every parameter once and sends eight bytes of each. Collective, and the same on every rank. A null group is
/// a world of one.
std::optional<ParameterDifference> compare_parameters(CompiledModel& model, const Graph& graph,
                                                      ProcessGroup* group);

}  // namespace rankscope::engine
