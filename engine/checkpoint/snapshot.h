// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/tensor_record.h>
#include <engine/checkpoint/training_position.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::engine {

/// A training run at the boundary between two steps, as a plain value: the same on every rank.
struct Snapshot {
    std::vector<TensorRecord> model;      ///< PyTorch's names, canonical layout: parameters, then buffers
    std::vector<TensorRecord> optimizer;  ///< "state.conv1.weight.momentum_buffer"
    TrainingPosition position;

    bool operator==(const Snapshot&) const = default;
};

/// "state.conv1.weight.momentum_buffer": how PyTorch names optimizer states when it flattens them
/// (torch.distributed.checkpoint.state_dict, flatten_optimizer_state_dict).
std::string optimizer_tensor_name(std::string_view parameter, std::string_view state);

struct OptimizerTensorName {
    std::string parameter;
    std::string state;
};
/// Its parts; both empty when it is no such name.
OptimizerTensorName split_optimizer_tensor_name(std::string_view name);

/// Names everything in it, whatever the order of the tensors: equal exactly where the contents are. 32 hex
/// digits (XXH3-128: against accidents, not against forgery).
std::string digest_of(const Snapshot& snapshot);

}  // namespace rankscope::engine
