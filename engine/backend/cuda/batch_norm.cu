// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/batch_norm.h>
#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/launch.h>
#include <engine/backend/cuda/norm_gradient.cuh>
#include <engine/backend/cuda/norm_numbers.cuh>
#include <engine/backend/cuda/row_tiling.h>

#include <type_traits>

namespace rankscope::engine::cuda {
namespace {

constexpr int kThreads = RowTiling::kThreads;
// Of the kernels that add up: the last block reads what each of the others has left, so there are few of them.
constexpr int kPasses = 8;
constexpr int kMostBlocks = 256;
// Of those that only pass through.
constexpr int kApplyPasses = 4;
constexpr int kMostApplyBlocks = 1024;
constexpr int kBlock = static_cast<int>(kGroup);

/// Where this thread works.
struct Place {
    int lane;     // group within the tile
    int row;      // within a pass
    int channel;  // first of the group
    bool active;
};

__device__ __forceinline__ Place place_of(const RowTiling& tiling) {
    Place place;
    place.lane = static_cast<int>(threadIdx.x) % tiling.lanes;
    place.row = static_cast<int>(threadIdx.x) / tiling.lanes;
    place.channel = (static_cast<int>(blockIdx.x) * tiling.lanes + place.lane) * kBlock;
    place.active = place.row < tiling.stride && place.channel < tiling.channels;
    return place;
}

/// The rows [begin, end) of this block, in steps of tiling.stride from begin + place.row.
__device__ __forceinline__ std::int64_t first_row(const RowTiling& tiling) {
    return static_cast<std::int64_t>(blockIdx.y) * tiling.chunk_rows;
}
__device__ __forceinline__ std::int64_t end_row(const RowTiling& tiling) {
    const std::int64_t end = first_row(tiling) + tiling.chunk_rows;
    return end < tiling.rows ? end : tiling.rows;
}

/// Goes down this thread's rows. read(at) fetches what lies at an element, use(fetched, at) computes with it; kAhead rows
/// are fetched before the first of them is used. The compiler does not do so by itself: it keeps the loop's condition
/// between the rows, and each of them then waits for its memory. Behind the last row the first of the batch is fetched
/// again, so that no condition is left.
template <int kAhead, typename Read, typename Use>
__device__ __forceinline__ void for_rows(const RowTiling& tiling, const Place& place, Read read, Use use) {
    const std::int64_t end = end_row(tiling);
    for (std::int64_t row = first_row(tiling) + place.row; row < end; row += kAhead * tiling.stride) {
        const auto at = [&](int k) {
            const std::int64_t wanted = row + k * tiling.stride;
            return (wanted < end ? wanted : row) * tiling.channels + place.channel;
        };
        decltype(read(row)) fetched[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            fetched[k] = read(at(k));
        }
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            if (row + k * tiling.stride < end) {
                use(fetched[k], at(k));
            }
        }
    }
}

/// Two sums per channel over the whole matrix: every thread brings its own, the last block of the tile to
/// finish calls finish(channel, read, first, second) for each of the tile's channels, where `read` is what read(channel)
/// has given before.
template <typename Read, typename Finish>
__device__ void sum_up(const RowTiling& tiling, const Place& place, const Group& first, const Group& second,
                       float* partials, unsigned* counters, Read read, Finish finish) {
    // A row lies there as [element of the group][lane], a ninth of it is left empty: the threads of a warp, whether they
    // stand in one row or in several, use 32 different banks.
    __shared__ float shared_first[kThreads * (kBlock + 1)];
    __shared__ float shared_second[kThreads * (kBlock + 1)];
    __shared__ bool is_last;
    const int width = tiling.lanes * kBlock;
    const int pitch = tiling.lanes * (kBlock + 1);
    if (place.row < tiling.stride) {
        for (int i = 0; i < kBlock; ++i) {
            const int at = place.row * pitch + i * tiling.lanes + place.lane;
            shared_first[at] = place.active ? first.v[i] : 0.0F;
            shared_second[at] = place.active ? second.v[i] : 0.0F;
        }
    }
    __syncthreads();
    const int first_channel = static_cast<int>(blockIdx.x) * width;
    const int column = static_cast<int>(threadIdx.x);
    const bool finishes = column < width && first_channel + column < tiling.channels;
    const auto known = read(finishes ? first_channel + column : 0);
    const int channel = first_channel + column % tiling.lanes * kBlock + column / tiling.lanes;
    if (column < width && channel < tiling.channels) {
        float a = 0.0F;
        float b = 0.0F;
        for (int row = 0; row < tiling.stride; ++row) {
            a += shared_first[row * pitch + column];
            b += shared_second[row * pitch + column];
        }
        const std::int64_t at = static_cast<std::int64_t>(blockIdx.y) * 2 * tiling.channels + channel;
        partials[at] = a;
        partials[at + tiling.channels] = b;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        // Fences of one thread, between barriers, order what all threads of the block write and read.
        __threadfence();
        is_last = atomicAdd(&counters[blockIdx.x], 1U) + 1U == gridDim.y;
        __threadfence();
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    // The chunks are shared out among the threads of a column, then their sums are added: always in the same
    // order, whichever block is last.
    __shared__ double total_first[kThreads];
    __shared__ double total_second[kThreads];
    const int teams = kThreads / width;
    const int team = column / width;
    const int mine = column % width;
    double a = 0.0;
    double b = 0.0;
    if (team < teams && first_channel + mine < tiling.channels) {
        const float* from = partials + first_channel + mine;
        const auto chunks = static_cast<int>(gridDim.y);
        constexpr int kAhead = 8;  // as for_rows()
        for (int chunk = team; chunk < chunks; chunk += kAhead * teams) {
            float first_of[kAhead];
            float second_of[kAhead];
#pragma unroll
            for (int k = 0; k < kAhead; ++k) {
                const int wanted = chunk + k * teams;
                const std::int64_t at =
                    static_cast<std::int64_t>(wanted < chunks ? wanted : chunk) * 2 * tiling.channels;
                first_of[k] = __ldcg(from + at);
                second_of[k] = __ldcg(from + at + tiling.channels);
            }
#pragma unroll
            for (int k = 0; k < kAhead; ++k) {
                if (chunk + k * teams < chunks) {
                    a += static_cast<double>(first_of[k]);
                    b += static_cast<double>(second_of[k]);
                }
            }
        }
    }
    total_first[column] = a;
    total_second[column] = b;
    __syncthreads();
    if (finishes) {
        for (int other = 1; other < teams; ++other) {
            a += total_first[other * width + mine];
            b += total_second[other * width + mine];
        }
        finish(first_channel + mine, known, a, b);
    }
    if (threadIdx.x == 0) {
        counters[blockIdx.x] = 0U;
    }
}

/// Sums of x − p and (x − p)², where p is the first row: no digits are lost however far the mean lies from 0.
template <typename T>
__device__ __forceinline__ void add_rows(const T* x, const RowTiling& tiling, const Place& place,
                                         const Group& pivot, Group& sum, Group& squares) {
    for (int i = 0; i < kBlock; ++i) {
        sum.v[i] = 0.0F;
        squares.v[i] = 0.0F;
    }
    if (!place.active) {
        return;
    }
    for_rows<8>(
        tiling, place, [&](std::int64_t at) { return load_packed(x + at); },
        [&](const Packed<T>& packed, std::int64_t) {
            const Group in = unpacked(packed);
            for (int i = 0; i < kBlock; ++i) {
                const float d = in.v[i] - pivot.v[i];
                sum.v[i] += d;
                squares.v[i] += d * d;
            }
        });
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    statistics_kernel(const T* x, RowTiling tiling, BatchNormVectors vectors, float* partials,
                      unsigned* counters) {
    wait_for_inputs();
    const Place place = place_of(tiling);
    Group pivot{};
    if (place.active) {
        pivot = load(x + place.channel);
    }
    Group sum;
    Group squares;
    add_rows(x, tiling, place, pivot, sum, squares);
    struct Known {
        ChannelNumbers numbers;
        float pivot;
    };
    sum_up(
        tiling, place, sum, squares, partials, counters,
        [&](int c) {
            return Known{channel_numbers(vectors, c), static_cast<float>(x[c])};
        },
        [&](int c, const Known& known, double a, double b) {
            const auto count = static_cast<double>(tiling.rows);
            const double offset = a / count;
            take_statistics(vectors, c, known.numbers, static_cast<double>(known.pivot) + offset,
                            b / count - offset * offset, count);
        });
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    statistics_sums_kernel(const T* x, RowTiling tiling, double* sums, float* partials, unsigned* counters) {
    wait_for_inputs();
    const Place place = place_of(tiling);
    Group pivot{};
    if (place.active) {
        pivot = load(x + place.channel);
    }
    Group sum;
    Group squares;
    add_rows(x, tiling, place, pivot, sum, squares);
    if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0) {
        sums[2 * tiling.channels] = static_cast<double>(tiling.rows);
    }
    sum_up(
        tiling, place, sum, squares, partials, counters, [&](int c) { return static_cast<float>(x[c]); },
        [&](int c, float first, double a, double b) {
            const auto count = static_cast<double>(tiling.rows);
            const auto p = static_cast<double>(first);
            sums[c] = a + count * p;
            sums[tiling.channels + c] = b + 2.0 * p * a + count * p * p;
        });
}

__global__ void statistics_finish_kernel(int channels, const double* sums, BatchNormVectors vectors) {
    wait_for_inputs();
    const int c = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (c < channels) {
        const double count = sums[2 * channels];
        const double mean = sums[c] / count;
        take_statistics(vectors, c, channel_numbers(vectors, c), mean,
                        sums[channels + c] / count - mean * mean, count);
    }
}

__global__ void evaluation_kernel(int channels, BatchNormVectors vectors) {
    wait_for_inputs();
    const int c = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (c < channels) {
        vectors.mean[c] = vectors.running_mean[c];
        vectors.scale[c] = vectors.weight[c] / sqrtf(vectors.running_var[c] + vectors.epsilon);
    }
}

template <typename T, bool kResidual>
__global__ void __launch_bounds__(kThreads)
    apply_kernel(const T* __restrict__ x, const T* __restrict__ residual, bool relu, RowTiling tiling,
                 const float* __restrict__ means, const float* __restrict__ scales,
                 const float* __restrict__ biases, T* __restrict__ y) {
    wait_for_inputs();
    const Place place = place_of(tiling);
    if (!place.active) {
        return;
    }
    const Group mean = load(means + place.channel);
    const Group scale = load(scales + place.channel);
    const Group bias = load(biases + place.channel);
    struct Fetched {
        Packed<T> x;
        Packed<T> residual;
    };
    for_rows<4>(
        tiling, place,
        [&](std::int64_t at) {
            Fetched fetched;
            fetched.x = load_packed(x + at);
            if (kResidual) {
                fetched.residual = load_packed(residual + at);
            }
            return fetched;
        },
        [&](const Fetched& in, std::int64_t at) {
            Group value = unpacked(in.x);
            for (int i = 0; i < kBlock; ++i) {
                value.v[i] = (value.v[i] - mean.v[i]) * scale.v[i] + bias.v[i];
            }
            if (kResidual) {
                const Group other = unpacked(in.residual);
                for (int i = 0; i < kBlock; ++i) {
                    value.v[i] += other.v[i];
                }
            }
            for (int i = 0; i < kBlock; ++i) {
                value.v[i] = relu ? clamped(value.v[i]) : value.v[i];
            }
            store(y + at, value);
        });
}

__device__ __forceinline__ void keep_coefficients(const BatchNormBackward& backward, int channels, int c,
                                                  const NormCoefficients& coefficients) {
    backward.coefficients[c] = coefficients.gradient;
    backward.coefficients[channels + c] = coefficients.deviation;
    backward.coefficients[2 * channels + c] = coefficients.constant;
}

template <typename T, int kParts, Mask kMask>
__global__ void __launch_bounds__(kThreads)
    backward_sums_kernel(BatchNormBackward backward, RowTiling tiling, BatchNormVectors vectors, double* sums,
                         float* partials, unsigned* counters) {
    wait_for_inputs();
    const Place place = place_of(tiling);
    Group g_sum{};
    Group gx_sum{};
    if (place.active) {
        const Group scale = load(vectors.scale + place.channel);
        const Group bias = load(vectors.bias + place.channel);
        const Group mean = load(vectors.mean + place.channel);
        const Group inv_std = load(vectors.inv_std + place.channel);
        for_rows<4>(
            tiling, place, [&](std::int64_t at) { return fetch_gradient<T, kParts, kMask>(backward, at); },
            [&](const GradientRow<T, kParts>& row, std::int64_t at) {
                const Group x = unpacked(row.x);
                const Group g =
                    masked_gradient<T, kParts, kMask>(row, backward.gradient.count, x, mean, scale, bias);
                for (int i = 0; i < kBlock; ++i) {
                    g_sum.v[i] += g.v[i];
                    gx_sum.v[i] += g.v[i] * ((x.v[i] - mean.v[i]) * inv_std.v[i]);
                }
                if (backward.masked != nullptr) {
                    store(static_cast<T*>(backward.masked) + at, g);
                }
            });
    }
    struct Known {
        float weight;
        float inv_std;
    };
    sum_up(
        tiling, place, g_sum, gx_sum, partials, counters,
        [&](int c) {
            return Known{vectors.weight[c], vectors.inv_std[c]};
        },
        [&](int c, const Known& known, double a, double b) {
            backward.bias_gradient[c] = static_cast<float>(a);
            backward.weight_gradient[c] = static_cast<float>(b);
            if (sums != nullptr) {
                sums[c] = a;
                sums[tiling.channels + c] = b;
            } else {
                keep_coefficients(
                    backward, tiling.channels, c,
                    norm_coefficients(known.weight, known.inv_std, a, b, static_cast<double>(tiling.rows)));
            }
        });
}

__global__ void backward_finish_kernel(BatchNormBackward backward, int channels, BatchNormVectors vectors,
                                       const double* sums, const double* count) {
    wait_for_inputs();
    const int c = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (c < channels) {
        keep_coefficients(
            backward, channels, c,
            norm_coefficients(vectors.weight[c], vectors.inv_std[c], sums[c], sums[channels + c], *count));
    }
}

/// `backward` has one part: the masked sum, or a gradient with its mask.
template <typename T, Mask kMask>
__global__ void __launch_bounds__(kThreads)
    backward_apply_kernel(BatchNormBackward backward, RowTiling tiling, BatchNormVectors vectors) {
    wait_for_inputs();
    const Place place = place_of(tiling);
    if (!place.active) {
        return;
    }
    const Group a = load(backward.coefficients + place.channel);
    const Group b = load(backward.coefficients + tiling.channels + place.channel);
    const Group d = load(backward.coefficients + 2 * tiling.channels + place.channel);
    const Group mean = load(vectors.mean + place.channel);
    Group scale{};
    Group bias{};
    if (kMask == Mask::recomputed) {
        scale = load(vectors.scale + place.channel);
        bias = load(vectors.bias + place.channel);
    }
    // dx may lie where the masked gradient does: a row is read before it is written.
    for_rows<4>(
        tiling, place, [&](std::int64_t at) { return fetch_gradient<T, 1, kMask>(backward, at); },
        [&](const GradientRow<T, 1>& row, std::int64_t at) {
            const Group x = unpacked(row.x);
            Group g = masked_gradient<T, 1, kMask>(row, backward.gradient.count, x, mean, scale, bias);
            for (int i = 0; i < kBlock; ++i) {
                g.v[i] = a.v[i] * g.v[i] + (b.v[i] * (x.v[i] - mean.v[i]) + d.v[i]);
            }
            store(static_cast<T*>(backward.dx) + at, g);
        });
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    column_sums_kernel(const T* matrix, RowTiling tiling, float* sums, float* partials, unsigned* counters) {
    wait_for_inputs();
    const Place place = place_of(tiling);
    Group sum{};
    if (place.active) {
        for_rows<8>(
            tiling, place, [&](std::int64_t at) { return load_packed(matrix + at); },
            [&](const Packed<T>& packed, std::int64_t) {
                const Group in = unpacked(packed);
                for (int i = 0; i < kBlock; ++i) {
                    sum.v[i] += in.v[i];
                }
            });
    }
    const Group nothing{};
    sum_up(
        tiling, place, sum, nothing, partials, counters, [](int) { return 0; },
        [&](int c, int, double a, double) { sums[c] = static_cast<float>(a); });
}

RowTiling sums_tiling(const BatchNormShape& shape) {
    return row_tiling(shape.rows, shape.channels, kPasses, kMostBlocks);
}

RowTiling apply_tiling(const BatchNormShape& shape) {
    return row_tiling(shape.rows, shape.channels, kApplyPasses, kMostApplyBlocks);
}

dim3 grid_of(const RowTiling& tiling) {
    return {static_cast<unsigned>(tiling.tiles), static_cast<unsigned>(tiling.chunks), 1U};
}

/// For kernels with one thread per channel.
dim3 channel_grid(int channels) {
    return {static_cast<unsigned>((channels + kThreads - 1) / kThreads), 1U, 1U};
}

}  // namespace

std::size_t batch_norm_partials(const BatchNormShape& shape) {
    return static_cast<std::size_t>(sums_tiling(shape).chunks) * 2 * static_cast<std::size_t>(shape.channels);
}

std::size_t batch_norm_counters(const BatchNormShape& shape) {
    return static_cast<std::size_t>(sums_tiling(shape).tiles);
}

std::size_t batch_norm_sums(const BatchNormShape& shape) {
    return 2 * static_cast<std::size_t>(shape.channels) + 1;
}

void batch_norm_statistics(const BatchNormShape& shape, const void* x, const BatchNormVectors& vectors,
                           const BatchNormScratch& scratch, cudaStream_t stream) {
    const RowTiling tiling = sums_tiling(shape);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(statistics_kernel<T>, grid_of(tiling), dim3(kThreads), stream, static_cast<const T*>(x),
               tiling, vectors, scratch.partials, scratch.counters);
    });
}

void batch_norm_statistics_sums(const BatchNormShape& shape, const void* x, double* sums,
                                const BatchNormScratch& scratch, cudaStream_t stream) {
    const RowTiling tiling = sums_tiling(shape);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(statistics_sums_kernel<T>, grid_of(tiling), dim3(kThreads), stream, static_cast<const T*>(x),
               tiling, sums, scratch.partials, scratch.counters);
    });
}

void batch_norm_statistics_finish(const BatchNormShape& shape, const double* sums,
                                  const BatchNormVectors& vectors, cudaStream_t stream) {
    launch(statistics_finish_kernel, channel_grid(shape.channels), dim3(kThreads), stream, shape.channels,
           sums, vectors);
}

void batch_norm_evaluation(const BatchNormShape& shape, const BatchNormVectors& vectors,
                           cudaStream_t stream) {
    launch(evaluation_kernel, channel_grid(shape.channels), dim3(kThreads), stream, shape.channels, vectors);
}

void batch_norm_apply(const BatchNormShape& shape, const void* x, const void* residual, bool relu,
                      const BatchNormVectors& vectors, void* y, cudaStream_t stream) {
    const RowTiling tiling = apply_tiling(shape);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(residual != nullptr ? apply_kernel<T, true> : apply_kernel<T, false>, grid_of(tiling),
               dim3(kThreads), stream, static_cast<const T*>(x), static_cast<const T*>(residual), relu,
               tiling, vectors.mean, vectors.scale, vectors.bias, static_cast<T*>(y));
    });
}

void batch_norm_backward_sums(const BatchNormShape& shape, const BatchNormBackward& backward,
                              const BatchNormVectors& vectors, const BatchNormScratch& scratch,
                              cudaStream_t stream) {
    batch_norm_backward_local_sums(shape, backward, vectors, nullptr, scratch, stream);
}

void batch_norm_backward_local_sums(const BatchNormShape& shape, const BatchNormBackward& backward,
                                    const BatchNormVectors& vectors, double* sums,
                                    const BatchNormScratch& scratch, cudaStream_t stream) {
    const RowTiling tiling = sums_tiling(shape);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        const auto start = [&](auto kind) {
            launch(backward_sums_kernel<T, kind.parts, kind.mask>, grid_of(tiling), dim3(kThreads), stream,
                   backward, tiling, vectors, sums, scratch.partials, scratch.counters);
        };
        if (backward.gradient.count <= kFewParts) {
            with_few_parts(backward.gradient.count, mask_of(backward), start);
        } else {
            with_mask<GradientParts::kMost>(mask_of(backward), start);
        }
    });
}

void batch_norm_backward_finish(const BatchNormShape& shape, const BatchNormBackward& backward,
                                const BatchNormVectors& vectors, const double* sums, const double* count,
                                cudaStream_t stream) {
    launch(backward_finish_kernel, channel_grid(shape.channels), dim3(kThreads), stream, backward,
           shape.channels, vectors, sums, count);
}

void batch_norm_backward_apply(const BatchNormShape& shape, const BatchNormBackward& backward,
                               const BatchNormVectors& vectors, cudaStream_t stream) {
    const RowTiling tiling = apply_tiling(shape);
    BatchNormBackward applied = backward;
    if (backward.masked != nullptr) {
        applied.relu = false;
        applied.gradient.parts[0] = backward.masked;
        applied.gradient.count = 1;
    }
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        with_mask<1>(mask_of(applied), [&](auto kind) {
            launch(backward_apply_kernel<T, kind.mask>, grid_of(tiling), dim3(kThreads), stream, applied,
                   tiling, vectors);
        });
    });
}

void column_sums(const BatchNormShape& shape, const void* matrix, float* sums,
                 const BatchNormScratch& scratch, cudaStream_t stream) {
    const RowTiling tiling = sums_tiling(shape);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(column_sums_kernel<T>, grid_of(tiling), dim3(kThreads), stream, static_cast<const T*>(matrix),
               tiling, sums, scratch.partials, scratch.counters);
    });
}

}  // namespace rankscope::engine::cuda
