// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <engine/error.h>
#include <engine/models/model_registry.h>
#include <engine/models/models.h>

#include <algorithm>
#include <array>
#include <variant>

namespace rankscope::engine {
namespace {

using Build = Graph(const Shape& sample, std::int64_t classes);
using BuildDropping = Graph(const Shape& sample, std::int64_t classes, const models::DropRates& rates);

struct Entry {
    const char* name;
    std::variant<Build*, BuildDropping*> build;
    double published = 0;  ///< see published_accuracy()
};

const std::array kModels{Entry{"convnet", models::convnet},
                         Entry{"mlp", models::mlp},
                         Entry{"linear", models::linear},
                         Entry{"toy", models::toy},
                         Entry{"paddle-cnn", models::paddle_cnn},
                         Entry{"cifarnet", models::cifarnet},
                         Entry{"resnet18", models::resnet18, 69.758},
                         Entry{"resnet34", models::resnet34, 73.314},
                         Entry{"resnet50", models::resnet50, 76.130},
                         Entry{"resnet101", models::resnet101, 77.374},
                         Entry{"resnet152", models::resnet152, 78.312},
                         Entry{"resnext50_32x4d", models::resnext50_32x4d, 77.618},
                         Entry{"resnext101_32x8d", models::resnext101_32x8d, 79.312},
                         Entry{"wide_resnet50_2", models::wide_resnet50_2, 78.468},
                         Entry{"wide_resnet101_2", models::wide_resnet101_2, 78.848},
                         Entry{"regnetx_002", models::regnetx_002},
                         Entry{"regnetx_160", models::regnetx_160, 79.992},
                         Entry{"regnety_002", models::regnety_002},
                         Entry{"regnety_160", models::regnety_160, 80.598},
                         Entry{"regnety_320", models::regnety_320, 80.824},
                         Entry{"densenet121", models::densenet121, 74.434},
                         Entry{"densenet161", models::densenet161, 77.138},
                         Entry{"densenet169", models::densenet169, 75.600},
                         Entry{"densenet201", models::densenet201, 76.896},
                         Entry{"efficientnet_b0", models::efficientnet_b0, 74.540},
                         Entry{"botnet50", models::botnet50, 77.604},
                         Entry{"vit_tiny_patch16_224", models::vit_tiny_patch16_224},
                         Entry{"vit_small_patch16_224", models::vit_small_patch16_224},
                         Entry{"gpt2", models::gpt2},
                         Entry{"gpt2-mini", models::gpt2_mini}};

const Entry* find(const std::string& name) {
    return std::find_if(kModels.begin(), kModels.end(),
                        [&](const Entry& candidate) { return name == candidate.name; });
}

}  // namespace

std::vector<std::string> model_names() {
    std::vector<std::string> names;
    for (const Entry& entry : kModels) {
        names.emplace_back(entry.name);
    }
    return names;
}

std::optional<double> published_accuracy(const std::string& name) {
    const auto* const entry = find(name);
    return entry == kModels.end() || entry->published == 0 ? std::nullopt
                                                           : std::optional(entry->published / 100);
}

Graph build_model(const std::string& name, const Shape& sample, std::int64_t classes,
                  const models::DropRates& rates) {
    const auto* const entry = find(name);
    if (entry == kModels.end()) {
        throw ConfigError("model \"" + name + "\" is not known; one of: " + joined(model_names()));
    }
    try {
        if (const auto* const dropping = std::get_if<BuildDropping*>(&entry->build)) {
            return (*dropping)(sample, classes, rates);
        }
        if (rates.dropout > 0 || rates.path > 0) {
            throw ConfigError("model \"" + name + "\" has neither dropout nor stochastic depth");
        }
        return std::get<Build*>(entry->build)(sample, classes);
    } catch (const ShapeError& error) {
        throw ShapeError("model \"" + name + "\" does not fit samples of " + to_string(sample) + ": " +
                         error.what());
    }
}

}  // namespace rankscope::engine
