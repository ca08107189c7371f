// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/gemm.h>
#include <engine/backend/cpu/lanes.h>
#include <engine/backend/cpu/winograd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

namespace rankscope::engine::cpu {
namespace {

/// Eight channels.
constexpr std::int64_t kWidth = 8;
using V = Lanes<kWidth>::Float;
template <std::size_t N>
using Column = std::array<V, N>;
template <std::size_t Rows, std::size_t Columns>
using Tile = std::array<Column<Columns>, Rows>;

/// The tiling `four` in one dimension: interpolation at 0, ±1/2, ±3/2 and infinity. Each function is one of
/// the three linear maps or its transpose. These points keep the numbers close together: the result's
/// rounding error is half of that with the usual 0, ±1, ±2 (7·10⁻⁷ instead of 15·10⁻⁷ of the result's size
/// over 64 channels; the direct sum has 3·10⁻⁷).
struct Four {
    static constexpr std::size_t kIn = 6;
    static constexpr std::size_t kOut = 4;
    static constexpr std::size_t kProducts = 6;
    // The points ±a and ±b and their powers.
    static constexpr float a = 0.5F;
    static constexpr float b = 1.5F;
    static constexpr float a2 = a * a;
    static constexpr float b2 = b * b;
    static constexpr float a3 = a2 * a;
    static constexpr float b3 = b2 * b;
    static constexpr float ninth = 1.0F / 9.0F;

    [[gnu::always_inline]] static Column<6> input(const Column<6>& d) {
        const V even = d[4] - b2 * d[2];
        const V odd = a * d[3] - a * b2 * d[1];
        const V even2 = d[4] - a2 * d[2];
        const V odd2 = b * d[3] - b * a2 * d[1];
        return {a2 * b2 * d[0] - (a2 + b2) * d[2] + d[4], even + odd, even - odd, even2 + odd2, even2 - odd2,
                a2 * b2 * d[1] - (a2 + b2) * d[3] + d[5]};
    }
    [[gnu::always_inline]] static Column<6> input_transposed(const Column<6>& z) {
        const V sum = z[1] + z[2];
        const V difference = z[1] - z[2];
        const V sum2 = z[3] + z[4];
        const V difference2 = z[3] - z[4];
        return {a2 * b2 * z[0],
                a2 * b2 * z[5] - a * b2 * difference - b * a2 * difference2,
                -(a2 + b2) * z[0] - b2 * sum - a2 * sum2,
                a * difference + b * difference2 - (a2 + b2) * z[5],
                z[0] + sum + sum2,
                z[5]};
    }
    [[gnu::always_inline]] static Column<6> weights(const Column<3>& g) {
        const V even = -g[0] - a2 * g[2];
        const V odd = -a * g[1];
        const V even2 = (g[0] + b2 * g[2]) * ninth;
        const V odd2 = b * ninth * g[1];
        return {g[0] * (1.0F / (a2 * b2)), even + odd, even - odd, even2 + odd2, even2 - odd2, g[2]};
    }
    [[gnu::always_inline]] static Column<3> weights_transposed(const Column<6>& u) {
        const V sum = u[1] + u[2];
        const V sum2 = (u[3] + u[4]) * ninth;
        return {u[0] * (1.0F / (a2 * b2)) - sum + sum2, a * (u[2] - u[1]) + b * ninth * (u[3] - u[4]),
                b2 * sum2 - a2 * sum + u[5]};
    }
    [[gnu::always_inline]] static Column<4> output(const Column<6>& m) {
        const V sum = m[1] + m[2];
        const V difference = m[1] - m[2];
        const V sum2 = m[3] + m[4];
        const V difference2 = m[3] - m[4];
        return {m[0] + sum + sum2, a * difference + b * difference2, a2 * sum + b2 * sum2,
                a3 * difference + b3 * difference2 + m[5]};
    }
    [[gnu::always_inline]] static Column<6> output_transposed(const Column<4>& y) {
        const V even = y[0] + a2 * y[2];
        const V odd = a * y[1] + a3 * y[3];
        const V even2 = y[0] + b2 * y[2];
        const V odd2 = b * y[1] + b3 * y[3];
        return {y[0], even + odd, even - odd, even2 + odd2, even2 - odd2, y[3]};
    }
};

/// The tiling `padded_two` in one dimension.
struct PaddedTwo {
    static constexpr std::size_t kIn = 2;
    static constexpr std::size_t kOut = 2;
    static constexpr std::size_t kProducts = 3;

    [[gnu::always_inline]] static Column<3> input(const Column<2>& d) { return {d[0] + d[1], d[1], d[0]}; }
    [[gnu::always_inline]] static Column<2> input_transposed(const Column<3>& z) {
        return {z[0] + z[2], z[0] + z[1]};
    }
    [[gnu::always_inline]] static Column<3> weights(const Column<3>& g) {
        return {g[1], g[2] - g[1], g[0] - g[1]};
    }
    [[gnu::always_inline]] static Column<3> weights_transposed(const Column<3>& u) {
        return {u[2], u[0] - u[1] - u[2], u[1]};
    }
    [[gnu::always_inline]] static Column<2> output(const Column<3>& m) { return {m[0] + m[1], m[0] + m[2]}; }
    [[gnu::always_inline]] static Column<3> output_transposed(const Column<2>& y) {
        return {y[0] + y[1], y[0], y[1]};
    }
};

/// map along the columns, then along the rows.
template <std::size_t From, std::size_t To, typename Map>
[[gnu::always_inline]] inline Tile<To, To> both_ways(const Tile<From, From>& tile, Map map) {
    Tile<From, To> half;
#pragma GCC unroll 6
    for (std::size_t r = 0; r < From; ++r) {
        half[r] = map(tile[r]);
    }
    Tile<To, To> full;
#pragma GCC unroll 6
    for (std::size_t c = 0; c < To; ++c) {
        Column<From> column;
#pragma GCC unroll 6
        for (std::size_t r = 0; r < From; ++r) {
            column[r] = half[r][c];
        }
        const Column<To> mapped = map(column);
#pragma GCC unroll 6
        for (std::size_t r = 0; r < To; ++r) {
            full[r][c] = mapped[r];
        }
    }
    return full;
}

/// Places in an image.
struct Places {
    std::int64_t image = 0;  ///< floats from image to image
    std::int64_t pixel = 0;
    std::int64_t block = 0;
    std::int64_t lanes = 0;

    explicit Places(const ChannelView& view)
        : image(view.batch_outside ? view.outer_stride : view.inner_stride),
          pixel(view.batch_outside ? view.inner_stride : view.outer_stride),
          block(view.block_stride),
          lanes(view.lanes) {}
    std::int64_t at(std::int64_t n, std::int64_t channel) const {
        return n * image + channel / lanes * block + channel % lanes;
    }
};

/// What the loops over tiles have in common.
template <typename Tiling>
struct Walk {
    const WinogradConvolution& shape;
    std::int64_t rows = shape.tile_rows();
    std::int64_t columns = shape.tile_columns();

    std::int64_t tile(std::int64_t n, std::int64_t row, std::int64_t column) const {
        return (n * rows + row) * columns + column;
    }
    /// The input pixel of the tile's first element; padded_two sees the image itself.
    std::int64_t input_origin(std::int64_t index) const {
        return Tiling::kIn == 2 ? 0 : index * static_cast<std::int64_t>(Tiling::kOut) - shape.padding;
    }
    static std::int64_t output_origin(std::int64_t index) {
        return index * static_cast<std::int64_t>(Tiling::kOut);
    }
};

template <std::size_t N>
[[gnu::always_inline]] inline void store_products(const Tile<N, N>& tile, std::int64_t stride, float* to) {
#pragma GCC unroll 6
    for (std::size_t r = 0; r < N; ++r) {
#pragma GCC unroll 6
        for (std::size_t c = 0; c < N; ++c) {
            store(tile[r][c], to + static_cast<std::int64_t>(r * N + c) * stride);
        }
    }
}
template <std::size_t N>
[[gnu::always_inline]] inline Tile<N, N> load_products(const float* from, std::int64_t stride) {
    Tile<N, N> tile;
#pragma GCC unroll 6
    for (std::size_t r = 0; r < N; ++r) {
#pragma GCC unroll 6
        for (std::size_t c = 0; c < N; ++c) {
            load(tile[r][c], from + static_cast<std::int64_t>(r * N + c) * stride);
        }
    }
    return tile;
}

/// Part of an image, zero outside it.
template <std::size_t N>
[[gnu::always_inline]] inline Tile<N, N> load_pixels(const float* image, std::int64_t pixel, std::int64_t top,
                                                     std::int64_t left, std::int64_t height,
                                                     std::int64_t width) {
    Tile<N, N> tile;
#pragma GCC unroll 6
    for (std::size_t r = 0; r < N; ++r) {
        const std::int64_t y = top + static_cast<std::int64_t>(r);
#pragma GCC unroll 6
        for (std::size_t c = 0; c < N; ++c) {
            const std::int64_t x = left + static_cast<std::int64_t>(c);
            if (y >= 0 && y < height && x >= 0 && x < width) {
                load(tile[r][c], image + (y * width + x) * pixel);
            } else {
                tile[r][c] = V{};
            }
        }
    }
    return tile;
}

template <typename Tiling>
[[gnu::always_inline]] inline void transform_input(const WinogradConvolution& shape, std::int64_t n,
                                                   const float* input, float* transformed) {
    const Walk<Tiling> walk{shape};
    const Places places(shape.input);
    const std::int64_t channels = shape.in_channels();
    const std::int64_t stride = shape.input_stride();
    for (std::int64_t channel = 0; channel < channels; channel += kWidth) {
        const float* image = input + places.at(n, channel);
        for (std::int64_t row = 0; row < walk.rows; ++row) {
            for (std::int64_t column = 0; column < walk.columns; ++column) {
                const auto pixels =
                    load_pixels<Tiling::kIn>(image, places.pixel, walk.input_origin(row),
                                             walk.input_origin(column), shape.in_height, shape.in_width);
                store_products(both_ways<Tiling::kIn, Tiling::kProducts>(pixels, Tiling::input), stride,
                               transformed + walk.tile(n, row, column) * channels + channel);
            }
        }
    }
}

template <typename Tiling>
[[gnu::always_inline]] inline void transform_output(const WinogradConvolution& shape, std::int64_t n,
                                                    const float* products, const float* bias, bool relu,
                                                    float* output) {
    const Walk<Tiling> walk{shape};
    const Places places(shape.output);
    const std::int64_t channels = shape.out_channels();
    const std::int64_t stride = shape.output_stride();
    for (std::int64_t channel = 0; channel < channels; channel += kWidth) {
        float* image = output + places.at(n, channel);
        V level = {};
        if (bias != nullptr) {
            load(level, bias + channel);
        }
        for (std::int64_t row = 0; row < walk.rows; ++row) {
            for (std::int64_t column = 0; column < walk.columns; ++column) {
                const auto made = load_products<Tiling::kProducts>(
                    products + walk.tile(n, row, column) * channels + channel, stride);
                const auto pixels = both_ways<Tiling::kProducts, Tiling::kOut>(made, Tiling::output);
                for (std::size_t r = 0; r < Tiling::kOut; ++r) {
                    const std::int64_t y = walk.output_origin(row) + static_cast<std::int64_t>(r);
                    for (std::size_t c = 0; c < Tiling::kOut && y < shape.out_height; ++c) {
                        const std::int64_t x = walk.output_origin(column) + static_cast<std::int64_t>(c);
                        if (x < shape.out_width) {
                            V value = pixels[r][c] + level;
                            if (relu) {
                                value = value < 0.0F ? V{} : value;
                            }
                            store(value, image + (y * shape.out_width + x) * places.pixel);
                        }
                    }
                }
            }
        }
    }
}

template <typename Tiling>
[[gnu::always_inline]] inline void transform_output_gradient(const WinogradConvolution& shape, std::int64_t n,
                                                             const float* gradient, float* transformed,
                                                             float* sums) {
    const Walk<Tiling> walk{shape};
    const Places places(shape.output);
    const std::int64_t channels = shape.out_channels();
    const std::int64_t stride = shape.output_stride();
    for (std::int64_t channel = 0; channel < channels; channel += kWidth) {
        const float* image = gradient + places.at(n, channel);
        V sum = {};
        for (std::int64_t row = 0; row < walk.rows; ++row) {
            for (std::int64_t column = 0; column < walk.columns; ++column) {
                const auto pixels =
                    load_pixels<Tiling::kOut>(image, places.pixel, walk.output_origin(row),
                                              walk.output_origin(column), shape.out_height, shape.out_width);
                for (const auto& pixel_row : pixels) {
                    for (const V& pixel : pixel_row) {
                        sum += pixel;
                    }
                }
                store_products(both_ways<Tiling::kOut, Tiling::kProducts>(pixels, Tiling::output_transposed),
                               stride, transformed + walk.tile(n, row, column) * channels + channel);
            }
        }
        store(sum, sums + channel);
    }
}

/// Tiles overlap: they are added up in `scratch`, an image of eight channels with a margin.
template <typename Tiling>
[[gnu::always_inline]] inline void transform_input_gradient(const WinogradConvolution& shape, std::int64_t n,
                                                            const float* products, float* gradient,
                                                            std::vector<float>& scratch) {
    const Walk<Tiling> walk{shape};
    const Places places(shape.input);
    const std::int64_t channels = shape.in_channels();
    const std::int64_t stride = shape.input_stride();
    const std::int64_t margin = Tiling::kIn == 2 ? 0 : shape.padding;
    const auto reach = static_cast<std::int64_t>(Tiling::kIn);
    const std::int64_t across =
        std::max(walk.output_origin(walk.columns - 1) + reach, shape.in_width + margin);
    const std::int64_t down = std::max(walk.output_origin(walk.rows - 1) + reach, shape.in_height + margin);
    scratch.resize(static_cast<std::size_t>(across * down * kWidth));
    for (std::int64_t channel = 0; channel < channels; channel += kWidth) {
        std::memset(scratch.data(), 0, scratch.size() * sizeof(float));
        for (std::int64_t row = 0; row < walk.rows; ++row) {
            for (std::int64_t column = 0; column < walk.columns; ++column) {
                const auto made = load_products<Tiling::kProducts>(
                    products + walk.tile(n, row, column) * channels + channel, stride);
                const auto pixels = both_ways<Tiling::kProducts, Tiling::kIn>(made, Tiling::input_transposed);
                float* corner =
                    scratch.data() + (walk.output_origin(row) * across + walk.output_origin(column)) * kWidth;
                for (std::size_t r = 0; r < Tiling::kIn; ++r) {
                    for (std::size_t c = 0; c < Tiling::kIn; ++c) {
                        float* at =
                            corner +
                            (static_cast<std::int64_t>(r) * across + static_cast<std::int64_t>(c)) * kWidth;
                        V sum;
                        load(sum, at);
                        sum += pixels[r][c];
                        store(sum, at);
                    }
                }
            }
        }
        float* image = gradient + places.at(n, channel);
        for (std::int64_t y = 0; y < shape.in_height; ++y) {
            const float* from = scratch.data() + ((y + margin) * across + margin) * kWidth;
            for (std::int64_t x = 0; x < shape.in_width; ++x) {
                V value;
                load(value, from + x * kWidth);
                store(value, image + (y * shape.in_width + x) * places.pixel);
            }
        }
    }
}

/// Filters of one input channel; weights and transformed ones are [tap or product][in][out].
template <typename Tiling>
[[gnu::always_inline]] inline void transform_weights(const WinogradConvolution& shape, std::int64_t channel,
                                                     const float* weights, float* transformed) {
    const std::int64_t outputs = shape.out_channels();
    const std::int64_t tap = shape.in_channels() * outputs;
    for (std::int64_t o = 0; o < outputs; o += kWidth) {
        const Tile<3, 3> taps = load_products<3>(weights + channel * outputs + o, tap);
        store_products(both_ways<3, Tiling::kProducts>(taps, Tiling::weights), shape.weights_stride(),
                       transformed + channel * outputs + o);
    }
}
template <typename Tiling>
[[gnu::always_inline]] inline void transform_weights_gradient(const WinogradConvolution& shape,
                                                              std::int64_t channel, const float* products,
                                                              float* gradient) {
    const std::int64_t outputs = shape.out_channels();
    const std::int64_t tap = shape.in_channels() * outputs;
    for (std::int64_t o = 0; o < outputs; o += kWidth) {
        const auto made =
            load_products<Tiling::kProducts>(products + channel * outputs + o, shape.weights_stride());
        store_products(both_ways<Tiling::kProducts, 3>(made, Tiling::weights_transposed), tap,
                       gradient + channel * outputs + o);
    }
}

/// The transforms of one tiling, compiled for one instruction set.
struct Transforms {
    void (*input)(const WinogradConvolution&, std::int64_t, const float*, float*);
    void (*output)(const WinogradConvolution&, std::int64_t, const float*, const float*, bool, float*);
    void (*output_gradient)(const WinogradConvolution&, std::int64_t, const float*, float*, float*);
    void (*input_gradient)(const WinogradConvolution&, std::int64_t, const float*, float*,
                           std::vector<float>&);
    void (*weights)(const WinogradConvolution&, std::int64_t, const float*, float*);
    void (*weights_gradient)(const WinogradConvolution&, std::int64_t, const float*, float*);
};

// One copy per instruction set; which one runs is decided where the program runs.
#define RANKSCOPE_TRANSFORMS(Name, Target)                                                                   \
    template <typename Tiling>                                                                               \
    struct Name {                                                                                            \
        Target static void input(const WinogradConvolution& s, std::int64_t n, const float* x, float* t) {   \
            transform_input<Tiling>(s, n, x, t);                                                             \
        }                                                                                                    \
        Target static void output(const WinogradConvolution& s, std::int64_t n, const float* m,              \
                                  const float* bias, bool relu, float* y) {                                  \
            transform_output<Tiling>(s, n, m, bias, relu, y);                                                \
        }                                                                                                    \
        Target static void output_gradient(const WinogradConvolution& s, std::int64_t n, const float* dy,    \
                                           float* t, float* sums) {                                          \
            transform_output_gradient<Tiling>(s, n, dy, t, sums);                                            \
        }                                                                                                    \
        Target static void input_gradient(const WinogradConvolution& s, std::int64_t n, const float* m,      \
                                          float* dx, std::vector<float>& scratch) {                          \
            transform_input_gradient<Tiling>(s, n, m, dx, scratch);                                          \
        }                                                                                                    \
        Target static void weights(const WinogradConvolution& s, std::int64_t c, const float* w, float* t) { \
            transform_weights<Tiling>(s, c, w, t);                                                           \
        }                                                                                                    \
        Target static void weights_gradient(const WinogradConvolution& s, std::int64_t c, const float* m,    \
                                            float* dw) {                                                     \
            transform_weights_gradient<Tiling>(s, c, m, dw);                                                 \
        }                                                                                                    \
        static Transforms table() {                                                                          \
            return {input, output, output_gradient, input_gradient, weights, weights_gradient};              \
        }                                                                                                    \
    };
RANKSCOPE_TRANSFORMS(Portable, )
#if defined(__x86_64__)
RANKSCOPE_TRANSFORMS(Avx, [[gnu::target("avx2,fma")]])
#endif
#undef RANKSCOPE_TRANSFORMS

Transforms transforms_for(WinogradTiling tiling) {
    const bool four = tiling == WinogradTiling::four;
#if defined(__x86_64__)
    static const bool avx = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    if (avx) {
        return four ? Avx<Four>::table() : Avx<PaddedTwo>::table();
    }
#endif
    return four ? Portable<Four>::table() : Portable<PaddedTwo>::table();
}

}  // namespace

std::int64_t WinogradConvolution::chunk() const {
    // Half a million floats: with more the arrays leave the cache, with fewer than kLeastTiles rows the
    // products are too short for their operands (measured with ResNet-18's layers).
    constexpr std::int64_t kFloats = std::int64_t{1} << 19;
    constexpr std::int64_t kLeastTiles = 128;
    const std::int64_t image = products() * tiles_per_image() * std::max(in_channels(), out_channels());
    const std::int64_t least = (kLeastTiles + tiles_per_image() - 1) / tiles_per_image();
    const std::int64_t most = std::clamp(std::max(kFloats / image, least), std::int64_t{1}, batch);
    const std::int64_t passes = (batch + most - 1) / most;
    return (batch + passes - 1) / passes;
}

namespace {

/// Calls visit(first image, number of images) for chunk after chunk.
template <typename Visit>
void each_chunk(const WinogradConvolution& shape, Visit visit) {
    const std::int64_t chunk = shape.chunk();
    for (std::int64_t first = 0; first < shape.batch; first += chunk) {
        visit(first, std::min(chunk, shape.batch - first));
    }
}

}  // namespace

void winograd_forward(const WinogradConvolution& shape, const WinogradForward& run) {
    const Transforms transforms = transforms_for(shape.tiling);
    const std::int64_t in = shape.in_channels();
    const std::int64_t out = shape.out_channels();
    const std::int64_t from = Places(shape.input).image;
    const std::int64_t to = Places(shape.output).image;
#pragma omp parallel for
    for (std::int64_t channel = 0; channel < in; ++channel) {
        transforms.weights(shape, channel, run.weights, run.transformed_weights);
    }
    each_chunk(shape, [&](std::int64_t first, std::int64_t images) {
        const float* input = run.input + first * from;
        float* output = run.output + first * to;
        const std::int64_t tiles = images * shape.tiles_per_image();
#pragma omp parallel
        {
#pragma omp for
            for (std::int64_t n = 0; n < images; ++n) {
                transforms.input(shape, n, input, run.workspace.input);
            }
#pragma omp for
            for (std::int64_t p = 0; p < shape.products(); ++p) {
                gemm(tiles, out, in, {run.workspace.input + p * shape.input_stride(), in},
                     {run.transformed_weights + p * shape.weights_stride(), out}, false,
                     run.workspace.output + p * shape.output_stride(), out);
            }
#pragma omp for
            for (std::int64_t n = 0; n < images; ++n) {
                transforms.output(shape, n, run.workspace.output, run.bias, run.relu, output);
            }
        }
    });
}

void winograd_backward(const WinogradConvolution& shape, const WinogradBackward& run) {
    const Transforms transforms = transforms_for(shape.tiling);
    const std::int64_t in = shape.in_channels();
    const std::int64_t out = shape.out_channels();
    const std::int64_t from = Places(shape.input).image;
    const std::int64_t to = Places(shape.output).image;
    std::vector<float> sums(static_cast<std::size_t>(shape.batch * out));  // of each image's channels
    each_chunk(shape, [&](std::int64_t first, std::int64_t images) {
        const float* input = run.input + first * from;
        const float* output_gradient = run.output_gradient + first * to;
        const std::int64_t tiles = images * shape.tiles_per_image();
#pragma omp parallel
        {
#pragma omp for
            for (std::int64_t n = 0; n < images; ++n) {
                transforms.output_gradient(shape, n, output_gradient, run.workspace.output,
                                           sums.data() + (first + n) * out);
                transforms.input(shape, n, input, run.workspace.input);
            }
#pragma omp for
            for (std::int64_t p = 0; p < shape.products(); ++p) {
                float* const transformed_input = run.workspace.input + p * shape.input_stride();
                const float* const gradient = run.workspace.output + p * shape.output_stride();
                gemm(in, out, tiles, {transformed_input, in, true}, {gradient, out}, first != 0,
                     run.transformed_weights_gradient + p * shape.weights_stride(), out);
                if (run.input_gradient != nullptr) {  // in the place of the transformed input
                    gemm(tiles, in, out, {gradient, out},
                         {run.transformed_weights + p * shape.weights_stride(), out, true}, false,
                         transformed_input, in);
                }
            }
            std::vector<float> scratch;
#pragma omp for
            for (std::int64_t n = 0; n < (run.input_gradient != nullptr ? images : 0); ++n) {
                transforms.input_gradient(shape, n, run.workspace.input, run.input_gradient + first * from,
                                          scratch);
            }
        }
    });
#pragma omp parallel for
    for (std::int64_t channel = 0; channel < in; ++channel) {
        transforms.weights_gradient(shape, channel, run.transformed_weights_gradient, run.weights_gradient);
    }
    if (run.bias_gradient != nullptr) {
        std::vector<double> totals(static_cast<std::size_t>(out), 0.0);
        for (std::size_t i = 0; i < sums.size(); ++i) {
            totals[i % totals.size()] += static_cast<double>(sums[i]);
        }
        std::transform(totals.begin(), totals.end(), run.bias_gradient,
                       [](double total) { return static_cast<float>(total); });
    }
}

}  // namespace rankscope::engine::cpu
