// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/models.h>

#include <array>
#include <string>

namespace rankscope::engine::models {

// As wide and deep as airbench94 (Jordan, arXiv 2404.00498), with PyTorch's start and an ordinary first convolution.
Graph cifarnet(const Shape& sample, std::int64_t classes) {
    GraphBuilder net(sample);
    const auto normed = [&](const std::string& name) {
        net.batch_norm2d(name).activate(Activation::gelu_erf);
    };
    net.conv2d("conv0", {.out_channels = 64, .kernel = 3, .padding = 1, .bias = false});
    normed("bn0");
    constexpr std::array<std::int64_t, 3> kWidths{64, 256, 256};
    for (std::size_t i = 0; i < kWidths.size(); ++i) {
        const std::string block = "block" + std::to_string(i + 1);
        const std::int64_t width = kWidths[i];
        net.conv2d(block + ".conv1", {.out_channels = width, .kernel = 3, .padding = 1, .bias = false})
            .max_pool2d({.kernel = 2, .stride = 2});
        normed(block + ".bn1");
        net.conv2d(block + ".conv2", {.out_channels = width, .kernel = 3, .padding = 1, .bias = false});
        normed(block + ".bn2");
    }
    return net.max_pool2d({.kernel = 3, .stride = 3}).flatten().linear("fc", classes).cross_entropy();
}

}  // namespace rankscope::engine::models
