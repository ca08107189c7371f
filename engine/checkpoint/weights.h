// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/tensor_record.h>

#include <filesystem>
#include <vector>

namespace rankscope::engine {

/// The weights at a path that a user names: a file of read_state_dict(), a checkpoint (step_00001234), or a folder of
/// checkpoints, of which the newest that is whole is taken. A GPT-2's get the engine's layout (gpt2_layout.h). Throws
/// Error naming the file and what is wrong.
std::vector<TensorRecord> read_weights(const std::filesystem::path& path);

}  // namespace rankscope::engine
