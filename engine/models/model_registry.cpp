// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/error.h>
#include <engine/models/model_registry.h>

#include <algorithm>
#include <array>

namespace rankscope::engine {
namespace {

/// The ConvNet of the distributed-training tutorials: 113 674 parameters for 28×28 images and ten classes.
Graph build_convnet(const Shape& sample, std::int64_t classes) {
    return GraphBuilder(sample)
        .conv2d("conv1", {.out_channels = 32, .kernel = 5, .stride = 1, .padding = 1})
        .relu()
        .max_pool2d({.kernel = 2, .stride = 2})
        .conv2d("conv2", {.out_channels = 64, .kernel = 3, .stride = 1, .padding = 0})
        .relu()
        .max_pool2d({.kernel = 2, .stride = 1})
        .conv2d("conv3", {.out_channels = 128, .kernel = 3, .stride = 1, .padding = 0})
        .relu()
        .max_pool2d({.kernel = 2, .stride = 2})
        .flatten()
        .linear("fc1", classes)
        .cross_entropy();
}

/// One hidden layer of 128: small enough that a step costs less than its bookkeeping.
Graph build_mlp(const Shape& sample, std::int64_t classes) {
    return GraphBuilder(sample).flatten().linear("fc1", 128).relu().linear("fc2", classes).cross_entropy();
}

struct Entry {
    const char* name;
    Graph (*build)(const Shape& sample, std::int64_t classes);
};

constexpr std::array kModels{Entry{"convnet", build_convnet}, Entry{"mlp", build_mlp}};

}  // namespace

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const Entry& entry : kModels) {
        names.emplace_back(entry.name);
    }
    return names;
}

Graph build_model(const std::string& name, const Shape& sample, std::int64_t classes) {
    const auto* const entry = std::find_if(kModels.begin(), kModels.end(),
                                           [&](const Entry& candidate) { return name == candidate.name; });
    if (entry == kModels.end()) {
        std::string known;
        for (const std::string& candidate : model_names()) {
            known += (known.empty() ? "" : ", ") + candidate;
        }
        throw ConfigError("model \"" + name + "\" is not known; one of: " + known);
    }
    return entry->build(sample, classes);
}

}  // namespace rankscope::engine
