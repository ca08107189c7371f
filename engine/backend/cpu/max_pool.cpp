// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/max_pool.h>

#include <algorithm>
#include <cstring>

// Vectors wider than the baseline's registers stay inside this file, where everything is inlined.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace rankscope::engine::cpu {
namespace {

/// W channels as one vector of the compiler's extension: the same source for every instruction set. Not wider
/// than the machine's: GCC 12 takes vectors of 64 bytes apart into single elements in functions of another
/// target.
template <int W>
struct Lanes {
    using Float [[gnu::vector_size(W * 4)]] = float;
    using Int [[gnu::vector_size(W * 4)]] = std::int32_t;
    using Byte [[gnu::vector_size(W)]] = std::int8_t;
};

template <typename Vector, typename Element>
[[gnu::always_inline]] inline void load(Vector& vector, const Element* at) {
    std::memcpy(&vector, at, sizeof(vector));
}
template <typename Vector, typename Element>
[[gnu::always_inline]] inline void store(const Vector& vector, Element* at) {
    std::memcpy(at, &vector, sizeof(vector));
}

/// Takes over what is larger (or not a number).
template <int W>
[[gnu::always_inline]] inline void consider(typename Lanes<W>::Float& best, typename Lanes<W>::Int& from,
                                            const float* at, std::int32_t place) {
    typename Lanes<W>::Float value;
    load(value, at);
    const typename Lanes<W>::Int better = (value > best) | (value != value);
    best = better ? value : best;
    from = better ? place - typename Lanes<W>::Int{} : from;
}

template <int W>
[[gnu::always_inline]] inline void pool_window(const float* window, std::int64_t right, std::int64_t below,
                                               bool relu, float* out, std::int8_t* origin) {
    using V = Lanes<W>;
    typename V::Float best;
    load(best, window);
    typename V::Int from = {};
    consider<W>(best, from, window + right, 1);
    consider<W>(best, from, window + below, 2);
    consider<W>(best, from, window + below + right, 3);
    if (relu) {
        const typename V::Int cut = best <= 0.0F;
        best = cut ? typename V::Float{} : best;
        from = cut ? 4 - typename V::Int{} : from;
    }
    store(best, out);
    const typename V::Byte narrow = __builtin_convertvector(from, typename V::Byte);
    store(narrow, origin);
}

template <int W>
[[gnu::always_inline]] inline void forward_plane(const MaxPoolShape& given, const float* in, float* out,
                                                 std::int8_t* origin) {
    // A copy: the byte stores might alias the shape, and then it would be worked out anew for every pixel.
    const MaxPoolShape shape = given;
    const std::int64_t block = shape.block;
    const std::int64_t row = shape.width * block;
    const std::int64_t rows = shape.out_height();
    const std::int64_t columns = shape.out_width();
    for (std::int64_t y = 0; y < rows; ++y) {
        const float* window = in + y * shape.stride * row;
        for (std::int64_t x = 0; x < columns; ++x, window += shape.stride * block) {
            for (std::int64_t lane = 0; lane < block; lane += W, out += W, origin += W) {
                pool_window<W>(window + lane, block, row, shape.relu, out, origin);
            }
        }
    }
}

/// The part of a window's gradient that belongs to one place of it.
template <int W>
[[gnu::always_inline]] inline void add_share(typename Lanes<W>::Float& sum, const float* gradient,
                                             const std::int8_t* origin, std::int32_t place) {
    using V = Lanes<W>;
    typename V::Float value;
    load(value, gradient);
    typename V::Byte narrow;
    load(narrow, origin);
    const typename V::Int from = __builtin_convertvector(narrow, typename V::Int);
    sum += from == place ? value : typename V::Float{};
}

/// Windows do not overlap: each writes its four gradients.
template <int W>
[[gnu::always_inline]] inline void backward_plane_apart(const MaxPoolShape& shape, const float* out_gradient,
                                                        const std::int8_t* origin, float* in_gradient) {
    const std::int64_t block = shape.block;
    const std::int64_t row = shape.width * block;
    const std::int64_t rows = shape.out_height();
    const std::int64_t columns = shape.out_width();
    const bool covered = shape.stride == 2 && shape.height % 2 == 0 && shape.width % 2 == 0;
    if (!covered) {
        std::memset(in_gradient, 0, static_cast<std::size_t>(shape.height * row) * sizeof(float));
    }
    for (std::int64_t y = 0; y < rows; ++y) {
        float* window = in_gradient + y * shape.stride * row;
        for (std::int64_t x = 0; x < columns; ++x, window += shape.stride * block) {
            for (std::int64_t lane = 0; lane < block; lane += W, out_gradient += W, origin += W) {
                for (std::int32_t place = 0; place < 4; ++place) {
                    typename Lanes<W>::Float share = {};
                    add_share<W>(share, out_gradient, origin, place);
                    store(share, window + lane + (place / 2) * row + (place % 2) * block);
                }
            }
        }
    }
}

/// Windows overlap: each input gathers from the up to four windows it is in.
template <int W>
[[gnu::always_inline]] inline void backward_plane_overlapping(const MaxPoolShape& shape,
                                                              const float* out_gradient,
                                                              const std::int8_t* origin, float* in_gradient) {
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
                store(sum, in_gradient);
            }
        }
    }
}

template <int W>
[[gnu::always_inline]] inline void backward_plane(const MaxPoolShape& given, const float* out_gradient,
                                                  const std::int8_t* origin, float* in_gradient) {
    const MaxPoolShape shape = given;
    if (shape.stride == 1) {
        backward_plane_overlapping<W>(shape, out_gradient, origin, in_gradient);
    } else {
        backward_plane_apart<W>(shape, out_gradient, origin, in_gradient);
    }
}

// One copy per instruction set; which one runs is decided where the program runs. The loop over the planes is
// outside, as OpenMP moves its body into a function of its own, which does not inherit the instruction set.
void forward_portable(const MaxPoolShape& shape, const float* in, float* out, std::int8_t* origin) {
    forward_plane<4>(shape, in, out, origin);
}
void backward_portable(const MaxPoolShape& shape, const float* out_gradient, const std::int8_t* origin,
                       float* in_gradient) {
    backward_plane<4>(shape, out_gradient, origin, in_gradient);
}
#if defined(__x86_64__)
[[gnu::target("avx2")]] void forward_avx2(const MaxPoolShape& shape, const float* in, float* out,
                                          std::int8_t* origin) {
    forward_plane<8>(shape, in, out, origin);
}
[[gnu::target("avx2")]] void backward_avx2(const MaxPoolShape& shape, const float* out_gradient,
                                           const std::int8_t* origin, float* in_gradient) {
    backward_plane<8>(shape, out_gradient, origin, in_gradient);
}
#endif

struct Variant {
    void (*forward)(const MaxPoolShape&, const float*, float*, std::int8_t*) = forward_portable;
    void (*backward)(const MaxPoolShape&, const float*, const std::int8_t*, float*) = backward_portable;
};

Variant best_variant() {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return {forward_avx2, backward_avx2};
    }
#endif
    return {};
}

const Variant& variant() {
    static const Variant chosen = best_variant();
    return chosen;
}

}  // namespace

void max_pool_forward(const MaxPoolShape& shape, std::span<const float> input, std::span<float> output,
                      std::span<std::int8_t> origin) {
    const std::int64_t from = shape.height * shape.width * shape.block;
    const std::int64_t to = shape.out_height() * shape.out_width() * shape.block;
    const auto plane_forward = variant().forward;
#pragma omp parallel for
    for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
        plane_forward(shape, input.data() + plane * from, output.data() + plane * to,
                      origin.data() + plane * to);
    }
}

void max_pool_backward(const MaxPoolShape& shape, std::span<const float> output_gradient,
                       std::span<const std::int8_t> origin, std::span<float> input_gradient) {
    const std::int64_t from = shape.height * shape.width * shape.block;
    const std::int64_t to = shape.out_height() * shape.out_width() * shape.block;
    const auto plane_backward = variant().backward;
#pragma omp parallel for
    for (std::int64_t plane = 0; plane < shape.planes; ++plane) {
        plane_backward(shape, output_gradient.data() + plane * to, origin.data() + plane * to,
                       input_gradient.data() + plane * from);
    }
}

}  // namespace rankscope::engine::cpu
