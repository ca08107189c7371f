// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/tensor_record.h>

#include <vector>

/// The weights of a GPT-2 as Hugging Face's transformers stores them (modeling_gpt2.py) and as the engine, nanoGPT and
/// llm.c do: transformers keeps the weights of linear layers transposed ([in, out], its class Conv1D), and adds the
/// causal masks as buffers; some of its files lack the prefix "transformer.". All have the head's weight at most once
/// more, as it is that of the token table.
namespace rankscope::engine {

/// Whether these are a GPT-2's, of either kind.
bool is_gpt2(const std::vector<TensorRecord>& tensors);
/// The engine's names and shapes; tensors of another network are left alone.
std::vector<TensorRecord> to_engine_layout(std::vector<TensorRecord> tensors);
/// transformers' names and shapes. Precondition: is_gpt2(tensors), in the engine's layout.
std::vector<TensorRecord> to_transformers_layout(std::vector<TensorRecord> tensors);

/// With lm_head.weight, the token table once more, which a PyTorch module with a tied weight has in its state dict, so that
/// load_state_dict() asks for it; tensors of another network are left alone.
std::vector<TensorRecord> with_head(std::vector<TensorRecord> tensors);

}  // namespace rankscope::engine
