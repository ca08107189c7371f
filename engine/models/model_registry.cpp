// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/error.h>
#include <engine/models/model_registry.h>
#include <engine/models/models.h>

#include <algorithm>
#include <array>

namespace rankscope::engine {
namespace {

struct Entry {
    const char* name;
    Graph (*build)(const Shape& sample, std::int64_t classes);
};

constexpr std::array kModels{Entry{"convnet", models::convnet},       Entry{"mlp", models::mlp},
                             Entry{"linear", models::linear},         Entry{"toy", models::toy},
                             Entry{"paddle-cnn", models::paddle_cnn}, Entry{"resnet18", models::resnet18},
                             Entry{"resnet34", models::resnet34},     Entry{"resnet50", models::resnet50},
                             Entry{"resnet101", models::resnet101},   Entry{"resnet152", models::resnet152}};

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
    try {
        return entry->build(sample, classes);
    } catch (const ShapeError& error) {
        throw ShapeError("model \"" + name + "\" does not fit samples of " + to_string(sample) + ": " +
                         error.what());
    }
}

}  // namespace rankscope::engine
