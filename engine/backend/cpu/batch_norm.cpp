// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/batch_norm.h>
#include <engine/backend/cpu/lanes.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace rankscope::engine::cpu {
namespace {

constexpr std::int64_t kMostLanes = 16;
using LaneFloats = std::array<float, kMostLanes>;
using LaneDoubles = std::array<double, kMostLanes>;

/// W floats per vector, V vectors per row: together the lanes of a block.
template <int W, std::size_t V>
struct Row {
    using Float = typename Lanes<W>::Float;
    using Int = typename Lanes<W>::Int;
    std::array<Float, V> part;

    template <typename T>
    [[gnu::always_inline]] static Row load_from(const T* at) {
        Row row;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) {
            row.part[v] = load_floats<W>(at + v * W);
        }
        return row;
    }
    template <typename T>
    [[gnu::always_inline]] void store_to(T* at) const {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) {
            store_floats<W>(part[v], at + v * W);
        }
    }
    [[gnu::always_inline]] static Row zero() {
        Row row;
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) {
            row.part[v] = Float{};
        }
        return row;
    }
    [[gnu::always_inline]] void add_to(LaneDoubles& sums) const {
#pragma GCC unroll 4
        for (std::size_t v = 0; v < V; ++v) {
            for (std::size_t lane = 0; lane < W; ++lane) {
                sums[v * W + lane] += static_cast<double>(part[v][lane]);
            }
        }
    }
};

/// Rows of an image, so few that sums of floats stay exact enough: of the 112² rows of a large image they would be off by
/// some 4e-6, and what the norm makes of it, too.
struct RowPart {
    std::int64_t outer = 0;
    std::int64_t begin = 0;
    std::int64_t end = 0;
};
constexpr std::int64_t kPartRows = 256;

inline RowPart first_part(const ChannelView& view) {
    return {0, 0, std::min(kPartRows, view.inner)};
}
inline RowPart next_part(const ChannelView& view, const RowPart& part) {
    if (part.end == view.inner) {
        return {part.outer + 1, 0, std::min(kPartRows, view.inner)};
    }
    return {part.outer, part.end, std::min(part.end + kPartRows, view.inner)};
}

template <int W, std::size_t V, typename T>
[[gnu::always_inline]] inline void sum_block(const ChannelView& view, const T* x, LaneFloats& shift,
                                             LaneDoubles& sums, LaneDoubles& squares) {
    using R = Row<W, V>;
    const R origin = R::load_from(x);
    origin.store_to(shift.data());
    for (RowPart part = first_part(view); part.outer < view.outer; part = next_part(view, part)) {
        R sum = R::zero();
        R square = R::zero();
        R sum2 = R::zero();
        R square2 = R::zero();
        const T* at = x + part.outer * view.outer_stride + part.begin * view.inner_stride;
        std::int64_t i = part.begin;
        for (; i + 1 < part.end; i += 2, at += 2 * view.inner_stride) {
            const R a = R::load_from(at);
            const R b = R::load_from(at + view.inner_stride);
#pragma GCC unroll 4
            for (std::size_t v = 0; v < V; ++v) {
                const auto da = a.part[v] - origin.part[v];
                const auto db = b.part[v] - origin.part[v];
                sum.part[v] += da;
                square.part[v] += da * da;
                sum2.part[v] += db;
                square2.part[v] += db * db;
            }
        }
        if (i < part.end) {
            const R a = R::load_from(at);
#pragma GCC unroll 4
            for (std::size_t v = 0; v < V; ++v) {
                const auto da = a.part[v] - origin.part[v];
                sum.part[v] += da;
                square.part[v] += da * da;
            }
        }
        sum.add_to(sums);
        square.add_to(squares);
        sum2.add_to(sums);
        square2.add_to(squares);
    }
}

struct Line {
    LaneFloats slope{};
    LaneFloats offset{};
};

template <int W, std::size_t V, typename T, bool kRelu, bool kResidual>
[[gnu::always_inline]] inline void apply_block(const BatchNormViews& views, const T* x, const T* residual,
                                               const Line& line, T* y) {
    using R = Row<W, V>;
    const R slope = R::load_from(line.slope.data());
    const R offset = R::load_from(line.offset.data());
    const ChannelView& view = views.result;
    for (std::int64_t o = 0; o < view.outer; ++o) {
        std::int64_t at = o * view.outer_stride;
        const T* from = x + o * views.input.outer_stride;
        for (std::int64_t i = 0; i < view.inner;
             ++i, at += view.inner_stride, from += views.input.inner_stride) {
            R row = R::load_from(from);
#pragma GCC unroll 4
            for (std::size_t v = 0; v < V; ++v) {
                row.part[v] = row.part[v] * slope.part[v] + offset.part[v];
                if constexpr (kResidual) {
                    row.part[v] += load_floats<W>(residual + at + v * W);
                }
                if constexpr (kRelu) {
                    row.part[v] = row.part[v] < 0.0F ? typename R::Float{} : row.part[v];
                }
            }
            row.store_to(y + at);
        }
    }
}

/// The gradient of one row behind the ReLU.
template <int W, std::size_t V, typename T, bool kRelu, bool kResidual>
struct MaskedGradient {
    using R = Row<W, V>;
    const GradientSum<T>& gradient;
    const T* y;
    R slope;
    R offset;
    std::int64_t base;

    [[gnu::always_inline]] R at(std::int64_t place, const R& row) const {
        R g = R::load_from(gradient.parts[0] + base + place);
        for (std::size_t p = 1; p < gradient.count; ++p) {
#pragma GCC unroll 4
            for (std::size_t v = 0; v < V; ++v) {
                g.part[v] += load_floats<W>(gradient.parts[p] + base + place + v * W);
            }
        }
        if constexpr (kRelu) {
#pragma GCC unroll 4
            for (std::size_t v = 0; v < V; ++v) {
                const auto out = kResidual ? load_floats<W>(y + place + v * W)
                                           : row.part[v] * slope.part[v] + offset.part[v];
                g.part[v] = out <= 0.0F ? typename R::Float{} : g.part[v];
            }
        }
        return g;
    }
};

template <int W, std::size_t V, typename T, bool kRelu, bool kResidual>
[[gnu::always_inline]] inline void sum_gradients(const BatchNormViews& views, const T* x, const T* y,
                                                 const Line& line, const LaneFloats& mean,
                                                 const GradientSum<T>& gradient, std::int64_t base, T* masked,
                                                 LaneDoubles& sums, LaneDoubles& products) {
    using R = Row<W, V>;
    const MaskedGradient<W, V, T, kRelu, kResidual> source{gradient, y, R::load_from(line.slope.data()),
                                                           R::load_from(line.offset.data()), base};
    const R centre = R::load_from(mean.data());
    const ChannelView& view = views.result;
    for (RowPart part = first_part(view); part.outer < view.outer; part = next_part(view, part)) {
        R sum = R::zero();
        R product = R::zero();
        std::int64_t at = part.outer * view.outer_stride + part.begin * view.inner_stride;
        const T* from = x + part.outer * views.input.outer_stride + part.begin * views.input.inner_stride;
        for (std::int64_t i = part.begin; i < part.end;
             ++i, at += view.inner_stride, from += views.input.inner_stride) {
            const R row = R::load_from(from);
            const R g = source.at(at, row);
#pragma GCC unroll 4
            for (std::size_t v = 0; v < V; ++v) {
                sum.part[v] += g.part[v];
                product.part[v] += g.part[v] * (row.part[v] - centre.part[v]);
            }
            if (masked != nullptr) {
                g.store_to(masked + at);
            }
        }
        sum.add_to(sums);
        product.add_to(products);
    }
}

/// input gradient = factor · (gradient − mean_gradient − (x − mean) · share).
struct BackwardLine {
    LaneFloats factor{};
    LaneFloats mean_gradient{};
    LaneFloats share{};
};

template <int W, std::size_t V, typename T, bool kRelu, bool kResidual>
[[gnu::always_inline]] inline void input_gradients(const BatchNormViews& views, const T* x, const T* y,
                                                   const Line& line, const LaneFloats& mean,
                                                   const BackwardLine& back, const GradientSum<T>& gradient,
                                                   std::int64_t base, const T* masked, bool adds, T* result) {
    using R = Row<W, V>;
    const MaskedGradient<W, V, T, kRelu, kResidual> source{gradient, y, R::load_from(line.slope.data()),
                                                           R::load_from(line.offset.data()), base};
    const R centre = R::load_from(mean.data());
    const R factor = R::load_from(back.factor.data());
    const R level = R::load_from(back.mean_gradient.data());
    const R share = R::load_from(back.share.data());
    const ChannelView& view = views.result;
    for (std::int64_t o = 0; o < view.outer; ++o) {
        std::int64_t at = o * view.outer_stride;
        std::int64_t from = o * views.input.outer_stride;
        for (std::int64_t i = 0; i < view.inner;
             ++i, at += view.inner_stride, from += views.input.inner_stride) {
            const R row = R::load_from(x + from);
            R g = masked != nullptr ? R::load_from(masked + at) : source.at(at, row);
#pragma GCC unroll 4
            for (std::size_t v = 0; v < V; ++v) {
                g.part[v] = factor.part[v] *
                            (g.part[v] - level.part[v] - (row.part[v] - centre.part[v]) * share.part[v]);
                if (adds) {
                    g.part[v] += load_floats<W>(result + from + v * W);
                }
            }
            g.store_to(result + from);
        }
    }
}

// One copy per instruction set and number of lanes; which one runs is decided where the program runs.
template <typename T>
struct Variant {
    void (*sum)(const ChannelView&, const T*, LaneFloats&, LaneDoubles&, LaneDoubles&);
    void (*apply)(const BatchNormViews&, const T*, const T*, bool, const Line&, T*);
    void (*sum_gradients)(const BatchNormViews&, const T*, const T*, bool, const Line&, const LaneFloats&,
                          const GradientSum<T>&, std::int64_t, T*, LaneDoubles&, LaneDoubles&);
    void (*input_gradients)(const BatchNormViews&, const T*, const T*, bool, const Line&, const LaneFloats&,
                            const BackwardLine&, const GradientSum<T>&, std::int64_t, const T*, bool, T*);
};

template <int W, std::size_t V, typename T>
[[gnu::always_inline]] inline void apply_any(const BatchNormViews& views, const T* x, const T* residual,
                                             bool relu, const Line& line, T* y) {
    if (residual != nullptr) {
        relu ? apply_block<W, V, T, true, true>(views, x, residual, line, y)
             : apply_block<W, V, T, false, true>(views, x, residual, line, y);
    } else {
        relu ? apply_block<W, V, T, true, false>(views, x, residual, line, y)
             : apply_block<W, V, T, false, false>(views, x, residual, line, y);
    }
}
template <int W, std::size_t V, typename T>
[[gnu::always_inline]] inline void sum_gradients_any(const BatchNormViews& views, const T* x, const T* y,
                                                     bool relu, const Line& line, const LaneFloats& mean,
                                                     const GradientSum<T>& gradient, std::int64_t base,
                                                     T* masked, LaneDoubles& sums, LaneDoubles& products) {
    if (!relu) {
        sum_gradients<W, V, T, false, false>(views, x, y, line, mean, gradient, base, masked, sums, products);
    } else if (y != nullptr) {
        sum_gradients<W, V, T, true, true>(views, x, y, line, mean, gradient, base, masked, sums, products);
    } else {
        sum_gradients<W, V, T, true, false>(views, x, y, line, mean, gradient, base, masked, sums, products);
    }
}
template <int W, std::size_t V, typename T>
[[gnu::always_inline]] inline void input_gradients_any(const BatchNormViews& views, const T* x, const T* y,
                                                       bool relu, const Line& line, const LaneFloats& mean,
                                                       const BackwardLine& back,
                                                       const GradientSum<T>& gradient, std::int64_t base,
                                                       const T* masked, bool adds, T* result) {
    if (!relu || masked != nullptr) {
        input_gradients<W, V, T, false, false>(views, x, y, line, mean, back, gradient, base, masked, adds,
                                               result);
    } else if (y != nullptr) {
        input_gradients<W, V, T, true, true>(views, x, y, line, mean, back, gradient, base, masked, adds,
                                             result);
    } else {
        input_gradients<W, V, T, true, false>(views, x, y, line, mean, back, gradient, base, masked, adds,
                                              result);
    }
}

#define RANKSCOPE_VARIANT(Name, Target, W, V)                                                               \
    template <typename T>                                                                                   \
    struct Name {                                                                                           \
        Target static void sum(const ChannelView& view, const T* x, LaneFloats& shift, LaneDoubles& sums,   \
                               LaneDoubles& squares) {                                                      \
            sum_block<W, V, T>(view, x, shift, sums, squares);                                              \
        }                                                                                                   \
        Target static void apply(const BatchNormViews& views, const T* x, const T* residual, bool relu,     \
                                 const Line& line, T* y) {                                                  \
            apply_any<W, V, T>(views, x, residual, relu, line, y);                                          \
        }                                                                                                   \
        Target static void sum_gradients(const BatchNormViews& views, const T* x, const T* y, bool relu,    \
                                         const Line& line, const LaneFloats& mean,                          \
                                         const GradientSum<T>& gradient, std::int64_t base, T* masked,      \
                                         LaneDoubles& sums, LaneDoubles& products) {                        \
            sum_gradients_any<W, V, T>(views, x, y, relu, line, mean, gradient, base, masked, sums,         \
                                       products);                                                           \
        }                                                                                                   \
        Target static void input_gradients(const BatchNormViews& views, const T* x, const T* y, bool relu,  \
                                           const Line& line, const LaneFloats& mean,                        \
                                           const BackwardLine& back, const GradientSum<T>& gradient,        \
                                           std::int64_t base, const T* masked, bool adds, T* result) {      \
            input_gradients_any<W, V, T>(views, x, y, relu, line, mean, back, gradient, base, masked, adds, \
                                         result);                                                           \
        }                                                                                                   \
        static Variant<T> table() { return {sum, apply, sum_gradients, input_gradients}; }                  \
    };

RANKSCOPE_VARIANT(Portable16, , 4, 4)
RANKSCOPE_VARIANT(Portable8, , 4, 2)
RANKSCOPE_VARIANT(Portable4, , 4, 1)
RANKSCOPE_VARIANT(Portable1, , 1, 1)
#if defined(__x86_64__)
RANKSCOPE_VARIANT(Avx16, [[gnu::target("avx2,fma")]], 8, 2)
RANKSCOPE_VARIANT(Avx8, [[gnu::target("avx2,fma")]], 8, 1)
#endif
#undef RANKSCOPE_VARIANT

template <typename T>
Variant<T> variant_for(std::int64_t lanes) {
#if defined(__x86_64__)
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
