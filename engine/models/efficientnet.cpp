// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/models.h>

#include <array>
#include <cmath>
#include <numeric>
#include <string>

namespace rankscope::engine::models {
namespace {

struct MbStage {
    std::int64_t width = 0;  ///< at the blocks' end
    int depth = 0;
    std::int64_t kernel = 3;
    std::int64_t stride = 1;  ///< of the first block
    std::int64_t expansion = 6;
};

/// Table 1 of the paper.
constexpr std::array kStages{MbStage{16, 1, 3, 1, 1}, MbStage{24, 2, 3, 2, 6},  MbStage{40, 2, 5, 2, 6},
                             MbStage{80, 3, 3, 2, 6}, MbStage{112, 3, 5, 1, 6}, MbStage{192, 4, 5, 2, 6},
                             MbStage{320, 1, 3, 1, 6}};

/// Squeeze, two 1×1 convolutions, and factors for the channels.
void excite(GraphBuilder& net, const std::string& name, std::int64_t squeezed) {
    const ValueId image = net.current();
    const std::int64_t channels = net.shape()[0];
    net.global_average_pool()
        .conv2d(name + ".conv_reduce", {.out_channels = squeezed})
        .activate(Activation::silu)
        .conv2d(name + ".conv_expand", {.out_channels = channels})
        .activate(Activation::sigmoid)
        .scale(name + ".scale", image);
}

/// "Mobile inverted bottleneck": wider inside, with a depthwise convolution; timm's names.
void inverted_bottleneck(GraphBuilder& net, const std::string& name, const MbStage& stage,
                         std::int64_t stride, double drop) {
    const ValueId input = net.current();
    const std::int64_t channels = net.shape()[0];
    const std::int64_t inside = channels * stage.expansion;
    int norm = 1;
    const auto normalised = [&] { net.batch_norm2d(name + ".bn" + std::to_string(norm++)); };
    if (stage.expansion != 1) {
        net.conv2d(name + ".conv_pw", {.out_channels = inside, .bias = false});
        normalised();
        net.activate(Activation::silu);
    }
    net.conv2d(name + ".conv_dw", {.out_channels = inside,
                                   .kernel = stage.kernel,
                                   .stride = stride,
                                   .padding = stage.kernel / 2,
                                   .bias = false,
                                   .groups = inside});
    normalised();
    net.activate(Activation::silu);
    excite(net, name + ".se", channels / 4);
    net.conv2d(name + (stage.expansion != 1 ? ".conv_pwl" : ".conv_pw"),
               {.out_channels = stage.width, .bias = false});
    normalised();
    if (stride == 1 && channels == stage.width) {
        net.drop_samples(drop).add(name + ".add", input);
    }
}

/// timm's start, as TensorFlow's. It makes a squeeze-and-excitation of 8 channels before the first block, only to learn
/// which arguments that takes.
void efficientnet_start(const Node& node, const std::vector<Parameter*>& parameters) {
    if (const auto* conv = std::get_if<Conv2d>(&node.operation)) {
        const std::int64_t fan_out = conv->out_channels * conv->kernel * conv->kernel / conv->groups;
        parameters[0]->initialisation = Initialisation::normal;
        parameters[0]->spread = std::sqrt(2.0 / static_cast<double>(fan_out));
    } else if (const auto* linear = std::get_if<Linear>(&node.operation)) {
        parameters[0]->initialisation = Initialisation::uniform;
        parameters[0]->spread = 1.0 / std::sqrt(static_cast<double>(linear->out_features));
    } else {
        return;
    }
    if (node.name == "blocks.0.0.conv_dw") {
        constexpr std::size_t kTried = std::size_t{2} * (8 * 8 + 8);
        parameters[0]->draws_before = kTried;
    }
    if (parameters.size() > 1) {
        parameters[1]->initialisation = Initialisation::drawn_zeros;
    }
}

}  // namespace

Graph efficientnet_b0(const Shape& sample, std::int64_t classes, const DropRates& rates) {
    GraphBuilder net(sample);
    const int blocks = std::accumulate(kStages.begin(), kStages.end(), 0,
                                       [](int sum, const MbStage& stage) { return sum + stage.depth; });
    int before = 0;
    net.conv2d("conv_stem", {.out_channels = 32, .kernel = 3, .stride = 2, .padding = 1, .bias = false})
        .batch_norm2d("bn1")
        .activate(Activation::silu);
    for (std::size_t s = 0; s < kStages.size(); ++s) {
        for (int block = 0; block < kStages[s].depth; ++block) {
            inverted_bottleneck(net, "blocks." + std::to_string(s) + "." + std::to_string(block), kStages[s],
                                block == 0 ? kStages[s].stride : 1, rates.path * before++ / blocks);
        }
    }
    net.conv2d("conv_head", {.out_channels = 1280, .bias = false})
        .batch_norm2d("bn2")
        .activate(Activation::silu)
        .global_average_pool()
        .flatten()
        .dropout(rates.dropout)
        .linear("classifier", classes);
    return net.initialise(efficientnet_start).cross_entropy();
}

}  // namespace rankscope::engine::models
