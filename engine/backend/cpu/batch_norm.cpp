// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/batch_norm_rows.h>

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <vector>

namespace rankscope::engine::cpu {
namespace {

using namespace batch_norm_rows;

RANKSCOPE_BATCH_NORM_VARIANT(Portable16, , 4, 4)
RANKSCOPE_BATCH_NORM_VARIANT(Portable8, , 4, 2)
RANKSCOPE_BATCH_NORM_VARIANT(Portable4, , 4, 1)
RANKSCOPE_BATCH_NORM_VARIANT(Portable1, , 1, 1)
#if defined(__x86_64__)
RANKSCOPE_BATCH_NORM_VARIANT(Avx16, [[gnu::target("avx2,fma")]], 8, 2)
RANKSCOPE_BATCH_NORM_VARIANT(Avx8, [[gnu::target("avx2,fma")]], 8, 1)
#endif

#if defined(__x86_64__)
template <typename T>
bool has_avx512() {
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
           (std::is_same_v<T, float> || __builtin_cpu_supports("avx512bf16"));
}
#endif

template <typename T>
Variant<T> variant_for(std::int64_t lanes) {
#if defined(__x86_64__)
    static const bool avx512 = has_avx512<T>();
    if (avx512 && lanes == 16) {
        return avx512_variant<T>();
    }
    static const bool avx = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx && lanes == 16) {
        return Avx16<T>::table();
    }
    if (avx && lanes == 8) {
        return Avx8<T>::table();
    }
#endif
    return lanes == 16  ? Portable16<T>::table()
           : lanes == 8 ? Portable8<T>::table()
           : lanes == 4 ? Portable4<T>::table()
                        : Portable1<T>::table();
}

/// Channels of the block that exist.
std::int64_t present(const ChannelView& view, std::int64_t block) {
    return std::min(view.lanes, view.channels - block * view.lanes);
}

Line forward_line(const ChannelView& view, const BatchNormParameters& parameters, std::int64_t block,
                  const float* mean, const float* inverse) {
    Line line;
    for (std::int64_t lane = 0; lane < present(view, block); ++lane) {
        const std::int64_t c = block * view.lanes + lane;
        line.slope[static_cast<std::size_t>(lane)] = parameters.weight[c] * inverse[lane];
        line.offset[static_cast<std::size_t>(lane)] =
            parameters.bias[c] - mean[lane] * parameters.weight[c] * inverse[lane];
    }
    return line;
}

/// count, Σx, Σx² of every channel: what the ranks add up.
struct Moments {
    double count = 0.0;
    double sum = 0.0;
    double square = 0.0;
};

void keep_statistics(const BatchNormParameters& parameters, std::int64_t channel, const Moments& moments,
                     float& mean_out, float& inverse_out) {
    const double mean = moments.sum / moments.count;
    const double variance = std::max(0.0, moments.square / moments.count - mean * mean);
    mean_out = static_cast<float>(mean);
    inverse_out = static_cast<float>(1.0 / std::sqrt(variance + static_cast<double>(parameters.epsilon)));
    const double unbiased = moments.count > 1 ? variance * moments.count / (moments.count - 1.0) : variance;
    const float m = parameters.momentum;
    float& running_mean = parameters.running_mean[channel];
    float& running_var = parameters.running_var[channel];
    running_mean = (1.0F - m) * running_mean + m * static_cast<float>(mean);
    running_var = (1.0F - m) * running_var + m * static_cast<float>(unbiased);
}

template <typename T>
void block_moments(const ChannelView& view, const Variant<T>& variant, const T* input, std::int64_t block,
                   Moments* moments) {
    LaneFloats shift{};
    LaneDoubles sums{};
    LaneDoubles squares{};
    variant.sum(view, input + block * view.block_stride, shift, sums, squares);
    const auto count = static_cast<double>(view.rows());
    for (std::size_t lane = 0; lane < static_cast<std::size_t>(view.lanes); ++lane) {
        // Sums were taken around the first element, so that nothing cancels; here they are moved back.
        const auto s = static_cast<double>(shift[lane]);
        moments[lane] = {count, sums[lane] + count * s, squares[lane] + 2.0 * s * sums[lane] + count * s * s};
    }
}

std::span<double> as_doubles(std::vector<Moments>& moments) {
    return {&moments.front().count, moments.size() * 3};
}

}  // namespace

template <typename T>
void batch_norm_forward(const BatchNormViews& views, const BatchNormParameters& parameters, const T* input,
                        const T* residual, bool relu, T* output, const BatchNormSaved& saved,
                        const SumOverRanks& sum_over_ranks) {
    const ChannelView& view = views.result;
    const Variant<T> variant = variant_for<T>(view.lanes);
    const std::int64_t blocks = view.blocks();
    std::vector<Moments> moments(static_cast<std::size_t>(view.padded_channels()));
    const auto apply = [&](std::int64_t block) {
        const std::int64_t first = block * view.lanes;
        float* mean = saved.mean + first;
        float* inverse = saved.inverse_deviation + first;
        for (std::int64_t lane = 0; lane < present(view, block); ++lane) {
            keep_statistics(parameters, first + lane, moments[static_cast<std::size_t>(first + lane)],
                            mean[lane], inverse[lane]);
        }
        const std::int64_t at = block * view.block_stride;
        variant.apply(views, input + block * views.input.block_stride,
                      residual == nullptr ? nullptr : residual + at, relu,
                      forward_line(view, parameters, block, mean, inverse), output + at);
    };
    if (!sum_over_ranks) {
#pragma omp parallel for
        for (std::int64_t block = 0; block < blocks; ++block) {
            block_moments(views.input, variant, input, block,
                          &moments[static_cast<std::size_t>(block * view.lanes)]);
            apply(block);
        }
        return;
    }
#pragma omp parallel for
    for (std::int64_t block = 0; block < blocks; ++block) {
        block_moments(views.input, variant, input, block,
                      &moments[static_cast<std::size_t>(block * view.lanes)]);
    }
    sum_over_ranks(as_doubles(moments));
#pragma omp parallel for
    for (std::int64_t block = 0; block < blocks; ++block) {
        apply(block);
    }
}

template <typename T>
void batch_norm_evaluate(const BatchNormViews& views, const BatchNormParameters& parameters, const T* input,
                         const T* residual, bool relu, T* output) {
    const ChannelView& view = views.result;
    const Variant<T> variant = variant_for<T>(view.lanes);
#pragma omp parallel for
    for (std::int64_t block = 0; block < view.blocks(); ++block) {
        LaneFloats mean{};
        LaneFloats inverse{};
        for (std::int64_t lane = 0; lane < present(view, block); ++lane) {
            const std::int64_t c = block * view.lanes + lane;
            mean[static_cast<std::size_t>(lane)] = parameters.running_mean[c];
            inverse[static_cast<std::size_t>(lane)] =
                1.0F / std::sqrt(parameters.running_var[c] + parameters.epsilon);
        }
        const std::int64_t at = block * view.block_stride;
        variant.apply(views, input + block * views.input.block_stride,
                      residual == nullptr ? nullptr : residual + at, relu,
                      forward_line(view, parameters, block, mean.data(), inverse.data()), output + at);
    }
}

template <typename T>
void batch_norm_backward(const BatchNormViews& views, const BatchNormParameters& parameters, const T* input,
                         const T* output, bool relu, const BatchNormSaved& saved,
                         const GradientSum<T>& gradient, const BatchNormGradients<T>& result,
                         const SumOverRanks& sum_over_ranks) {
    const ChannelView& view = views.result;
    const Variant<T> variant = variant_for<T>(view.lanes);
    const std::int64_t blocks = view.blocks();
    std::vector<Moments> moments(static_cast<std::size_t>(view.padded_channels()));
    const auto sums_of = [&](std::int64_t block) {
        const std::int64_t first = block * view.lanes;
        const std::int64_t at = block * view.block_stride;
        LaneFloats mean{};
        std::copy_n(saved.mean + first, view.lanes, mean.begin());
        LaneDoubles sums{};
        LaneDoubles products{};
        variant.sum_gradients(
            views, input + block * views.input.block_stride, output == nullptr ? nullptr : output + at, relu,
            forward_line(view, parameters, block, saved.mean + first, saved.inverse_deviation + first), mean,
            gradient, at, result.masked == nullptr ? nullptr : result.masked + at, sums, products);
        for (std::int64_t lane = 0; lane < view.lanes; ++lane) {
            const auto l = static_cast<std::size_t>(lane);
            const std::int64_t c = first + lane;
            moments[static_cast<std::size_t>(c)] = {static_cast<double>(view.rows()), sums[l], products[l]};
            if (c < view.channels) {
                result.bias[c] = static_cast<float>(sums[l]);
                result.weight[c] = static_cast<float>(products[l]) * saved.inverse_deviation[c];
            }
        }
    };
    const auto apply = [&](std::int64_t block) {
        const std::int64_t first = block * view.lanes;
        const std::int64_t at = block * view.block_stride;
        LaneFloats mean{};
        std::copy_n(saved.mean + first, view.lanes, mean.begin());
        BackwardLine back;
        for (std::int64_t lane = 0; lane < present(view, block); ++lane) {
            const auto l = static_cast<std::size_t>(lane);
            const Moments& m = moments[static_cast<std::size_t>(first + lane)];
            const float inverse = saved.inverse_deviation[first + lane];
            back.factor[l] = parameters.weight[first + lane] * inverse;
            back.mean_gradient[l] = static_cast<float>(m.sum / m.count);
            back.share[l] = static_cast<float>(m.square / m.count) * inverse * inverse;
        }
        variant.input_gradients(
            views, input + block * views.input.block_stride, output == nullptr ? nullptr : output + at, relu,
            forward_line(view, parameters, block, saved.mean + first, saved.inverse_deviation + first), mean,
            back, gradient, at, result.masked == nullptr ? nullptr : result.masked + at, result.adds_input,
            result.input + block * views.input.block_stride);
    };
    if (!sum_over_ranks) {
#pragma omp parallel for
        for (std::int64_t block = 0; block < blocks; ++block) {
            sums_of(block);
            apply(block);
        }
        return;
    }
#pragma omp parallel for
    for (std::int64_t block = 0; block < blocks; ++block) {
        sums_of(block);
    }
    // Weight and bias keep this rank's gradients: DDP averages them like all others.
    sum_over_ranks(as_doubles(moments));
#pragma omp parallel for
    for (std::int64_t block = 0; block < blocks; ++block) {
        apply(block);
    }
}

template void batch_norm_forward<float>(const BatchNormViews&, const BatchNormParameters&, const float*,
                                        const float*, bool, float*, const BatchNormSaved&,
                                        const SumOverRanks&);
template void batch_norm_forward<Bf16>(const BatchNormViews&, const BatchNormParameters&, const Bf16*,
                                       const Bf16*, bool, Bf16*, const BatchNormSaved&, const SumOverRanks&);
template void batch_norm_evaluate<float>(const BatchNormViews&, const BatchNormParameters&, const float*,
                                         const float*, bool, float*);
template void batch_norm_evaluate<Bf16>(const BatchNormViews&, const BatchNormParameters&, const Bf16*,
                                        const Bf16*, bool, Bf16*);
template void batch_norm_backward<float>(const BatchNormViews&, const BatchNormParameters&, const float*,
                                         const float*, bool, const BatchNormSaved&, const GradientSum<float>&,
                                         const BatchNormGradients<float>&, const SumOverRanks&);
template void batch_norm_backward<Bf16>(const BatchNormViews&, const BatchNormParameters&, const Bf16*,
                                        const Bf16*, bool, const BatchNormSaved&, const GradientSum<Bf16>&,
                                        const BatchNormGradients<Bf16>&, const SumOverRanks&);

}  // namespace rankscope::engine::cpu
