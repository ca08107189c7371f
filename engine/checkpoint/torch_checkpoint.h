// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/snapshot.h>
#include <engine/optim/optimizer_step.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// Checkpoints as Distribuuuu writes and resumes them (distribuuuu/utils.py, save_checkpoint and
/// load_checkpoint): one file of torch.save for each epoch with {epoch, state_dict, optimizer, best_acc1},
/// and best.pth.tar with the weights alone.
namespace rankscope::engine {

/// OUT_DIR/checkpoints/ckpt_ep_012.pth.tar: after the epoch with this number, counted from 1.
std::filesystem::path torch_checkpoint_path(const std::filesystem::path& folder, std::int64_t epoch);
/// The one with the highest epoch in the folder, by number and not by name (Distribuuuu goes by name, which
/// is wrong from epoch 1000 on); empty: none.
std::filesystem::path newest_torch_checkpoint(const std::filesystem::path& folder);

struct TorchCheckpoint {
    std::vector<TensorRecord> model;  ///< without the prefixes of PyTorch's wrappers
    /// Names as in Snapshot::optimizer; empty when the file has no optimizer, or one without memory.
    std::vector<TensorRecord> optimizer;
    bool has_optimizer = false;
    std::optional<std::int64_t> epoch;  ///< index of the last finished epoch, from 0
    std::optional<double> best_acc1;    ///< percent
    std::optional<std::int64_t> step;   ///< optimizer steps, where the optimizer counts them (Adam)
};

/// Reads a checkpoint, or a plain state dict. PyTorch numbers the optimizer's states:
/// `parameter_names[i]` is the name for number i (the order of model.parameters()). Throws Error naming the
/// file and what is wrong.
TorchCheckpoint read_torch_checkpoint(const std::filesystem::path& path,
                                      std::span<const std::string> parameter_names);

struct TorchCheckpointInfo {
    std::int64_t epoch = 0;   ///< index of the finished epoch, from 0
    double best_acc1 = 0.0;   ///< percent
    OptimizerStep optimizer;  ///< settings, for param_groups; `step` where the optimizer counts (Adam)
    std::vector<std::string> parameter_names;  ///< in the order of model.parameters()
};

/// As a whole or not at all; torch.load, also with weights_only=True, and load_state_dict of model and
/// optimizer take it. Returns its size.
std::uint64_t write_torch_checkpoint(const std::filesystem::path& path, const Snapshot& snapshot,
                                     const TorchCheckpointInfo& info);
/// A state dict alone.
std::uint64_t write_torch_state_dict(const std::filesystem::path& path, std::span<const TensorRecord> model);

}  // namespace rankscope::engine
