// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/batch_norm.h>
#include <engine/backend/cpu/lanes.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

/// The loops of a batch norm over a block of channels, for vectors of any width. Everything is inlined into the functions of
/// a variant, which name their instruction set.
namespace rankscope::engine::cpu::batch_norm_rows {

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

[[gnu::always_inline]] inline RowPart first_part(const ChannelView& view) {
    return {0, 0, std::min(kPartRows, view.inner)};
}
[[gnu::always_inline]] inline RowPart next_part(const ChannelView& view, const RowPart& part) {
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
    const ChannelView view = views.result;  // copies: stores might alias
    const ChannelView in = views.input;
    for (std::int64_t o = 0; o < view.outer; ++o) {
        std::int64_t at = o * view.outer_stride;
        const T* from = x + o * in.outer_stride;
        for (std::int64_t i = 0; i < view.inner; ++i, at += view.inner_stride, from += in.inner_stride) {
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
    const ChannelView view = views.result;  // copies: stores might alias
    const ChannelView in = views.input;
    for (RowPart part = first_part(view); part.outer < view.outer; part = next_part(view, part)) {
        R sum = R::zero();
        R product = R::zero();
        std::int64_t at = part.outer * view.outer_stride + part.begin * view.inner_stride;
        const T* from = x + part.outer * in.outer_stride + part.begin * in.inner_stride;
        for (std::int64_t i = part.begin; i < part.end;
             ++i, at += view.inner_stride, from += in.inner_stride) {
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
    const ChannelView view = views.result;  // copies: stores might alias
    const ChannelView in = views.input;
    for (std::int64_t o = 0; o < view.outer; ++o) {
        std::int64_t at = o * view.outer_stride;
        std::int64_t from = o * in.outer_stride;
        for (std::int64_t i = 0; i < view.inner; ++i, at += view.inner_stride, from += in.inner_stride) {
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

#define RANKSCOPE_BATCH_NORM_VARIANT(Name, Target, W, V)                                                    \
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

/// Needs AVX-512; Bf16 also its conversions.
template <typename T>
Variant<T> avx512_variant();

}  // namespace rankscope::engine::cpu::batch_norm_rows
