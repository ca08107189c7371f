// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/checkpoint/content_hash.h>
#include <engine/checkpoint/snapshot.h>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace rankscope::engine {
namespace {

constexpr std::string_view kStatePrefix = "state.";

/// By name: files order tensors in their own ways.
void add(ContentHash& hash, const std::vector<TensorRecord>& tensors) {
    std::vector<const TensorRecord*> sorted;
    for (const TensorRecord& tensor : tensors) {
        sorted.push_back(&tensor);
    }
    std::sort(sorted.begin(), sorted.end(), [](const auto* a, const auto* b) { return a->name < b->name; });
    hash.add(sorted.size());
    for (const TensorRecord* one : sorted) {
        const TensorRecord& tensor = *one;
        hash.add(tensor.name.size());
        hash.add(tensor.name);
        hash.add(static_cast<std::uint64_t>(tensor.dtype));
        hash.add(tensor.shape.size());
        hash.add(std::as_bytes(std::span(tensor.shape)));
        hash.add(tensor.bytes.size());
        hash.add(tensor.bytes);
    }
}

}  // namespace

std::string optimizer_tensor_name(std::string_view parameter, std::string_view state) {
    std::string name(kStatePrefix);
    name.append(parameter).append(".").append(state);
    return name;
}

OptimizerTensorName split_optimizer_tensor_name(std::string_view name) {
    const std::size_t dot = name.rfind('.');
    if (!name.starts_with(kStatePrefix) || dot <= kStatePrefix.size() || dot + 1 == name.size()) {
        return {};
    }
    return {std::string(name.substr(kStatePrefix.size(), dot - kStatePrefix.size())),
            std::string(name.substr(dot + 1))};
}

std::string digest_of(const Snapshot& snapshot) {
    ContentHash hash;
    add(hash, snapshot.model);
    add(hash, snapshot.optimizer);
    hash.add(to_json(snapshot.position).dump());
    return hash.hex();
}

}  // namespace rankscope::engine
