// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/models.h>

#include <array>
#include <cmath>
#include <string>
#include <utility>

namespace rankscope::engine::models {
namespace {

constexpr std::int64_t kBotHeads = 4;
constexpr std::int64_t kBotWidth = 2048;  ///< of the blocks' results
constexpr std::int64_t kBotInside = kBotWidth / 4;

/// A block of ResNet-50's first three stages, as in resnet.cpp.
void residual_bottleneck(GraphBuilder& net, const std::string& name, std::int64_t width,
                         std::int64_t stride) {
    const ValueId input = net.current();
    net.conv2d(name + ".conv1", {.out_channels = width, .bias = false})
        .batch_norm2d(name + ".bn1")
        .relu()
        .conv2d(name + ".conv2",
                {.out_channels = width, .kernel = 3, .stride = stride, .padding = 1, .bias = false})
        .batch_norm2d(name + ".bn2")
        .relu()
        .conv2d(name + ".conv3", {.out_channels = 4 * width, .bias = false})
        .batch_norm2d(name + ".bn3");
    const ValueId residual = net.current();
    const Shape output = net.shape();
    net.from(input);
    if (net.shape() != output) {
        net.conv2d(name + ".downsample.0", {.out_channels = 4 * width, .stride = stride, .bias = false})
            .batch_norm2d(name + ".downsample.1");
    }
    net.add(name + ".add", residual).relu();
}

/// A bottleneck whose 3×3 convolution is attention over all pixels.
void bot_block(GraphBuilder& net, const std::string& name) {
    const ValueId input = net.current();
    ValueId shortcut = input;
    if (net.shape()[0] != kBotWidth) {
        shortcut = net.conv2d(name + ".shortcut.0", {.out_channels = kBotWidth, .bias = false})
                       .batch_norm2d(name + ".shortcut.1")
                       .relu()
                       .current();
    }
    const std::string inside = name + ".net.";
    const ValueId narrow = net.from(input)
                               .conv2d(inside + "0", {.out_channels = kBotInside, .bias = false})
                               .batch_norm2d(inside + "1")
                               .relu()
                               .current();
    const ValueId queries_and_keys =
        net.conv2d(inside + "3.to_qk", {.out_channels = 2 * kBotInside, .bias = false}).current();
    net.from(narrow)
        .conv2d(inside + "3.to_v", {.out_channels = kBotInside, .bias = false})
        .concat(inside + "3.qkv", queries_and_keys)
        .relative_attention(inside + "3", kBotHeads)
        .batch_norm2d(inside + "5")
        .relu()
        .conv2d(inside + "7", {.out_channels = kBotWidth, .bias = false})
        .batch_norm2d(inside + "8")
        .add(name + ".add", shortcut)
        .relu();
}

/// Numbers that ResNet-50's last stage, which the attention replaces, draws for its convolutions.
std::size_t replaced_draws() {
    constexpr std::size_t kInside = 512;
    constexpr std::size_t kOut = 2048;
    constexpr std::size_t kBlock = kInside * kInside * 9 + kInside * kOut;
    return 3 * kBlock + kInside * 1024 + 1024 * kOut + 2 * kOut * kInside;
}

/// Distribuuuu's start: a whole ResNet-50 first, whose convolutions are drawn once more; then the new blocks and the
/// classifier, as their constructors draw them, and zeros for the last norm of each block.
void botnet_start(GraphBuilder& net, const std::string& classifier) {
    constexpr std::size_t kReplacedClassifier = 2048 * 1000 + 1000;
    std::size_t before = replaced_draws() + kReplacedClassifier;
    bool in_blocks = false;
    net.initialise([&](const Node& node, const std::vector<Parameter*>& parameters) {
        const bool block = node.name.starts_with("7.");
        const auto* conv = std::get_if<Conv2d>(&node.operation);
        if (block && !in_blocks) {
            in_blocks = true;
            before += replaced_draws();
        }
        if (conv != nullptr && !block) {
            const double fan_out = static_cast<double>(conv->out_channels * conv->kernel * conv->kernel);
            net.redraw({net.parameter_named(parameters[0]->name), Initialisation::normal,
                        std::sqrt(2.0) / std::sqrt(fan_out), std::exchange(before, 0)});
        } else if (block && conv != nullptr) {
            parameters[0]->initialisation = Initialisation::zeros;  // no numbers before the others
            net.redraw({net.parameter_named(parameters[0]->name), Initialisation::uniform_fan_in, 0.0,
                        std::exchange(before, 0)});
        } else if (const auto* attention = std::get_if<Attention>(&node.operation)) {
            const std::int64_t width = kBotInside / attention->heads;
            for (Parameter* parameter : parameters) {
                parameter->initialisation = Initialisation::zeros;
                net.redraw({net.parameter_named(parameter->name), Initialisation::normal,
                            1.0 / std::sqrt(static_cast<double>(width))});
            }
        } else if (node.name.starts_with("7.") && node.name.ends_with(".net.8")) {
            parameters[0]->initialisation = Initialisation::zeros;
        } else if (node.name == classifier) {
            for (Parameter* parameter : parameters) {
                parameter->initialisation = Initialisation::zeros;
                net.redraw({net.parameter_named(parameter->name), Initialisation::uniform_fan_in});
            }
        }
    });
}

}  // namespace

Graph botnet50(const Shape& sample, std::int64_t classes) {
    GraphBuilder net(sample);
    net.conv2d("0", {.out_channels = 64, .kernel = 7, .stride = 2, .padding = 3, .bias = false})
        .batch_norm2d("1")
        .relu()
        .max_pool2d({.kernel = 3, .stride = 2, .padding = 1});
    constexpr std::array kBlocks{3, 4, 6};
    std::int64_t width = 64;
    for (std::size_t stage = 0; stage < kBlocks.size(); ++stage, width *= 2) {
        for (int i = 0; i < kBlocks[stage]; ++i) {
            residual_bottleneck(net, std::to_string(4 + stage) + "." + std::to_string(i), width,
                                i == 0 && stage > 0 ? 2 : 1);
        }
    }
    for (int i = 0; i < 3; ++i) {
        bot_block(net, "7.net." + std::to_string(i));
    }
    const std::string classifier = "10";
    net.global_average_pool().flatten().linear(classifier, classes);
    botnet_start(net, classifier);
    return net.cross_entropy();
}

}  // namespace rankscope::engine::models
