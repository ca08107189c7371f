// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/tensor_record.h>

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine {

/// The weights in a file of either kind, distinguished by its first bytes: safetensors, or torch.save's (a state
/// dict, or a checkpoint with an entry "state_dict"). Prefixes of PyTorch's wrappers are taken off the names.
/// Throws Error naming the file and what is wrong.
std::vector<TensorRecord> read_state_dict(const std::filesystem::path& path);

/// By the name's end: ".safetensors"; ".pt", ".pth", ".tar", ".bin" as torch.save. As a whole or not at all.
/// Throws ConfigError for another end.
void write_state_dict(const std::filesystem::path& path, std::span<const TensorRecord> tensors);

}  // namespace rankscope::engine
