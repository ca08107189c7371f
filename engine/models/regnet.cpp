// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/models.h>

#include <array>
#include <cmath>
#include <string>

namespace rankscope::engine::models {
namespace {

struct Stage {
    std::int64_t width = 0;
    int depth = 0;
};

/// Convolution and batch norm, in timm's words a ConvNormAct.
GraphBuilder& conv_norm(GraphBuilder& net, const std::string& name, Conv2d conv) {
    conv.bias = false;
    conv.padding = conv.kernel / 2;
    return net.conv2d(name + ".conv", conv).batch_norm2d(name + ".bn");
}

/// The groups' width, and whether blocks have a squeeze-and-excitation (RegNetY).
struct BlockKind {
    std::int64_t group = 1;
    bool excites = false;
};

void squeeze_excite(GraphBuilder& net, const std::string& name, std::int64_t squeezed) {
    const ValueId image = net.current();
    const std::int64_t channels = net.shape()[0];
    net.global_average_pool()
        .conv2d(name + ".fc1", {.out_channels = squeezed})
        .relu()
        .conv2d(name + ".fc2", {.out_channels = channels})
        .activate(Activation::sigmoid)
        .scale(name + ".scale", image);
}

void regnet_block(GraphBuilder& net, const std::string& name, std::int64_t width, const BlockKind& kind,
                  std::int64_t stride) {
    const ValueId input = net.current();
    const std::int64_t in_width = net.shape()[0];
    conv_norm(net, name + ".conv1", {.out_channels = width}).relu();
    conv_norm(net, name + ".conv2",
              {.out_channels = width, .kernel = 3, .stride = stride, .groups = width / kind.group})
        .relu();
    if (kind.excites) {
        squeeze_excite(net, name + ".se", std::lround(static_cast<double>(in_width) / 4));
    }
    conv_norm(net, name + ".conv3", {.out_channels = width});
    const ValueId residual = net.current();
    const Shape output = net.shape();
    net.from(input);
    if (net.shape() != output) {
        conv_norm(net, name + ".downsample", {.out_channels = width, .stride = stride});
    }
    net.add(name + ".add", residual).relu();
}

/// timm's start: the blocks' last batch norms with 0.
void timm_start(const Node& node, const std::vector<Parameter*>& parameters) {
    if (const auto* conv = std::get_if<Conv2d>(&node.operation)) {
        const std::int64_t fan_out = conv->out_channels * conv->kernel * conv->kernel / conv->groups;
        parameters[0]->initialisation = Initialisation::normal;
        parameters[0]->spread = std::sqrt(2.0 / static_cast<double>(fan_out));
        if (conv->bias) {
            parameters[1]->initialisation = Initialisation::drawn_zeros;
        }
    } else if (std::holds_alternative<Linear>(node.operation)) {
        parameters[0]->initialisation = Initialisation::normal;
        parameters[0]->spread = 0.01;
        parameters[1]->initialisation = Initialisation::drawn_zeros;
    } else if (node.name.ends_with(".conv3.bn")) {
        parameters[0]->initialisation = Initialisation::zeros;
    }
}

Graph regnet(const std::array<Stage, 4>& stages, const BlockKind& kind, const Shape& sample,
             std::int64_t classes) {
    GraphBuilder net(sample);
    conv_norm(net, "stem", {.out_channels = 32, .kernel = 3, .stride = 2}).relu();
    for (std::size_t s = 0; s < stages.size(); ++s) {
        for (int block = 0; block < stages[s].depth; ++block) {
            regnet_block(net, "s" + std::to_string(s + 1) + ".b" + std::to_string(block + 1), stages[s].width,
                         kind, block == 0 ? 2 : 1);
        }
    }
    net.global_average_pool().flatten().linear("head.fc", classes);
    return net.initialise(timm_start).cross_entropy();
}

}  // namespace

Graph regnetx_002(const Shape& sample, std::int64_t classes) {
    return regnet({{{24, 1}, {56, 1}, {152, 4}, {368, 7}}}, {8, false}, sample, classes);
}
Graph regnetx_160(const Shape& sample, std::int64_t classes) {
    return regnet({{{256, 2}, {512, 6}, {896, 13}, {2048, 1}}}, {128, false}, sample, classes);
}
Graph regnety_002(const Shape& sample, std::int64_t classes) {
    return regnet({{{24, 1}, {56, 1}, {152, 4}, {368, 7}}}, {8, true}, sample, classes);
}
Graph regnety_160(const Shape& sample, std::int64_t classes) {
    return regnet({{{224, 2}, {448, 4}, {1232, 11}, {3024, 1}}}, {112, true}, sample, classes);
}
Graph regnety_320(const Shape& sample, std::int64_t classes) {
    return regnet({{{232, 2}, {696, 5}, {1392, 12}, {3712, 1}}}, {232, true}, sample, classes);
}

}  // namespace rankscope::engine::models
