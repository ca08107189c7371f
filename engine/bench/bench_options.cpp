// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/bench/bench_options.h>
#include <engine/error.h>
#include <engine/models/model_registry.h>

#include <algorithm>
#include <array>

namespace rankscope::engine {
namespace {

struct Defaults {
    const char* model;
    Shape sample;
    std::int64_t classes;
    std::int64_t batch;
};

const Defaults* defaults_of(const std::string& model) {
    static const std::array table{Defaults{"linear", {20}, 1, 32},
                                  Defaults{"toy", {10}, 5, 20},
                                  Defaults{"mlp", {1, 28, 28}, 10, 100},
                                  Defaults{"convnet", {1, 28, 28}, 10, 100},
                                  Defaults{"paddle-cnn", {1, 28, 28}, 10, 64},
                                  Defaults{"cifarnet", {3, 32, 32}, 10, 256},
                                  Defaults{"resnet18", {3, 32, 32}, 10, 128},
                                  Defaults{"resnet34", {3, 32, 32}, 10, 128},
                                  Defaults{"resnet50", {3, 224, 224}, 1000, 32},
                                  Defaults{"resnet101", {3, 224, 224}, 1000, 32},
                                  Defaults{"resnet152", {3, 224, 224}, 1000, 32},
                                  Defaults{"resnext50_32x4d", {3, 224, 224}, 1000, 32},
                                  Defaults{"resnext101_32x8d", {3, 224, 224}, 1000, 32},
                                  Defaults{"wide_resnet50_2", {3, 224, 224}, 1000, 32},
                                  Defaults{"wide_resnet101_2", {3, 224, 224}, 1000, 32},
                                  Defaults{"regnetx_002", {3, 224, 224}, 1000, 32},
                                  Defaults{"regnetx_160", {3, 224, 224}, 1000, 32},
                                  Defaults{"regnety_002", {3, 224, 224}, 1000, 16},
                                  Defaults{"regnety_160", {3, 224, 224}, 1000, 16},
                                  Defaults{"regnety_320", {3, 224, 224}, 1000, 16},
                                  Defaults{"densenet121", {3, 224, 224}, 1000, 16},
                                  Defaults{"densenet161", {3, 224, 224}, 1000, 16},
                                  Defaults{"densenet169", {3, 224, 224}, 1000, 16},
                                  Defaults{"densenet201", {3, 224, 224}, 1000, 16},
                                  Defaults{"efficientnet_b0", {3, 224, 224}, 1000, 16},
                                  Defaults{"botnet50", {3, 224, 224}, 1000, 16},
                                  Defaults{"vit_tiny_patch16_224", {3, 224, 224}, 1000, 16},
                                  Defaults{"vit_small_patch16_224", {3, 224, 224}, 1000, 16},
                                  Defaults{"gpt2", {1024}, 50257, 4},
                                  Defaults{"gpt2-mini", {64}, 256, 12}};
    const auto* const found =
        std::find_if(table.begin(), table.end(), [&](const Defaults& entry) { return model == entry.model; });
    return found == table.end() ? nullptr : found;
}

}  // namespace

void complete(BenchOptions& options) {
    const Defaults* const usual = defaults_of(options.model);
    if (usual == nullptr && (options.sample.empty() || options.classes == 0 || options.batch == 0)) {
        // A name that is not known has its own message.
        build_model(options.model, options.sample.empty() ? Shape{1} : options.sample, 1);
        throw ConfigError("--model " + options.model +
                          " has no usual data: --sample-shape, --classes and --batch must be given");
    }
    if (options.sample.empty()) {
        options.sample = usual->sample;
    }
    if (options.classes == 0) {
        options.classes = usual->classes;
    }
    if (options.batch == 0) {
        options.batch = usual->batch;
    }
}

OptimizerStep bench_optimizer(const std::string& model) {
    if (model.find("resne") != std::string::npos) {  // ResNeXt, too
        return {.lr = 0.01, .weight_decay = 1e-4, .momentum = 0.9, .nesterov = true};
    }
    return {.lr = 1e-3};
}

}  // namespace rankscope::engine
