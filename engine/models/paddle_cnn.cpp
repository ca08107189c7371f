// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/models.h>

namespace rankscope::engine::models {

Graph paddle_cnn(const Shape& sample, std::int64_t classes) {
    return GraphBuilder(sample)
        .conv2d("conv1", {.out_channels = 32, .kernel = 3})
        .relu()
        .max_pool2d({.kernel = 2, .stride = 2})
        .conv2d("conv2", {.out_channels = 64, .kernel = 3})
        .relu()
        .max_pool2d({.kernel = 2, .stride = 2})
        .conv2d("conv3", {.out_channels = 64, .kernel = 3})
        .relu()
        .flatten()
        .linear("linear1", 64)
        .relu()
        .linear("linear2", classes)
        .cross_entropy();
}

}  // namespace rankscope::engine::models
