// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/gpt2_layout.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace rankscope::engine {
namespace {

constexpr std::string_view kModulePrefix = "transformer.";
constexpr std::string_view kHead = "lm_head.weight";

bool is_linear_weight(std::string_view name) {
    constexpr std::array kLinear{std::string_view("attn.c_attn.weight"),
                                 std::string_view("attn.c_proj.weight"), std::string_view("mlp.c_fc.weight"),
                                 std::string_view("mlp.c_proj.weight")};
    return std::any_of(kLinear.begin(), kLinear.end(),
                       [&](std::string_view end) { return name.ends_with(end); });
}

void transpose(TensorRecord& tensor) {
    const auto rows = static_cast<std::size_t>(tensor.shape[0]);
    const auto columns = static_cast<std::size_t>(tensor.shape[1]);
    const std::size_t size = size_of(tensor.dtype);
    std::vector<std::byte> turned(tensor.bytes.size());
    for (std::size_t row = 0; row < rows; ++row) {
        for (std::size_t column = 0; column < columns; ++column) {
            std::memcpy(turned.data() + (column * rows + row) * size,
                        tensor.bytes.data() + (row * columns + column) * size, size);
        }
    }
    tensor.bytes = std::move(turned);
    std::swap(tensor.shape[0], tensor.shape[1]);
}

void transpose_linear_weights(std::vector<TensorRecord>& tensors) {
    for (TensorRecord& tensor : tensors) {
        if (is_linear_weight(tensor.name) && tensor.shape.size() == 2) {
            transpose(tensor);
        }
    }
}

const TensorRecord* first_attention(const std::vector<TensorRecord>& tensors) {
    const auto found = std::find_if(tensors.begin(), tensors.end(), [](const TensorRecord& tensor) {
        return (tensor.name == "h.0.attn.c_attn.weight" ||
                tensor.name == "transformer.h.0.attn.c_attn.weight") &&
               tensor.shape.size() == 2;
    });
    return found == tensors.end() ? nullptr : &*found;
}

/// The causal mask and the value behind it, which some versions of transformers store.
bool is_mask(std::string_view name) {
    return name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias");
}

}  // namespace

bool is_gpt2(const std::vector<TensorRecord>& tensors) {
    return first_attention(tensors) != nullptr;
}

std::vector<TensorRecord> to_engine_layout(std::vector<TensorRecord> tensors) {
    const TensorRecord* const attention = first_attention(tensors);
    if (attention == nullptr) {
        return tensors;
    }
    const bool transposed = attention->shape[1] == 3 * attention->shape[0];
    std::erase_if(tensors,
                  [](const TensorRecord& tensor) { return tensor.name == kHead || is_mask(tensor.name); });
    for (TensorRecord& tensor : tensors) {
        if (!tensor.name.starts_with(kModulePrefix)) {
            tensor.name.insert(0, kModulePrefix);
        }
    }
    if (transposed) {
        transpose_linear_weights(tensors);
    }
    return tensors;
}

std::vector<TensorRecord> to_transformers_layout(std::vector<TensorRecord> tensors) {
    transpose_linear_weights(tensors);
    return tensors;
}

std::vector<TensorRecord> with_head(std::vector<TensorRecord> tensors) {
    const TensorRecord* const table = find_tensor(tensors, "transformer.wte.weight");
    if (table != nullptr && find_tensor(tensors, kHead) == nullptr) {
        TensorRecord head = *table;
        head.name = kHead;
        tensors.push_back(std::move(head));
    }
    return tensors;
}

}  // namespace rankscope::engine
