// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/models.h>

#include <array>
#include <cmath>
#include <string>

namespace rankscope::engine::models {
namespace {

/// The shape of a block: bottlenecks of a ResNeXt have groups, those of a wide ResNet are twice as wide inside.
struct Kind {
    void (*block)(GraphBuilder& net, const Kind& kind, const std::string& name, std::int64_t width,
                  std::int64_t stride);
    std::int64_t groups = 1;
    std::int64_t base_width = 64;  ///< of a group, in the first layer
};

/// The shortcut around the block: the input itself, or a 1×1 projection where the shape changes. Ends with
/// the current value at its end.
void shortcut(GraphBuilder& net, const std::string& name, ValueId input, const Shape& output,
              std::int64_t stride) {
    net.from(input);
    if (net.shape() != output) {
        net.conv2d(name + ".downsample.0",
                   {.out_channels = output[0], .kernel = 1, .stride = stride, .bias = false})
            .batch_norm2d(name + ".downsample.1");
    }
}

void join(GraphBuilder& net, const std::string& name, ValueId input, std::int64_t stride) {
    const ValueId residual = net.current();
    const Shape output = net.shape();
    shortcut(net, name, input, output, stride);
    net.add(name + ".add", residual).relu();
}

/// Two 3×3 convolutions.
void basic_block(GraphBuilder& net, const Kind& /*kind*/, const std::string& name, std::int64_t width,
                 std::int64_t stride) {
    const ValueId input = net.current();
    net.conv2d(name + ".conv1",
               {.out_channels = width, .kernel = 3, .stride = stride, .padding = 1, .bias = false})
        .batch_norm2d(name + ".bn1")
        .relu()
        .conv2d(name + ".conv2", {.out_channels = width, .kernel = 3, .padding = 1, .bias = false})
        .batch_norm2d(name + ".bn2");
    join(net, name, input, stride);
}

/// 1×1, 3×3 (with the stride, as torchvision does since "V1.5"), 1×1 to four times the width.
void bottleneck(GraphBuilder& net, const Kind& kind, const std::string& name, std::int64_t width,
                std::int64_t stride) {
    const ValueId input = net.current();
    const std::int64_t inside = width * kind.base_width / 64 * kind.groups;
    net.conv2d(name + ".conv1", {.out_channels = inside, .kernel = 1, .bias = false})
        .batch_norm2d(name + ".bn1")
        .relu()
        .conv2d(name + ".conv2", {.out_channels = inside,
                                  .kernel = 3,
                                  .stride = stride,
                                  .padding = 1,
                                  .bias = false,
                                  .groups = kind.groups})
        .batch_norm2d(name + ".bn2")
        .relu()
        .conv2d(name + ".conv3", {.out_channels = 4 * width, .kernel = 1, .bias = false})
        .batch_norm2d(name + ".bn3");
    join(net, name, input, stride);
}

/// kaiming_normal_(mode="fan_out", nonlinearity="relu")
void convolutions_fan_out(const Node& node, const std::vector<Parameter*>& parameters) {
    if (const auto* conv = std::get_if<Conv2d>(&node.operation)) {
        parameters[0]->initialisation = Initialisation::normal;
        parameters[0]->spread =
            std::sqrt(2.0) / std::sqrt(static_cast<double>(conv->out_channels * conv->kernel * conv->kernel));
    }
}

Graph resnet(const Kind& kind, const std::array<int, 4>& blocks, const Shape& sample, std::int64_t classes) {
    GraphBuilder net(sample);
    net.conv2d("conv1", {.out_channels = 64, .kernel = 7, .stride = 2, .padding = 3, .bias = false})
        .batch_norm2d("bn1")
        .relu()
        .max_pool2d({.kernel = 3, .stride = 2, .padding = 1});
    std::int64_t width = 64;
    for (std::size_t layer = 0; layer < blocks.size(); ++layer, width *= 2) {
        for (int i = 0; i < blocks[layer]; ++i) {
            const std::int64_t stride = i == 0 && layer > 0 ? 2 : 1;
            kind.block(net, kind, "layer" + std::to_string(layer + 1) + "." + std::to_string(i), width,
                       stride);
        }
    }
    return net.initialise(convolutions_fan_out)
        .global_average_pool()
        .flatten()
        .linear("fc", classes)
        .cross_entropy();
}

}  // namespace

Graph resnet18(const Shape& sample, std::int64_t classes) {
    return resnet({basic_block}, {2, 2, 2, 2}, sample, classes);
}
Graph resnet34(const Shape& sample, std::int64_t classes) {
    return resnet({basic_block}, {3, 4, 6, 3}, sample, classes);
}
Graph resnet50(const Shape& sample, std::int64_t classes) {
    return resnet({bottleneck}, {3, 4, 6, 3}, sample, classes);
}
Graph resnet101(const Shape& sample, std::int64_t classes) {
    return resnet({bottleneck}, {3, 4, 23, 3}, sample, classes);
}
Graph resnet152(const Shape& sample, std::int64_t classes) {
    return resnet({bottleneck}, {3, 8, 36, 3}, sample, classes);
}
Graph resnext50_32x4d(const Shape& sample, std::int64_t classes) {
    return resnet({bottleneck, 32, 4}, {3, 4, 6, 3}, sample, classes);
}
Graph resnext101_32x8d(const Shape& sample, std::int64_t classes) {
    return resnet({bottleneck, 32, 8}, {3, 4, 23, 3}, sample, classes);
}
Graph wide_resnet50_2(const Shape& sample, std::int64_t classes) {
    return resnet({bottleneck, 1, 128}, {3, 4, 6, 3}, sample, classes);
}
Graph wide_resnet101_2(const Shape& sample, std::int64_t classes) {
    return resnet({bottleneck, 1, 128}, {3, 4, 23, 3}, sample, classes);
}

}  // namespace rankscope::engine::models
