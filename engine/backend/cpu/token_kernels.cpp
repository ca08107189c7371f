// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/token_kernels.h>
#include <engine/backend/cpu/vector_math.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

// Loops are lambdas that run_widest() calls, inlined into a function with wider instructions.
#define RANKSCOPE_INLINE __attribute__((always_inline))

namespace rankscope::engine::cpu {
namespace {

std::int64_t size_of_rows(std::size_t values, std::int64_t row) {
    return static_cast<std::int64_t>(values) / row;
}

std::size_t token_of(float token, std::size_t rows) {
    if (!(token >= 0.0F) || token >= static_cast<float>(rows) || token != std::floor(token)) {
        throw std::out_of_range("the input " + std::to_string(token) + " is no token from 0 to " +
                                std::to_string(rows - 1));
    }
    return static_cast<std::size_t>(token);
}

/// to = from, or to += from.
template <bool kAdd, typename From, typename To>
void move_row(std::span<const From> from, std::span<To> to) {
    run_widest([&]() RANKSCOPE_INLINE {
        for (std::size_t i = 0; i < to.size(); ++i) {
            to[i] = rounded_to<To>((kAdd ? to_float(to[i]) : 0.0F) + to_float(from[i]));
        }
    });
}

}  // namespace

template <typename T>
void layer_norm_forward(float epsilon, std::span<const T> x, std::span<const float> weight,
                        std::span<const float> bias, std::span<T> y, std::span<float> kept) {
    const auto channels = static_cast<std::int64_t>(weight.size());
    const std::int64_t rows = size_of_rows(x.size(), channels);
#pragma omp parallel for
    for (std::int64_t row = 0; row < rows; ++row) {
        const T* const from = x.data() + row * channels;
        T* const to = y.data() + row * channels;
        float* const keep = kept.data() + row * 2;
        run_widest([&]() RANKSCOPE_INLINE {
            const float count = static_cast<float>(channels);
            const float mean = sum_of(channels, [&](std::int64_t i) { return to_float(from[i]); }) / count;
            const float variance = sum_of(channels,
                                          [&](std::int64_t i) {
                                              const float distance = to_float(from[i]) - mean;
                                              return distance * distance;
                                          }) /
                                   count;
            const float scale = 1.0F / std::sqrt(variance + epsilon);
            for (std::int64_t i = 0; i < channels; ++i) {
                to[i] =
                    rounded_to<T>((to_float(from[i]) - mean) * scale * weight[static_cast<std::size_t>(i)] +
                                  bias[static_cast<std::size_t>(i)]);
            }
            keep[0] = mean;
            keep[1] = scale;
        });
    }
}

template <typename T>
void layer_norm_backward_data(std::span<const T> x, std::span<const float> weight,
                              std::span<const float> kept, std::span<const T> dy, std::span<T> dx) {
    const auto channels = static_cast<std::int64_t>(weight.size());
    const std::int64_t rows = size_of_rows(x.size(), channels);
#pragma omp parallel for
    for (std::int64_t row = 0; row < rows; ++row) {
        const T* const from = x.data() + row * channels;
        const T* const gradient = dy.data() + row * channels;
        T* const to = dx.data() + row * channels;
        const float mean = kept[static_cast<std::size_t>(row) * 2];
        const float scale = kept[static_cast<std::size_t>(row) * 2 + 1];
        run_widest([&]() RANKSCOPE_INLINE {
            const float* const w = weight.data();
            const float count = static_cast<float>(channels);
            const float first =
                sum_of(channels, [&](std::int64_t i) { return to_float(gradient[i]) * w[i]; }) / count;
            const float second = sum_of(channels,
                                        [&](std::int64_t i) {
                                            return to_float(gradient[i]) * w[i] * (to_float(from[i]) - mean);
                                        }) *
                                 scale / count;
            for (std::int64_t i = 0; i < channels; ++i) {
                const float normed = (to_float(from[i]) - mean) * scale;
                to[i] = rounded_to<T>(scale * (to_float(gradient[i]) * w[i] - first - normed * second));
            }
        });
    }
}

template <typename T>
void layer_norm_backward_weights(std::span<const T> x, std::span<const float> kept, std::span<const T> dy,
                                 std::span<float> weight_gradient, std::span<float> bias_gradient) {
    constexpr std::int64_t kChannels = 64;  // of one thread at a time: their sums stay in registers and cache
    const auto channels = static_cast<std::int64_t>(weight_gradient.size());
    const std::int64_t rows = size_of_rows(x.size(), channels);
#pragma omp parallel for
    for (std::int64_t begin = 0; begin < channels; begin += kChannels) {
        const std::int64_t width = std::min(kChannels, channels - begin);
        run_widest([&]() RANKSCOPE_INLINE {
            float weights[kChannels] = {};
            float biases[kChannels] = {};
            for (std::int64_t row = 0; row < rows; ++row) {
                const T* const from = x.data() + row * channels + begin;
                const T* const gradient = dy.data() + row * channels + begin;
                const float mean = kept[static_cast<std::size_t>(row) * 2];
                const float scale = kept[static_cast<std::size_t>(row) * 2 + 1];
                for (std::int64_t i = 0; i < width; ++i) {
                    weights[i] += to_float(gradient[i]) * (to_float(from[i]) - mean) * scale;
                    biases[i] += to_float(gradient[i]);
                }
            }
            std::copy(weights, weights + width, weight_gradient.data() + begin);
            std::copy(biases, biases + width, bias_gradient.data() + begin);
        });
    }
}

void repeat_row(std::span<const float> row, std::span<float> rows) {
    for (std::size_t at = 0; !row.empty() && at < rows.size(); at += row.size()) {
        std::copy(row.begin(), row.end(), rows.begin() + static_cast<std::ptrdiff_t>(at));
    }
}

void sum_of_rows(std::span<const float> rows, std::span<float> sum) {
    constexpr std::int64_t kColumns = 64;  // as in layer_norm_backward_weights()
    const auto width = static_cast<std::int64_t>(sum.size());
#pragma omp parallel for
    for (std::int64_t begin = 0; begin < width; begin += kColumns) {
        const std::int64_t count = std::min(kColumns, width - begin);
        run_widest([&]() RANKSCOPE_INLINE {
            float sums[kColumns] = {};
            for (const float* row = rows.data() + begin; row < rows.data() + rows.size(); row += width) {
                for (std::int64_t i = 0; i < count; ++i) {
                    sums[i] += row[i];
                }
            }
            std::copy(sums, sums + count, sum.data() + begin);
        });
    }
}

template <typename T>
void embedding_forward(std::span<const float> tokens, std::int64_t channels, std::span<const float> table,
                       std::span<T> y) {
    const auto width = static_cast<std::size_t>(channels);
    for (std::size_t row = 0; row < tokens.size(); ++row) {
        const std::size_t token = token_of(tokens[row], table.size() / width);
        move_row<false>(table.subspan(token * width, width), y.subspan(row * width, width));
    }
}

template <typename T>
void embedding_backward(std::span<const float> tokens, std::int64_t channels, std::span<const T> dy,
                        bool adds, std::span<float> table_gradient) {
    const auto width = static_cast<std::size_t>(channels);
    if (!adds) {
        std::fill(table_gradient.begin(), table_gradient.end(), 0.0F);
    }
    for (std::size_t row = 0; row < tokens.size(); ++row) {
        const std::size_t token = token_of(tokens[row], table_gradient.size() / width);
        move_row<true>(dy.subspan(row * width, width), table_gradient.subspan(token * width, width));
    }
}

template <typename T>
void positions_forward(const TokenShape& shape, std::span<const T> x, std::span<const float> positions,
                       std::span<T> y) {
#pragma omp parallel for
    for (std::int64_t sample = 0; sample < shape.batch; ++sample) {
        const T* const from = x.data() + sample * shape.size();
        T* const to = y.data() + sample * shape.size();
        run_widest([&]() RANKSCOPE_INLINE {
            for (std::int64_t i = 0; i < shape.size(); ++i) {
                to[i] = rounded_to<T>(to_float(from[i]) + positions[static_cast<std::size_t>(i)]);
            }
        });
    }
}

template <typename T>
void positions_backward(const TokenShape& shape, std::span<const T> dy, std::span<float> gradient) {
    std::fill(gradient.begin(), gradient.end(), 0.0F);
    const auto size = static_cast<std::size_t>(shape.size());
    for (std::size_t sample = 0; sample < static_cast<std::size_t>(shape.batch); ++sample) {
        move_row<true>(dy.subspan(sample * size, size), gradient.first(size));
    }
}

template <typename T>
void prepend_forward(const TokenShape& shape, std::span<const T> x, std::span<const float> token,
                     std::span<T> y) {
    const auto size = static_cast<std::size_t>(shape.size());
    const auto width = static_cast<std::size_t>(shape.channels);
    for (std::size_t sample = 0; sample < static_cast<std::size_t>(shape.batch); ++sample) {
        const std::span<T> to = y.subspan(sample * (size + width), size + width);
        move_row<false>(token, to.first(width));
        std::copy_n(x.begin() + static_cast<std::ptrdiff_t>(sample * size), size,
                    to.begin() + shape.channels);
    }
}

template <typename T>
void prepend_backward(const TokenShape& shape, std::span<const T> dy, std::span<T> dx,
                      std::span<float> token_gradient) {
    const auto size = static_cast<std::size_t>(shape.size());
    const auto width = static_cast<std::size_t>(shape.channels);
    std::fill(token_gradient.begin(), token_gradient.end(), 0.0F);
    for (std::size_t sample = 0; sample < static_cast<std::size_t>(shape.batch); ++sample) {
        const std::span<const T> from = dy.subspan(sample * (size + width), size + width);
        if (!token_gradient.empty()) {
            move_row<true>(from.first(width), token_gradient);
        }
        if (!dx.empty()) {
            std::copy_n(from.begin() + shape.channels, size,
                        dx.begin() + static_cast<std::ptrdiff_t>(sample * size));
        }
    }
}

#define RANKSCOPE_INSTANTIATE(T)                                                                          \
    template void layer_norm_forward<T>(float, std::span<const T>, std::span<const float>,                \
                                        std::span<const float>, std::span<T>, std::span<float>);          \
    template void layer_norm_backward_data<T>(std::span<const T>, std::span<const float>,                 \
                                              std::span<const float>, std::span<const T>, std::span<T>);  \
    template void layer_norm_backward_weights<T>(std::span<const T>, std::span<const float>,              \
                                                 std::span<const T>, std::span<float>, std::span<float>); \
    template void embedding_forward<T>(std::span<const float>, std::int64_t, std::span<const float>,      \
                                       std::span<T>);                                                     \
    template void embedding_backward<T>(std::span<const float>, std::int64_t, std::span<const T>, bool,   \
                                        std::span<float>);                                                \
    template void positions_forward<T>(const TokenShape&, std::span<const T>, std::span<const float>,     \
                                       std::span<T>);                                                     \
    template void positions_backward<T>(const TokenShape&, std::span<const T>, std::span<float>);         \
    template void prepend_forward<T>(const TokenShape&, std::span<const T>, std::span<const float>,       \
                                     std::span<T>);                                                       \
    template void prepend_backward<T>(const TokenShape&, std::span<const T>, std::span<T>, std::span<float>);
RANKSCOPE_INSTANTIATE(float)
RANKSCOPE_INSTANTIATE(Bf16)
#undef RANKSCOPE_INSTANTIATE

}  // namespace rankscope::engine::cpu
