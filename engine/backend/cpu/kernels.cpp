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

void add_in_place(std::span<float> target, std::span<const float> addend) {
    for (std::size_t i = 0; i < target.size(); ++i) {
        target[i] += addend[i];
    }
}

void add(std::span<const float> a, std::span<const float> b, bool relu, std::span<float> output) {
    for (std::size_t i = 0; i < output.size(); ++i) {
        const float sum = a[i] + b[i];
        output[i] = relu && sum < 0.0F ? 0.0F : sum;
    }
}

namespace {

/// Calls visit(offset into the image, offset into [batch][channels]) for every element.
template <typename Visit>
void each_pixel(const ChannelView& view, Visit visit) {
    for (std::int64_t o = 0; o < view.outer; ++o) {
        for (std::int64_t i = 0; i < view.inner; ++i) {
            const std::int64_t n = view.batch_outside ? o : i;
            for (std::int64_t c = 0; c < view.channels; ++c) {
                const std::int64_t at = c / view.lanes * view.block_stride + c % view.lanes +
                                        o * view.outer_stride + i * view.inner_stride;
                visit(static_cast<std::size_t>(at), static_cast<std::size_t>(n * view.channels + c));
            }
        }
    }
}

}  // namespace

void average_pool_forward(const ChannelView& view, std::int64_t batch, std::span<const float> image,
                          std::span<float> means) {
    std::fill(means.begin(), means.end(), 0.0F);
    each_pixel(view, [&](std::size_t at, std::size_t mean) { means[mean] += image[at]; });
    scale_in_place(means, static_cast<float>(batch) / static_cast<float>(view.rows()));
}

void average_pool_backward(const ChannelView& view, std::int64_t batch, std::span<const float> means_gradient,
                           std::span<float> image_gradient) {
    const float share = static_cast<float>(batch) / static_cast<float>(view.rows());
    if (view.padded_channels() != view.channels) {
        std::fill(image_gradient.begin(), image_gradient.end(), 0.0F);
    }
    each_pixel(view,
               [&](std::size_t at, std::size_t mean) { image_gradient[at] = means_gradient[mean] * share; });
}

BatchResult cross_entropy(const CrossEntropyOptions& options, std::span<const float> logits,
                          std::span<const std::int32_t> labels, std::span<float> gradient) {
    BatchResult result;
    const auto width = static_cast<std::size_t>(options.classes);
    const float scale = 1.0F / static_cast<float>(labels.size());
    const auto smoothing = static_cast<float>(options.label_smoothing);
    const float everywhere = smoothing / static_cast<float>(options.classes);
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
        const float log_sum = std::log(sum) + *largest;
        double loss = static_cast<double>(log_sum - in[label]);
        if (smoothing != 0.0F) {
            double all = 0.0;
            for (std::size_t c = 0; c < width; ++c) {
                all += static_cast<double>(log_sum - in[c]);
            }
            loss = (1.0 - options.label_smoothing) * loss + static_cast<double>(everywhere) * all;
        }
        result.loss += loss;
        result.correct += static_cast<std::size_t>(largest - in.begin()) == label ? 1 : 0;
        const auto larger = std::count_if(in.begin(), in.end(), [&](float v) { return v > in[label]; });
        result.correct_topk += larger < options.topk && std::isfinite(in[label]) ? 1 : 0;
        for (std::size_t c = 0; c < width; ++c) {
            const float target = everywhere + (c == label ? 1.0F - smoothing : 0.0F);
            out[c] = (out[c] / sum - target) * scale;
        }
    }
    result.loss /= static_cast<double>(labels.size());
    return result;
}

BatchResult mean_squared_error(std::span<const float> outputs, std::span<const float> targets,
                               std::span<float> gradient) {
    BatchResult result;
    const float scale = 2.0F / static_cast<float>(outputs.size());
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const float difference = outputs[i] - targets[i];
        result.loss += static_cast<double>(difference) * static_cast<double>(difference);
        gradient[i] = difference * scale;
    }
    result.loss /= static_cast<double>(outputs.size());
    return result;
}

void scale_in_place(std::span<float> values, float factor) {
    for (float& value : values) {
        value *= factor;
    }
}

bool all_finite(std::span<const float> values) {
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
}

}  // namespace rankscope::engine::cpu
