// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/batch_norm.h>
#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/launch.h>
#include <engine/backend/cuda/row_tiling.h>

#include <type_traits>

namespace rankscope::engine::cuda {
namespace {

constexpr int kThreads = RowTiling::kThreads;
constexpr int kPasses = 8;       // of the kernels that add up
constexpr int kApplyPasses = 4;  // of those that only pass through
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

/// Two sums per channel over the whole matrix: every thread brings its own, the last block of the tile to
/// finish calls finish(channel, first, second) for each of the tile's channels.
template <typename Finish>
__device__ void sum_up(const RowTiling& tiling, const Place& place, const Group& first, const Group& second,
                       float* partials, unsigned* counters, Finish finish) {
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
    __threadfence();  // what this block wrote is visible to every reader of its count
    __syncthreads();
    if (threadIdx.x == 0) {
        is_last = atomicAdd(&counters[blockIdx.x], 1U) + 1U == gridDim.y;
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    __threadfence();
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
#pragma unroll 8
        for (int chunk = team; chunk < static_cast<int>(gridDim.y); chunk += teams) {
            const std::int64_t at = static_cast<std::int64_t>(chunk) * 2 * tiling.channels;
            a += static_cast<double>(__ldcg(from + at));
            b += static_cast<double>(__ldcg(from + at + tiling.channels));
        }
    }
    total_first[column] = a;
    total_second[column] = b;
    __syncthreads();
    if (team == 0 && first_channel + mine < tiling.channels) {
        for (int other = 1; other < teams; ++other) {
            a += total_first[other * width + mine];
            b += total_second[other * width + mine];
        }
        finish(first_channel + mine, a, b);
    }
    if (threadIdx.x == 0) {
        counters[blockIdx.x] = 0U;
    }
}

/// Everything that follows from a channel's mean and biased variance over `count` rows.
__device__ void take_statistics(const BatchNormVectors& vectors, int c, double mean, double variance,
                                double count) {
    const double kept = variance > 0.0 || variance != variance ? variance : 0.0;
    const auto inv_std = static_cast<float>(1.0 / sqrt(kept + static_cast<double>(vectors.epsilon)));
    const auto middle = static_cast<float>(mean);
    vectors.mean[c] = middle;
    vectors.inv_std[c] = inv_std;
    vectors.scale[c] = vectors.weight[c] * inv_std;
    const double unbiased = count > 1.0 ? kept * (count / (count - 1.0)) : kept;
    const float momentum = vectors.momentum;
    vectors.running_mean[c] = (1.0F - momentum) * vectors.running_mean[c] + momentum * middle;
    vectors.running_var[c] =
        (1.0F - momentum) * vectors.running_var[c] + momentum * static_cast<float>(unbiased);
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
    const std::int64_t end = end_row(tiling);
#pragma unroll 4
    for (std::int64_t row = first_row(tiling) + place.row; row < end; row += tiling.stride) {
        const Group in = load(x + row * tiling.channels + place.channel);
        for (int i = 0; i < kBlock; ++i) {
            const float d = in.v[i] - pivot.v[i];
            sum.v[i] += d;
            squares.v[i] += d * d;
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    statistics_kernel(const T* x, RowTiling tiling, BatchNormVectors vectors, float* partials,
                      unsigned* counters) {
    const Place place = place_of(tiling);
    Group pivot{};
    if (place.active) {
        pivot = load(x + place.channel);
    }
    Group sum;
    Group squares;
    add_rows(x, tiling, place, pivot, sum, squares);
    sum_up(tiling, place, sum, squares, partials, counters, [&](int c, double a, double b) {
        const auto count = static_cast<double>(tiling.rows);
        const auto p = static_cast<double>(static_cast<float>(x[c]));
        const double offset = a / count;
        take_statistics(vectors, c, p + offset, b / count - offset * offset, count);
    });
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    statistics_sums_kernel(const T* x, RowTiling tiling, double* sums, float* partials, unsigned* counters) {
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
    sum_up(tiling, place, sum, squares, partials, counters, [&](int c, double a, double b) {
        const auto count = static_cast<double>(tiling.rows);
        const auto p = static_cast<double>(static_cast<float>(x[c]));
        sums[c] = a + count * p;
        sums[tiling.channels + c] = b + 2.0 * p * a + count * p * p;
    });
}

__global__ void statistics_finish_kernel(int channels, const double* sums, BatchNormVectors vectors) {
    const int c = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (c < channels) {
        const double count = sums[2 * channels];
        const double mean = sums[c] / count;
        take_statistics(vectors, c, mean, sums[channels + c] / count - mean * mean, count);
    }
}

__global__ void evaluation_kernel(int channels, BatchNormVectors vectors) {
    const int c = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (c < channels) {
        vectors.mean[c] = vectors.running_mean[c];
        vectors.scale[c] = vectors.weight[c] / sqrtf(vectors.running_var[c] + vectors.epsilon);
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    apply_kernel(const T* __restrict__ x, const T* __restrict__ residual, bool relu, RowTiling tiling,
                 const float* __restrict__ means, const float* __restrict__ scales,
                 const float* __restrict__ biases, T* __restrict__ y) {
    const Place place = place_of(tiling);
    if (!place.active) {
        return;
    }
    const Group mean = load(means + place.channel);
    const Group scale = load(scales + place.channel);
    const Group bias = load(biases + place.channel);
    const std::int64_t end = end_row(tiling);
#pragma unroll 4
    for (std::int64_t row = first_row(tiling) + place.row; row < end; row += tiling.stride) {
        const std::int64_t at = row * tiling.channels + place.channel;
        Group value = load(x + at);
        for (int i = 0; i < kBlock; ++i) {
            value.v[i] = (value.v[i] - mean.v[i]) * scale.v[i] + bias.v[i];
        }
        if (residual != nullptr) {
            const Group other = load(residual + at);
            for (int i = 0; i < kBlock; ++i) {
                value.v[i] += other.v[i];
            }
        }
        if (relu) {
            for (int i = 0; i < kBlock; ++i) {
                value.v[i] = clamped(value.v[i]);
            }
        }
        store(y + at, value);
    }
}

/// The sum of the parts, 0 where the ReLU had cut off.
template <typename T>
__device__ __forceinline__ Group masked_gradient(const BatchNormBackward& backward, std::int64_t at,
                                                 const Group& x, const Group& mean, const Group& scale,
                                                 const Group& bias) {
    Group g = load(static_cast<const T*>(backward.gradient.parts[0]) + at);
#pragma unroll
    for (int part = 1; part < GradientParts::kMost; ++part) {
        if (part < backward.gradient.count) {
            const Group more = load(static_cast<const T*>(backward.gradient.parts[part]) + at);
            for (int i = 0; i < kBlock; ++i) {
                g.v[i] += more.v[i];
            }
        }
    }
    if (backward.relu) {
        Group result;
        if (backward.y != nullptr) {
            result = load(static_cast<const T*>(backward.y) + at);
        } else {
            for (int i = 0; i < kBlock; ++i) {
                result.v[i] = (x.v[i] - mean.v[i]) * scale.v[i] + bias.v[i];
            }
        }
        for (int i = 0; i < kBlock; ++i) {
            g.v[i] = result.v[i] <= 0.0F ? 0.0F : g.v[i];
        }
    }
    return g;
}

/// dx = a · g + b · (x − mean) + d, from the sums of g and of g · x̂ over `count` rows.
__device__ void take_coefficients(const BatchNormBackward& backward, const BatchNormVectors& vectors,
                                  int channels, int c, double g_sum, double gx_sum, double count) {
    const double inv_std = vectors.inv_std[c];
    const double a = static_cast<double>(vectors.weight[c]) * inv_std;
    const double b = -a * gx_sum * inv_std / count;
    backward.coefficients[c] = static_cast<float>(a);
    backward.coefficients[channels + c] = static_cast<float>(b);
    backward.coefficients[2 * channels + c] = static_cast<float>(-a * g_sum / count);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_sums_kernel(BatchNormBackward backward, RowTiling tiling, BatchNormVectors vectors, double* sums,
                         float* partials, unsigned* counters) {
    const Place place = place_of(tiling);
    Group g_sum{};
    Group gx_sum{};
    if (place.active) {
        const Group scale = load(vectors.scale + place.channel);
        const Group bias = load(vectors.bias + place.channel);
        const Group mean = load(vectors.mean + place.channel);
        const Group inv_std = load(vectors.inv_std + place.channel);
        const std::int64_t end = end_row(tiling);
#pragma unroll 2
        for (std::int64_t row = first_row(tiling) + place.row; row < end; row += tiling.stride) {
            const std::int64_t at = row * tiling.channels + place.channel;
            const Group x = load(static_cast<const T*>(backward.x) + at);
            const Group g = masked_gradient<T>(backward, at, x, mean, scale, bias);
            for (int i = 0; i < kBlock; ++i) {
                g_sum.v[i] += g.v[i];
                gx_sum.v[i] += g.v[i] * ((x.v[i] - mean.v[i]) * inv_std.v[i]);
            }
            if (backward.masked != nullptr) {
                store(static_cast<T*>(backward.masked) + at, g);
            }
        }
    }
    sum_up(tiling, place, g_sum, gx_sum, partials, counters, [&](int c, double a, double b) {
        backward.bias_gradient[c] = static_cast<float>(a);
        backward.weight_gradient[c] = static_cast<float>(b);
        if (sums != nullptr) {
            sums[c] = a;
            sums[tiling.channels + c] = b;
        } else {
            take_coefficients(backward, vectors, tiling.channels, c, a, b, static_cast<double>(tiling.rows));
        }
    });
}

__global__ void backward_finish_kernel(BatchNormBackward backward, int channels, BatchNormVectors vectors,
                                       const double* sums, const double* count) {
    const int c = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
    if (c < channels) {
        take_coefficients(backward, vectors, channels, c, sums[c], sums[channels + c], *count);
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    backward_apply_kernel(BatchNormBackward backward, RowTiling tiling, BatchNormVectors vectors) {
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
    if (backward.masked == nullptr && backward.relu && backward.y == nullptr) {
        scale = load(vectors.scale + place.channel);
        bias = load(vectors.bias + place.channel);
    }
    const std::int64_t end = end_row(tiling);
    // dx may lie where the masked gradient does, so the compiler cannot read ahead by itself.
    constexpr int kAhead = 2;
    for (std::int64_t row = first_row(tiling) + place.row; row < end; row += kAhead * tiling.stride) {
        Group x[kAhead];
        Group g[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            const std::int64_t at = (row + k * tiling.stride) * tiling.channels + place.channel;
            if (row + k * tiling.stride < end) {
                x[k] = load(static_cast<const T*>(backward.x) + at);
                g[k] = backward.masked != nullptr ? load(static_cast<const T*>(backward.masked) + at)
                                                  : masked_gradient<T>(backward, at, x[k], mean, scale, bias);
            }
        }
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            const std::int64_t at = (row + k * tiling.stride) * tiling.channels + place.channel;
            if (row + k * tiling.stride < end) {
                for (int i = 0; i < kBlock; ++i) {
                    g[k].v[i] = a.v[i] * g[k].v[i] + (b.v[i] * (x[k].v[i] - mean.v[i]) + d.v[i]);
                }
                store(static_cast<T*>(backward.dx) + at, g[k]);
            }
        }
    }
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    column_sums_kernel(const T* matrix, RowTiling tiling, float* sums, float* partials, unsigned* counters) {
    const Place place = place_of(tiling);
    Group sum{};
    if (place.active) {
        const std::int64_t end = end_row(tiling);
#pragma unroll 4
        for (std::int64_t row = first_row(tiling) + place.row; row < end; row += tiling.stride) {
            const Group in = load(matrix + row * tiling.channels + place.channel);
            for (int i = 0; i < kBlock; ++i) {
                sum.v[i] += in.v[i];
            }
        }
    }
    const Group nothing{};
    sum_up(tiling, place, sum, nothing, partials, counters,
           [&](int c, double a, double) { sums[c] = static_cast<float>(a); });
}

RowTiling tiling_of(const BatchNormShape& shape, int passes) {
    return row_tiling(shape.rows, shape.channels, passes);
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
    return static_cast<std::size_t>(tiling_of(shape, kPasses).chunks) * 2 *
           static_cast<std::size_t>(shape.channels);
}

std::size_t batch_norm_counters(const BatchNormShape& shape) {
    return static_cast<std::size_t>(tiling_of(shape, kPasses).tiles);
}

std::size_t batch_norm_sums(const BatchNormShape& shape) {
    return 2 * static_cast<std::size_t>(shape.channels) + 1;
}

void batch_norm_statistics(const BatchNormShape& shape, const void* x, const BatchNormVectors& vectors,
                           const BatchNormScratch& scratch, cudaStream_t stream) {
    const RowTiling tiling = tiling_of(shape, kPasses);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(statistics_kernel<T>, grid_of(tiling), dim3(kThreads), stream, static_cast<const T*>(x),
               tiling, vectors, scratch.partials, scratch.counters);
    });
}

void batch_norm_statistics_sums(const BatchNormShape& shape, const void* x, double* sums,
                                const BatchNormScratch& scratch, cudaStream_t stream) {
    const RowTiling tiling = tiling_of(shape, kPasses);
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
    const RowTiling tiling = tiling_of(shape, kApplyPasses);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(apply_kernel<T>, grid_of(tiling), dim3(kThreads), stream, static_cast<const T*>(x),
               static_cast<const T*>(residual), relu, tiling, vectors.mean, vectors.scale, vectors.bias,
               static_cast<T*>(y));
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
    const RowTiling tiling = tiling_of(shape, kPasses);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(backward_sums_kernel<T>, grid_of(tiling), dim3(kThreads), stream, backward, tiling, vectors,
               sums, scratch.partials, scratch.counters);
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
    const RowTiling tiling = tiling_of(shape, kApplyPasses);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(backward_apply_kernel<T>, grid_of(tiling), dim3(kThreads), stream, backward, tiling, vectors);
    });
}

void column_sums(const BatchNormShape& shape, const void* matrix, float* sums,
                 const BatchNormScratch& scratch, cudaStream_t stream) {
    const RowTiling tiling = tiling_of(shape, kPasses);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(column_sums_kernel<T>, grid_of(tiling), dim3(kThreads), stream, static_cast<const T*>(matrix),
               tiling, sums, scratch.partials, scratch.counters);
    });
}

}  // namespace rankscope::engine::cuda
