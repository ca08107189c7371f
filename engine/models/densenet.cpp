// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/models.h>

#include <array>
#include <cmath>
#include <string>

namespace rankscope::engine::models {
namespace {

/// Norm, ReLU, 1×1 convolution to four times the growth, and again with 3×3 to the growth, put behind the input.
void dense_layer(GraphBuilder& net, const std::string& name, std::int64_t growth) {
    const ValueId input = net.current();
    net.batch_norm2d(name + ".norm1")
        .relu()
        .conv2d(name + ".conv1", {.out_channels = 4 * growth, .bias = false})
        .batch_norm2d(name + ".norm2")
        .relu()
        .conv2d(name + ".conv2", {.out_channels = growth, .kernel = 3, .padding = 1, .bias = false})
        .concat(name + ".concat", input);
}

/// kaiming_normal_() of every convolution, 0 for the bias of the classifier.
void densenet_start(const Node& node, const std::vector<Parameter*>& parameters) {
    if (std::holds_alternative<Conv2d>(node.operation)) {
        parameters[0]->initialisation = Initialisation::normal;
        parameters[0]->spread = std::sqrt(2.0) / std::sqrt(static_cast<double>(parameters[0]->fan_in));
    } else if (std::holds_alternative<Linear>(node.operation)) {
        parameters[1]->initialisation = Initialisation::drawn_zeros;
    }
}

Graph densenet(const std::array<int, 4>& layers, const Shape& sample, std::int64_t classes,
               std::int64_t growth = 32) {
    GraphBuilder net(sample);
    net.conv2d("features.conv0",
               {.out_channels = 2 * growth, .kernel = 7, .stride = 2, .padding = 3, .bias = false})
        .batch_norm2d("features.norm0")
        .relu()
        .max_pool2d({.kernel = 3, .stride = 2, .padding = 1});
    for (std::size_t block = 0; block < layers.size(); ++block) {
        const std::string number = std::to_string(block + 1);
        for (int layer = 0; layer < layers[block]; ++layer) {
            dense_layer(net, "features.denseblock" + number + ".denselayer" + std::to_string(layer + 1),
                        growth);
        }
        if (block + 1 < layers.size()) {
            const std::string name = "features.transition" + number;
            net.batch_norm2d(name + ".norm")
                .relu()
                .conv2d(name + ".conv", {.out_channels = net.shape()[0] / 2, .bias = false})
                .average_pool2d({.kernel = 2, .stride = 2});
        }
    }
    net.batch_norm2d("features.norm5").relu().global_average_pool().flatten().linear("classifier", classes);
    return net.initialise(densenet_start).cross_entropy();
}

}  // namespace

Graph densenet121(const Shape& sample, std::int64_t classes) {
    return densenet({6, 12, 24, 16}, sample, classes);
}
Graph densenet161(const Shape& sample, std::int64_t classes) {
    return densenet({6, 12, 36, 24}, sample, classes, 48);
}
Graph densenet169(const Shape& sample, std::int64_t classes) {
    return densenet({6, 12, 32, 32}, sample, classes);
}
Graph densenet201(const Shape& sample, std::int64_t classes) {
    return densenet({6, 12, 48, 32}, sample, classes);
}

}  // namespace rankscope::engine::models
