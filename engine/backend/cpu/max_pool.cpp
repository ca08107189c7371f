// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/lanes.h>
#include <engine/backend/cpu/max_pool.h>

#include <algorithm>
#include <cstring>
#include <vector>

namespace rankscope::engine::cpu {
namespace {

/// Takes over what is larger (or not a number).
template <int W, typename T>
[[gnu::always_inline]] inline void consider(typename Lanes<W>::Float& best, typename Lanes<W>::Int& from,
                                            const T* at, std::int32_t place) {
    typename Lanes<W>::Float value = load_floats<W>(at);
    const typename Lanes<W>::Int better = (value > best) | (value != value);
    best = better ? value : best;
    from = better ? place - typename Lanes<W>::Int{} : from;
}

template <int W, typename T>
[[gnu::always_inline]] inline void pool_window(const T* window, std::int64_t right, std::int64_t below,
                                               bool relu, T* out, std::int8_t* origin) {
    using V = Lanes<W>;
    typename V::Float best = load_floats<W>(window);
    typename V::Int from = {};
    consider<W>(best, from, window + right, 1);
    consider<W>(best, from, window + below, 2);
    consider<W>(best, from, window + below + right, 3);
    if (relu) {
        const typename V::Int cut = best <= 0.0F;
        best = cut ? typename V::Float{} : best;
        from = cut ? 4 - typename V::Int{} : from;
    }
    store_floats<W>(best, out);
    const typename V::Byte narrow = __builtin_convertvector(from, typename V::Byte);
    store(narrow, origin);
}

template <int W, typename T>
[[gnu::always_inline]] inline void forward_plane(const MaxPoolShape& given, const T* in, T* out,
                                                 std::int8_t* origin) {
    // A copy: the byte stores might alias the shape, and then it would be computed again for every pixel.
    const MaxPoolShape shape = given;
    const std::int64_t block = shape.block;
    const std::int64_t row = shape.width * block;
    const std::int64_t rows = shape.out_height();
    const std::int64_t columns = shape.out_width();
    for (std::int64_t y = 0; y < rows; ++y) {
        const T* window = in + y * shape.stride * row;
        for (std::int64_t x = 0; x < columns; ++x, window += shape.stride * block) {
            for (std::int64_t lane = 0; lane < block; lane += W, out += W, origin += W) {
                pool_window<W>(window + lane, block, row, shape.relu, out, origin);
            }
        }
    }
}

/// Windows of any size, with padding: the same for each.
template <int W, typename T>
[[gnu::always_inline]] inline void forward_plane_general(const MaxPoolShape& given, const T* in, T* out,
                                                         std::int8_t* origin) {
    using V = Lanes<W>;
    const MaxPoolShape shape = given;
    const std::int64_t block = shape.block;
    for (std::int64_t y = 0; y < shape.out_height(); ++y) {
        const std::int64_t top = y * shape.stride - shape.padding;
        const std::int64_t rows_from = std::max<std::int64_t>(0, -top);
        const std::int64_t rows_to = std::min(shape.kernel, shape.height - top);
        for (std::int64_t x = 0; x < shape.out_width(); ++x) {
            const std::int64_t left = x * shape.stride - shape.padding;
            const std::int64_t columns_from = std::max<std::int64_t>(0, -left);
            const std::int64_t columns_to = std::min(shape.kernel, shape.width - left);
            for (std::int64_t lane = 0; lane < block; lane += W, out += W, origin += W) {
                const T* const corner = in + (top * shape.width + left) * block + lane;
                typename V::Float best =
                    load_floats<W>(corner + (rows_from * shape.width + columns_from) * block);
                typename V::Int from =
                    static_cast<std::int32_t>(rows_from * shape.kernel + columns_from) - typename V::Int{};
                for (std::int64_t ky = rows_from; ky < rows_to; ++ky) {
                    for (std::int64_t kx = columns_from; kx < columns_to; ++kx) {
                        consider<W>(best, from, corner + (ky * shape.width + kx) * block,
                                    static_cast<std::int32_t>(ky * shape.kernel + kx));
                    }
                }
                if (shape.relu) {
                    const typename V::Int cut = best <= 0.0F;
                    best = cut ? typename V::Float{} : best;
                    from = cut ? shape.nowhere() - typename V::Int{} : from;
                }
                store_floats<W>(best, out);
                const typename V::Byte narrow = __builtin_convertvector(from, typename V::Byte);
                store(narrow, origin);
            }
        }
    }
}

/// The part of a window's gradient that belongs to one place of it.
template <int W, typename T>
[[gnu::always_inline]] inline void add_share(typename Lanes<W>::Float& sum, const T* gradient,
                                             const std::int8_t* origin, std::int32_t place) {
    using V = Lanes<W>;
    typename V::Float value = load_floats<W>(gradient);
    typename V::Byte narrow;
    load(narrow, origin);
    const typename V::Int from = __builtin_convertvector(narrow, typename V::Int);
    sum += from == place ? value : typename V::Float{};
}

/// Windows do not overlap: each writes its four gradients.
template <int W, typename T>
[[gnu::always_inline]] inline void backward_plane_apart(const MaxPoolShape& shape, const T* out_gradient,
                                                        const std::int8_t* origin, T* in_gradient) {
    const std::int64_t block = shape.block;
    const std::int64_t row = shape.width * block;
    const std::int64_t rows = shape.out_height();
    const std::int64_t columns = shape.out_width();
    const bool covered = shape.stride == 2 && shape.height % 2 == 0 && shape.width % 2 == 0;
    if (!covered) {
        std::memset(in_gradient, 0, static_cast<std::size_t>(shape.height * row) * sizeof(T));
    }
    for (std::int64_t y = 0; y < rows; ++y) {
        T* window = in_gradient + y * shape.stride * row;
        for (std::int64_t x = 0; x < columns; ++x, window += shape.stride * block) {
            for (std::int64_t lane = 0; lane < block; lane += W, out_gradient += W, origin += W) {
                for (std::int32_t place = 0; place < 4; ++place) {
                    typename Lanes<W>::Float share = {};
                    add_share<W>(share, out_gradient, origin, place);
                    store_floats<W>(share, window + lane + (place / 2) * row + (place % 2) * block);
                }
            }
        }
    }
}

/// Windows overlap: each input gathers from the up to four windows it is in.
template <int W, typename T>
[[gnu::always_inline]] inline void backward_plane_overlapping(const MaxPoolShape& shape,
                                                              const T* out_gradient,
                                                              const std::int8_t* origin, T* in_gradient) {
    const std::int64_t block = shape.block;
    const std::int64_t rows = shape.out_height();
    const std::int64_t columns = shape.out_width();
    for (std::int64_t y = 0; y < shape.height; ++y) {
        for (std::int64_t x = 0; x < shape.width; ++x) {
            for (std::int64_t lane = 0; lane < block; lane += W, in_gradient += W) {
                typename Lanes<W>::Float sum = {};
                for (std::int32_t place = 0; place < 4; ++place) {
                    const std::int64_t wy = y - place / 2;
                    const std::int64_t wx = x - place % 2;
                    if (wy >= 0 && wy < rows && wx >= 0 && wx < columns) {
                        const std::int64_t at = (wy * columns + wx) * block + lane;
                        add_share<W>(sum, out_gradient + at, origin + at, place);
                    }
                }
                store_floats<W>(sum, in_gradient);
            }
        }
    }
}

/// The windows [from, to) that each row (or column) of the input is in.
struct WindowRange {
    std::int64_t from = 0;
    std::int64_t to = 0;
};

std::vector<WindowRange> window_ranges(const MaxPoolShape& shape, std::int64_t size, std::int64_t windows) {
    std::vector<WindowRange> ranges;
    for (std::int64_t at = 0; at < size; ++at) {
        const std::int64_t reach = at + shape.padding - shape.kernel + 1;
        ranges.push_back({reach <= 0 ? 0 : (reach + shape.stride - 1) / shape.stride,
                          std::min(windows, (at + shape.padding) / shape.stride + 1)});
    }
    return ranges;
}

/// Each input gathers from every window it is in.
template <int W, typename T>
[[gnu::always_inline]] inline void backward_plane_general(const MaxPoolShape& shape, const T* out_gradient,
                                                          const std::int8_t* origin, T* in_gradient) {
    const std::int64_t block = shape.block;
    const std::int64_t columns = shape.out_width();
    const std::vector<WindowRange> down = window_ranges(shape, shape.height, shape.out_height());
    const std::vector<WindowRange> across = window_ranges(shape, shape.width, columns);
    for (std::int64_t y = 0; y < shape.height; ++y) {
        const WindowRange vertical = down[static_cast<std::size_t>(y)];
        for (std::int64_t x = 0; x < shape.width; ++x) {
            const WindowRange horizontal = across[static_cast<std::size_t>(x)];
            for (std::int64_t lane = 0; lane < block; lane += W, in_gradient += W) {
                typename Lanes<W>::Float sum = {};
                for (std::int64_t wy = vertical.from; wy < vertical.to; ++wy) {
                    const std::int64_t row = (y + shape.padding - wy * shape.stride) * shape.kernel;
                    for (std::int64_t wx = horizontal.from; wx < horizontal.to; ++wx) {
                        const std::int64_t at = (wy * columns + wx) * block + lane;
                        const std::int64_t place = row + x + shape.padding - wx * shape.stride;
                        add_share<W>(sum, out_gradient + at, origin + at, static_cast<std::int32_t>(place));
                    }
                }
                store_floats<W>(sum, in_gradient);
            }
        }
    }
}

template <int W, typename T>
[[gnu::always_inline]] inline void backward_plane(const MaxPoolShape& given, const T* out_gradient,
                                                  const std::int8_t* origin, T* in_gradient) {
    const MaxPoolShape shape = given;
    if (shape.kernel != 2 || shape.padding != 0) {
        backward_plane_general<W>(shape, out_gradient, origin, in_gradient);
    } else if (shape.stride == 1) {
        backward_plane_overlapping<W>(shape, out_gradient, origin, in_gradient);
    } else {
        backward_plane_apart<W>(shape, out_gradient, origin, in_gradient);
    }
}

template <int W, typename T>
[[gnu::always_inline]] inline void forward_any(const MaxPoolShape& shape, const T* in, T* out,
                                               std::int8_t* origin) {
    if (shape.kernel != 2 || shape.padding != 0) {
        forward_plane_general<W>(shape, in, out, origin);
    } else {
        forward_plane<W>(shape, in, out, origin);
    }
}

// One copy per instruction set; which one runs is decided where the program runs. The loop over the planes is
// outside, as OpenMP moves its body into a function of its own, which does not inherit the instruction set.
template <typename T>
struct Variant {
    void (*forward)(const MaxPoolShape&, const T*, T*, std::int8_t*);
    void (*backward)(const MaxPoolShape&, const T*, const std::int8_t*, T*);
};

template <int W, typename T>
struct Portable {
    static void forward(const MaxPoolShape& shape, const T* in, T* out, std::int8_t* origin) {
        forward_any<W>(shape, in, out, origin);
    }
    static void backward(const MaxPoolShape& shape, const T* out_gradient, const std::int8_t* origin,
                         T* in_gradient) {
        backward_plane<W>(shape, out_gradient, origin, in_gradient);
    }
};
#if defined(__x86_64__)
template <typename T>
struct Avx2 {
    [[gnu::target("avx2")]] static void forward(const MaxPoolShape& shape, const T* in, T* out,
                                                std::int8_t* origin) {
        forward_any<8>(shape, in, out, origin);
    }
    [[gnu::target("avx2")]] static void backward(const MaxPoolShape& shape, const T* out_gradient,
                                                 const std::int8_t* origin, T* in_gradient) {
        backward_plane<8>(shape, out_gradient, origin, in_gradient);
    }
};
#endif

template <typename T>
Variant<T> variant_for(std::int64_t block) {
#if defined(__x86_64__)
    static const bool avx2 = __builtin_cpu_supports("avx2");
    if (avx2 && block % 8 == 0) {
        return {Avx2<T>::forward, Avx2<T>::backward};
    }
#endif
    return block % 4 == 0 ? Variant<T>{Portable<4, T>::forward, Portable<4, T>::backward}
                          : Variant<T>{Portable<1, T>::forward, Portable<1, T>::backward};
}

}  // namespace

template <typename T>
void max_pool_forward(const MaxPoolShape& shape, std::span<const T> input, std::span<T> output,
                      std::span<std::int8_t> origin) {
    const std::int64_t from = shape.height * shape.width * shape.block;
    const std::int64_t to = shape.out_height() * shape.out_width() * shape.block;
    const auto plane_forward = variant_for<T>(shape.block).forward;
#pragma omp parallel for
    for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
        plane_forward(shape, input.data() + plane * from, output.data() + plane * to,
                      origin.data() + plane * to);
    }
}

template <typename T>
void max_pool_backward(const MaxPoolShape& shape, std::span<const T> output_gradient,
                       std::span<const std::int8_t> origin, std::span<T> input_gradient) {
    const std::int64_t from = shape.height * shape.width * shape.block;
    const std::int64_t to = shape.out_height() * shape.out_width() * shape.block;
    const auto plane_backward = variant_for<T>(shape.block).backward;
#pragma omp parallel for
    for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
        plane_backward(shape, output_gradient.data() + plane * to, origin.data() + plane * to,
                       input_gradient.data() + plane * from);
    }
}

template <typename T>
void window_average_forward(const MaxPoolShape& shape, std::span<const T> input, std::span<T> output) {
    const float share = 1.0F / static_cast<float>(shape.kernel * shape.kernel);
    std::vector<float> sum(static_cast<std::size_t>(shape.block));
    T* y = output.data();
    for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
        const T* const image = input.data() + plane * shape.height * shape.width * shape.block;
        for (std::int64_t place = 0; place < shape.out_height() * shape.out_width(); ++place) {
            const std::int64_t row = place / shape.out_width() * shape.stride;
            const std::int64_t column = place % shape.out_width() * shape.stride;
            std::fill(sum.begin(), sum.end(), 0.0F);
            for (std::int64_t k = 0; k < shape.kernel * shape.kernel; ++k) {
                const std::int64_t pixel = (row + k / shape.kernel) * shape.width + column + k % shape.kernel;
                const T* const x = image + pixel * shape.block;
                for (std::size_t i = 0; i < sum.size(); ++i) {
                    sum[i] += to_float(x[i]);
                }
            }
            for (const float one : sum) {
                *y++ = rounded_to<T>(one * share);
            }
        }
    }
}

template <typename T>
void window_average_backward(const MaxPoolShape& shape, std::span<const T> output_gradient,
                             std::span<T> input_gradient) {
    const float share = 1.0F / static_cast<float>(shape.kernel * shape.kernel);
    std::fill(input_gradient.begin(), input_gradient.end(), T{});
    const T* dy = output_gradient.data();
    for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
        T* const image = input_gradient.data() + plane * shape.height * shape.width * shape.block;
        for (std::int64_t place = 0; place < shape.out_height() * shape.out_width(); ++place) {
            const std::int64_t row = place / shape.out_width() * shape.stride;
            const std::int64_t column = place % shape.out_width() * shape.stride;
            for (std::int64_t k = 0; k < shape.kernel * shape.kernel; ++k) {
                const std::int64_t pixel = (row + k / shape.kernel) * shape.width + column + k % shape.kernel;
                T* const dx = image + pixel * shape.block;
                for (std::int64_t i = 0; i < shape.block; ++i) {
                    dx[i] = rounded_to<T>(to_float(dx[i]) + to_float(dy[i]) * share);
                }
            }
            dy += shape.block;
        }
    }
}

template void window_average_forward<float>(const MaxPoolShape&, std::span<const float>, std::span<float>);
template void window_average_forward<Bf16>(const MaxPoolShape&, std::span<const Bf16>, std::span<Bf16>);
template void window_average_backward<float>(const MaxPoolShape&, std::span<const float>, std::span<float>);
template void window_average_backward<Bf16>(const MaxPoolShape&, std::span<const Bf16>, std::span<Bf16>);
template void max_pool_forward<float>(const MaxPoolShape&, std::span<const float>, std::span<float>,
                                      std::span<std::int8_t>);
template void max_pool_forward<Bf16>(const MaxPoolShape&, std::span<const Bf16>, std::span<Bf16>,
                                     std::span<std::int8_t>);
template void max_pool_backward<float>(const MaxPoolShape&, std::span<const float>,
                                       std::span<const std::int8_t>, std::span<float>);
template void max_pool_backward<Bf16>(const MaxPoolShape&, std::span<const Bf16>,
                                      std::span<const std::int8_t>, std::span<Bf16>);

}  // namespace rankscope::engine::cpu
