// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/cluster_norm.h>
#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/launch.h>
#include <engine/backend/cuda/norm_gradient.cuh>
#include <engine/backend/cuda/norm_numbers.cuh>
#include <engine/backend/cuda/thread_cluster.cuh>

#include <algorithm>
#include <type_traits>

namespace rankscope::engine::cuda {
namespace {

constexpr int kThreads = ClusterTiling::kThreads;
constexpr int kWarp = 32;
constexpr int kWarps = kThreads / kWarp;
constexpr int kBlock = static_cast<int>(kGroup);
constexpr int kWidth = ClusterTiling::kLanes * kBlock;  // channels of a tile
constexpr int kFewRows = 2;
constexpr int kMostNarrow = kMostClusterBlocks > 1 ? kMostClusterBlocks / 2 : 1;  // blocks of one lane

/// Rows that a thread can keep: of x, and backward of the gradient, too.
template <typename T>
constexpr int most_rows() {
    return sizeof(T) == 2 ? 4 : kFewRows;
}

/// Where this thread works.
struct Place {
    int lane;
    int channel;  // first of the group; 0 where the tile is wider than the matrix
    bool active;
    int first;  // row
    int end;

    /// The k-th of the thread's rows, or its first where there are fewer.
    __device__ __forceinline__ int element(const ClusterTiling& tiling, int k) const {
        const int row = has(tiling, k) ? first + k * tiling.stride : (first < end ? first : 0);
        return row * tiling.channels + channel;
    }
    __device__ __forceinline__ bool has(const ClusterTiling& tiling, int k) const {
        return active && first + k * tiling.stride < end;
    }
};

__device__ __forceinline__ Place place_of(const ClusterTiling& tiling) {
    Place place;
    place.lane = static_cast<int>(threadIdx.x) % tiling.lanes;
    const int channel = (static_cast<int>(blockIdx.x) * tiling.lanes + place.lane) * kBlock;
    place.active = channel < tiling.channels;
    place.channel = place.active ? channel : 0;
    const int begin = static_cast<int>(blockIdx.y) * tiling.block_rows;
    place.first = begin + static_cast<int>(threadIdx.x) / tiling.lanes;
    place.end = begin + tiling.block_rows < tiling.rows ? begin + tiling.block_rows : tiling.rows;
    return place;
}

/// Sums of a block's channels, which the other blocks of the cluster read.
struct Sums {
    float first[kWidth];
    float second[kWidth];
};

/// Two sums per channel over all rows, in an order that depends on the shape alone: the threads of a warp, its warps, the
/// blocks of the cluster. Thread c of the first ones gets those of the tile's channel c, in every block. Before it returns,
/// the block has arrived at the cluster a second time: it must wait once more before it ends.
__device__ __forceinline__ void sum_up(const ClusterTiling& tiling, const Place& place, Group first,
                                       Group second, double& first_sum, double& second_sum) {
    __shared__ Sums of_warps[kWarps];
    __shared__ Sums of_block;
    const auto thread = static_cast<int>(threadIdx.x);
#pragma unroll
    for (int mask = kWarp / 2; mask > 0; mask /= 2) {
        if (mask >= tiling.lanes) {
            for (int i = 0; i < kBlock; ++i) {
                first.v[i] += __shfl_xor_sync(0xffffffffU, first.v[i], mask);
                second.v[i] += __shfl_xor_sync(0xffffffffU, second.v[i], mask);
            }
        }
    }
    if (thread % kWarp < tiling.lanes) {
        for (int i = 0; i < kBlock; ++i) {
            of_warps[thread / kWarp].first[place.lane * kBlock + i] = first.v[i];
            of_warps[thread / kWarp].second[place.lane * kBlock + i] = second.v[i];
        }
    }
    __syncthreads();
    const int width = tiling.lanes * kBlock;
    if (thread < width) {
        float a = 0.0F;
        float b = 0.0F;
#pragma unroll
        for (int warp = 0; warp < kWarps; ++warp) {
            a += of_warps[warp].first[thread];
            b += of_warps[warp].second[thread];
        }
        of_block.first[thread] = a;
        of_block.second[thread] = b;
    }
    arrive_at_cluster();
    wait_for_cluster();
    first_sum = 0.0;
    second_sum = 0.0;
    if (thread < width) {
        float first_of[kMostClusterBlocks];
        float second_of[kMostClusterBlocks];
#pragma unroll
        for (int block = 0; block < kMostClusterBlocks; ++block) {
            const Sums* there = in_block(&of_block, block < tiling.blocks ? block : 0);
            first_of[block] = there->first[thread];
            second_of[block] = there->second[thread];
        }
#pragma unroll
        for (int block = 0; block < kMostClusterBlocks; ++block) {
            if (block < tiling.blocks) {
                first_sum += static_cast<double>(first_of[block]);
                second_sum += static_cast<double>(second_of[block]);
            }
        }
    }
    arrive_at_cluster();
}

template <typename T, int kHeld, bool kResidual>
__global__ void __launch_bounds__(kThreads)
    forward_kernel(const T* __restrict__ x, const T* __restrict__ residual, bool relu, ClusterTiling tiling,
                   BatchNormVectors vectors, T* __restrict__ y) {
    wait_for_inputs();
    __shared__ __align__(16) float means[kWidth];
    __shared__ __align__(16) float scales[kWidth];
    __shared__ __align__(16) float biases[kWidth];
    const Place place = place_of(tiling);
    Packed<T> held[kHeld];
    Packed<T> others[kResidual ? kHeld : 1];
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
        held[k] = load_packed(x + place.element(tiling, k));
    }
    if (kResidual) {
#pragma unroll
        for (int k = 0; k < kHeld; ++k) {
            others[k] = load_packed(residual + place.element(tiling, k));
        }
    }
    // Sums of x − p and (x − p)², where p is the first row: no digits are lost however far the mean lies from 0.
    const Group pivot = load(x + place.channel);
    const auto thread = static_cast<int>(threadIdx.x);
    const int channel = static_cast<int>(blockIdx.x) * tiling.lanes * kBlock + thread;
    const bool finishes = thread < tiling.lanes * kBlock && channel < tiling.channels;
    ChannelNumbers numbers;
    float first_row = 0.0F;
    float bias = 0.0F;
    if (finishes) {
        numbers = channel_numbers(vectors, channel);
        first_row = static_cast<float>(x[channel]);
        bias = vectors.bias[channel];
    }
    Group sum{};
    Group squares{};
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
        if (place.has(tiling, k)) {
            const Group in = unpacked(held[k]);
            for (int i = 0; i < kBlock; ++i) {
                const float d = in.v[i] - pivot.v[i];
                sum.v[i] += d;
                squares.v[i] += d * d;
            }
        }
    }
    double a = 0.0;
    double b = 0.0;
    sum_up(tiling, place, sum, squares, a, b);
    if (finishes) {
        const auto count = static_cast<double>(tiling.rows);
        const double offset = a / count;
        const ChannelStatistics statistics =
            take_statistics(vectors, channel, numbers, static_cast<double>(first_row) + offset,
                            b / count - offset * offset, count, blockIdx.y == 0);
        means[thread] = statistics.mean;
        scales[thread] = statistics.scale;
        biases[thread] = bias;
    }
    __syncthreads();
    const Group mean = load(means + place.lane * kBlock);
    const Group scale = load(scales + place.lane * kBlock);
    const Group add = load(biases + place.lane * kBlock);
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
        if (place.has(tiling, k)) {
            Group value = unpacked(held[k]);
            for (int i = 0; i < kBlock; ++i) {
                value.v[i] = (value.v[i] - mean.v[i]) * scale.v[i] + add.v[i];
            }
            if (kResidual) {
                const Group other = unpacked(others[k]);
                for (int i = 0; i < kBlock; ++i) {
                    value.v[i] += other.v[i];
                }
            }
            for (int i = 0; i < kBlock; ++i) {
                value.v[i] = relu ? clamped(value.v[i]) : value.v[i];
            }
            store(y + place.element(tiling, k), value);
        }
    }
    wait_for_cluster();
}

template <typename T, int kHeld, int kParts, Mask kMask>
__global__ void __launch_bounds__(kThreads)
    backward_kernel(BatchNormBackward backward, ClusterTiling tiling, BatchNormVectors vectors) {
    wait_for_inputs();
    __shared__ __align__(16) float gradients[kWidth];
    __shared__ __align__(16) float deviations[kWidth];
    __shared__ __align__(16) float constants[kWidth];
    const Place place = place_of(tiling);
    const Group mean = load(vectors.mean + place.channel);
    const Group inv_std = load(vectors.inv_std + place.channel);
    Group scale{};
    Group bias{};
    if (kMask == Mask::recomputed) {
        scale = load(vectors.scale + place.channel);
        bias = load(vectors.bias + place.channel);
    }
    const auto thread = static_cast<int>(threadIdx.x);
    const int channel = static_cast<int>(blockIdx.x) * tiling.lanes * kBlock + thread;
    const bool finishes = thread < tiling.lanes * kBlock && channel < tiling.channels;
    float weight = 0.0F;
    float of_channel = 0.0F;
    if (finishes) {
        weight = vectors.weight[channel];
        of_channel = vectors.inv_std[channel];
    }
    Packed<T> xs[kHeld];
    Packed<T> gs[kHeld];
    Group g_sum{};
    Group gx_sum{};
    constexpr int kAhead = 2;  // rows whose parts are in registers at a time
#pragma unroll
    for (int begin = 0; begin < kHeld; begin += kAhead) {
        GradientRow<T, kParts> rows[kAhead];
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            rows[k] = fetch_gradient<T, kParts, kMask>(backward, place.element(tiling, begin + k));
        }
#pragma unroll
        for (int k = 0; k < kAhead; ++k) {
            const Group x = unpacked(rows[k].x);
            const Group g = masked_gradient<T, kParts, kMask>(rows[k], kParts, x, mean, scale, bias);
            xs[begin + k] = rows[k].x;
            pack(g, gs[begin + k]);
            if (place.has(tiling, begin + k)) {
                for (int i = 0; i < kBlock; ++i) {
                    g_sum.v[i] += g.v[i];
                    gx_sum.v[i] += g.v[i] * ((x.v[i] - mean.v[i]) * inv_std.v[i]);
                }
                if (backward.masked != nullptr) {
                    store_packed(static_cast<T*>(backward.masked) + place.element(tiling, begin + k),
                                 gs[begin + k]);
                }
            }
        }
    }
    double a = 0.0;
    double b = 0.0;
    sum_up(tiling, place, g_sum, gx_sum, a, b);
    if (finishes) {
        if (blockIdx.y == 0) {
            backward.bias_gradient[channel] = static_cast<float>(a);
            backward.weight_gradient[channel] = static_cast<float>(b);
        }
        const NormCoefficients coefficients =
            norm_coefficients(weight, of_channel, a, b, static_cast<double>(tiling.rows));
        gradients[thread] = coefficients.gradient;
        deviations[thread] = coefficients.deviation;
        constants[thread] = coefficients.constant;
    }
    __syncthreads();
    const Group of_gradient = load(gradients + place.lane * kBlock);
    const Group of_deviation = load(deviations + place.lane * kBlock);
    const Group constant = load(constants + place.lane * kBlock);
#pragma unroll
    for (int k = 0; k < kHeld; ++k) {
        if (place.has(tiling, k)) {
            const Group x = unpacked(xs[k]);
            Group g = unpacked(gs[k]);
            for (int i = 0; i < kBlock; ++i) {
                g.v[i] =
                    of_gradient.v[i] * g.v[i] + (of_deviation.v[i] * (x.v[i] - mean.v[i]) + constant.v[i]);
            }
            store(static_cast<T*>(backward.dx) + place.element(tiling, k), g);
        }
    }
    wait_for_cluster();
}

dim3 grid_of(const ClusterTiling& tiling) {
    return {static_cast<unsigned>(tiling.tiles), static_cast<unsigned>(tiling.blocks), 1U};
}

/// Calls `body` with the rows that a thread keeps as a constant.
template <typename T, typename Body>
void with_held(const ClusterTiling& tiling, Body body) {
    if (tiling.held == kFewRows) {
        body(std::integral_constant<int, kFewRows>());
    } else {
        body(std::integral_constant<int, most_rows<T>()>());
    }
}

}  // namespace

int cluster_blocks() {
    // The kernel that needs most registers decides for all.
    return most_cluster_blocks(backward_kernel<__nv_bfloat16, most_rows<__nv_bfloat16>(), 2, Mask::result>,
                               dim3(kThreads), kMostClusterBlocks);
}

std::optional<ClusterTiling> cluster_tiling(const BatchNormShape& shape, int most_blocks) {
    const int groups = shape.channels / kBlock;
    const int most = shape.type == ElementType::f32 ? most_rows<float>() : most_rows<__half>();
    for (int lanes = groups < ClusterTiling::kLanes ? groups : ClusterTiling::kLanes; lanes > 0; --lanes) {
        ClusterTiling tiling;
        tiling.channels = shape.channels;
        tiling.lanes = lanes;
        tiling.stride = kThreads / lanes;
        tiling.tiles = (groups + lanes - 1) / lanes;
        // One lane uses half of what memory delivers: with more blocks than these the passes of batch_norm.h are faster.
        const int blocks = lanes == ClusterTiling::kLanes ? most_blocks : std::min(most_blocks, kMostNarrow);
        if (shape.rows > static_cast<std::int64_t>(tiling.stride) * most * blocks) {
            continue;
        }
        tiling.rows = static_cast<int>(shape.rows);
        const auto rows_of_thread = [&] {
            tiling.block_rows = (tiling.rows + tiling.blocks - 1) / tiling.blocks;
            return (tiling.block_rows + tiling.stride - 1) / tiling.stride;
        };
        tiling.blocks = 1;
        while (rows_of_thread() > kFewRows && 2 * tiling.blocks <= blocks) {
            tiling.blocks *= 2;
        }
        tiling.held = rows_of_thread() <= kFewRows ? kFewRows : most;
        return tiling;
    }
    return std::nullopt;
}

void cluster_norm_forward(const BatchNormShape& shape, const ClusterTiling& tiling, const void* x,
                          const void* residual, bool relu, const BatchNormVectors& vectors, void* y,
                          cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        with_held<T>(tiling, [&](auto held) {
            constexpr int kHeld = decltype(held)::value;
            launch_clusters(
                residual != nullptr ? forward_kernel<T, kHeld, true> : forward_kernel<T, kHeld, false>,
                grid_of(tiling), dim3(kThreads), tiling.blocks, stream, static_cast<const T*>(x),
                static_cast<const T*>(residual), relu, tiling, vectors, static_cast<T*>(y));
        });
    });
}

void cluster_norm_backward(const BatchNormShape& shape, const ClusterTiling& tiling,
                           const BatchNormBackward& backward, const BatchNormVectors& vectors,
                           cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        with_held<T>(tiling, [&](auto held) {
            constexpr int kHeld = decltype(held)::value;
            with_few_parts(backward.gradient.count, mask_of(backward), [&](auto kind) {
                launch_clusters(backward_kernel<T, kHeld, kind.parts, kind.mask>, grid_of(tiling),
                                dim3(kThreads), tiling.blocks, stream, backward, tiling, vectors);
            });
        });
    });
}

}  // namespace rankscope::engine::cuda
