// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/checkpoint/tensor_record.h>
#include <engine/comm/process_group.h>
#include <engine/graph/graph.h>

#include <span>
#include <string>
#include <vector>

namespace rankscope::engine {

/// What keeps these tensors from being the model's weights: each one that is missing, too many or of another
/// shape. Running statistics may be missing (they then start from the beginning).
std::vector<std::string> weight_mismatches(std::span<const TensorRecord> tensors, const Graph& graph);

/// `checkpoint.init_from`: rank 0 reads the file (safetensors, or one of torch.save's) and all ranks get its
/// weights. Throws ConfigError listing every mismatch. Collective; a null group is a world of one.
void load_initial_weights(const std::string& file, CompiledModel& model, const Graph& graph,
                          ProcessGroup* group);

}  // namespace rankscope::engine
