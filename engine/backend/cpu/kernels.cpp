// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/kernels.h>

#include <algorithm>
#include <cmath>

namespace rankscope::engine::cpu {

void relu_in_place(std::span<float> values) {
    for (float& value : values) {
        value = value < 0.0F ? 0.0F : value;  // not a number stays so, as in PyTorch
    }
}

void relu_backward_in_place(std::span<const float> output, std::span<float> gradient) {
    const std::size_t count = gradient.size();
    for (std::size_t i = 0; i < count; ++i) {
        gradient[i] = output[i] <= 0.0F ? 0.0F : gradient[i];
    }
}

BatchResult cross_entropy(std::span<const float> logits, std::span<const std::int32_t> labels,
                          std::int64_t classes, std::span<float> gradient) {
    BatchResult result;
    const auto width = static_cast<std::size_t>(classes);
    const float scale = 1.0F / static_cast<float>(labels.size());
    for (std::size_t row = 0; row < labels.size(); ++row) {
        const std::span<const float> in = logits.subspan(row * width, width);
        const std::span<float> out = gradient.subspan(row * width, width);
        const auto largest = std::max_element(in.begin(), in.end());
        float sum = 0.0F;
        for (std::size_t c = 0; c < width; ++c) {
            out[c] = std::exp(in[c] - *largest);
            sum += out[c];
        }
        const auto label = static_cast<std::size_t>(labels[row]);
        result.loss += static_cast<double>(std::log(sum) + *largest - in[label]);
        result.correct += static_cast<std::size_t>(largest - in.begin()) == label ? 1 : 0;
        for (std::size_t c = 0; c < width; ++c) {
            out[c] = (out[c] / sum - (c == label ? 1.0F : 0.0F)) * scale;
        }
    }
    result.loss /= static_cast<double>(labels.size());
    return result;
}

}  // namespace rankscope::engine::cpu
