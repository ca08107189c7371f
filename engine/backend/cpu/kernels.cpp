// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/vector_math.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace rankscope::engine::cpu {

template <typename T>
void relu_in_place(std::span<T> values) {
    for (T& value : values) {
        value = to_float(value) < 0.0F ? T{} : value;  // not a number stays so, as in PyTorch
    }
}

template <typename T>
void relu_backward_in_place(std::span<const T> output, std::span<T> gradient) {
    const std::size_t count = gradient.size();
    for (std::size_t i = 0; i < count; ++i) {
        gradient[i] = to_float(output[i]) <= 0.0F ? T{} : gradient[i];
    }
}

template <typename T>
void add_in_place(std::span<T> target, std::span<const T> addend) {
    for (std::size_t i = 0; i < target.size(); ++i) {
        target[i] = rounded_to<T>(to_float(target[i]) + to_float(addend[i]));
    }
}

template <typename T>
void add(std::span<const T> a, std::span<const T> b, bool relu, std::span<T> output) {
    for (std::size_t i = 0; i < output.size(); ++i) {
        const float sum = to_float(a[i]) + to_float(b[i]);
        output[i] = rounded_to<T>(relu && sum < 0.0F ? 0.0F : sum);
    }
}

namespace {

constexpr std::int64_t kWidest =
    16;  ///< lanes of a view; as a constant, so that loops over them become vectors

/// Calls visit(offset into the image, offset into [batch][channels], count, same channel) for runs of elements:
/// neighbouring channels of one pixel, or the pixels of one channel.
template <typename Visit>
void each_run(const ChannelView& view, Visit visit) {
    for (std::int64_t o = 0; o < view.outer; ++o) {
        for (std::int64_t block = 0; block < view.blocks(); ++block) {
            const std::int64_t channel = block * view.lanes;
            const std::int64_t count = std::min(view.lanes, view.channels - channel);
            const std::int64_t at = block * view.block_stride + o * view.outer_stride;
            if (view.lanes == 1 && view.inner_stride == 1 && view.batch_outside) {
                visit(at, o * view.channels + channel, view.inner, std::true_type());
                continue;
            }
            for (std::int64_t i = 0; i < view.inner; ++i) {
                const std::int64_t n = view.batch_outside ? o : i;
                const std::int64_t first = at + i * view.inner_stride;
                if (count == kWidest) {
                    visit(first, n * view.channels + channel, std::integral_constant<std::int64_t, kWidest>(),
                          std::false_type());
                } else {
                    visit(first, n * view.channels + channel, count, std::false_type());
                }
            }
        }
    }
}

/// sums[channel] += term(offset into the image), over the pixels of each image.
template <typename Term>
void sum_pixels(const ChannelView& view, std::vector<float>& sums, const Term& term) {
    each_run(view, [&](std::int64_t at, std::int64_t mean, auto count, auto same) {
        float* const sum = sums.data() + mean;
        if constexpr (same) {
            *sum += sum_of(count, [&](std::int64_t i) { return term(at + i); });
        } else {
            for (std::int64_t i = 0; i < count; ++i) {
                sum[i] += term(at + i);
            }
        }
    });
}

/// image[…] = term(offset into the image, offset into [batch][channels]).
template <typename T, typename Term>
void fill_pixels(const ChannelView& view, std::span<T> image, const Term& term) {
    if (view.padded_channels() != view.channels) {
        std::fill(image.begin(), image.end(), T{});
    }
    each_run(view, [&](std::int64_t at, std::int64_t mean, auto count, auto same) {
        T* const to = image.data() + at;
        for (std::int64_t i = 0; i < count; ++i) {
            to[i] = rounded_to<T>(term(at + i, same ? mean : mean + i));
        }
    });
}

}  // namespace

template <typename T>
void scale_forward(const ChannelView& view, std::span<const T> image, std::span<const T> factors,
                   std::span<T> output) {
    const T* const x = image.data();
    const T* const s = factors.data();
    fill_pixels(view, output,
                [=](std::int64_t at, std::int64_t factor) { return to_float(x[at]) * to_float(s[factor]); });
}

template <typename T>
void scale_backward(const ChannelView& view, std::span<const T> image, std::span<const T> factors,
                    std::span<const T> gradient, std::span<T> image_gradient, std::span<T> factors_gradient) {
    if (!image_gradient.empty()) {
        scale_forward(view, gradient, factors, image_gradient);
    }
    if (factors_gradient.empty()) {
        return;
    }
    std::vector<float> sums(factors_gradient.size(), 0.0F);
    const T* const x = image.data();
    const T* const dy = gradient.data();
    sum_pixels(view, sums, [=](std::int64_t at) { return to_float(x[at]) * to_float(dy[at]); });
    std::transform(sums.begin(), sums.end(), factors_gradient.begin(),
                   [](float sum) { return rounded_to<T>(sum); });
}

template <typename T>
void average_pool_forward(const ChannelView& view, std::int64_t batch, std::span<const T> image,
                          std::span<T> means) {
    std::vector<float> sums(means.size(), 0.0F);
    const T* const x = image.data();
    sum_pixels(view, sums, [=](std::int64_t at) { return to_float(x[at]); });
    const float share = static_cast<float>(batch) / static_cast<float>(view.rows());
    std::transform(sums.begin(), sums.end(), means.begin(),
                   [&](float sum) { return rounded_to<T>(sum * share); });
}

template <typename T>
void average_pool_backward(const ChannelView& view, std::int64_t batch, std::span<const T> means_gradient,
                           std::span<T> image_gradient) {
    const float share = static_cast<float>(batch) / static_cast<float>(view.rows());
    const T* const dy = means_gradient.data();
    fill_pixels(view, image_gradient,
                [=](std::int64_t /*at*/, std::int64_t mean) { return to_float(dy[mean]) * share; });
}

void round_to_bf16(std::span<const float> values, std::span<Bf16> rounded) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        rounded[i] = rounded_to<Bf16>(values[i]);
    }
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

template <typename T>
bool all_finite(std::span<const T> values) {
    return std::all_of(values.begin(), values.end(), [](T v) { return std::isfinite(to_float(v)); });
}

#define RANKSCOPE_INSTANTIATE(T)                                                                 \
    template void relu_in_place<T>(std::span<T>);                                                \
    template void relu_backward_in_place<T>(std::span<const T>, std::span<T>);                   \
    template void add_in_place<T>(std::span<T>, std::span<const T>);                             \
    template void add<T>(std::span<const T>, std::span<const T>, bool, std::span<T>);            \
    template void average_pool_forward<T>(const ChannelView&, std::int64_t, std::span<const T>,  \
                                          std::span<T>);                                         \
    template void average_pool_backward<T>(const ChannelView&, std::int64_t, std::span<const T>, \
                                           std::span<T>);                                        \
    template void scale_forward<T>(const ChannelView&, std::span<const T>, std::span<const T>,   \
                                   std::span<T>);                                                \
    template void scale_backward<T>(const ChannelView&, std::span<const T>, std::span<const T>,  \
                                    std::span<const T>, std::span<T>, std::span<T>);             \
    template bool all_finite<T>(std::span<const T>);
RANKSCOPE_INSTANTIATE(float)
RANKSCOPE_INSTANTIATE(Bf16)
#undef RANKSCOPE_INSTANTIATE

}  // namespace rankscope::engine::cpu
