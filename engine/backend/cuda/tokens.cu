// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/group.cuh>
#include <engine/backend/cuda/launch.h>
#include <engine/backend/cuda/tokens.h>
#include <engine/backend/cuda/warp.cuh>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace rankscope::engine::cuda {
namespace {

constexpr int kWarps = 4;  // a row each
constexpr int kRowThreads = kWarp * kWarps;
constexpr int kThreads = 256;
constexpr int kBlock = static_cast<int>(kGroup);

__device__ __forceinline__ std::int64_t row_of_warp() {
    return static_cast<std::int64_t>(blockIdx.x) * kWarps + static_cast<int>(threadIdx.x) / kWarp;
}
__device__ __forceinline__ int lane_of_warp() {
    return static_cast<int>(threadIdx.x) % kWarp;
}
__device__ __forceinline__ std::int64_t this_thread() {
    return static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x;
}

dim3 blocks_of_rows(std::int64_t rows) {
    return {static_cast<unsigned>((rows + kWarps - 1) / kWarps), 1U, 1U};
}
dim3 blocks_of(std::int64_t count) {
    return {static_cast<unsigned>((count + kThreads - 1) / kThreads), 1U, 1U};
}

template <typename T>
__global__ void __launch_bounds__(kRowThreads)
    layer_norm_kernel(std::int64_t rows, int channels, int stored, float epsilon, const T* __restrict__ x,
                      const float* __restrict__ weight, const float* __restrict__ bias, T* __restrict__ y,
                      float* __restrict__ kept) {
    wait_for_inputs();
    const std::int64_t row = row_of_warp();
    const int lane = lane_of_warp();
    if (row >= rows) {
        return;
    }
    const T* from = x + row * stored;
    float sum = 0.0F;
    for (int c = lane; c < channels; c += kWarp) {
        sum += number(from[c]);
    }
    const float mean = warp_sum(sum) / static_cast<float>(channels);
    float squares = 0.0F;
    for (int c = lane; c < channels; c += kWarp) {
        const float distance = number(from[c]) - mean;
        squares += distance * distance;
    }
    const float scale = 1.0F / sqrtf(warp_sum(squares) / static_cast<float>(channels) + epsilon);
    T* to = y + row * stored;
    for (int c = lane; c < stored; c += kWarp) {
        put(to + c, c < channels ? (number(from[c]) - mean) * scale * weight[c] + bias[c] : 0.0F);
    }
    if (lane == 0) {
        kept[2 * row] = mean;
        kept[2 * row + 1] = scale;
    }
}

template <typename T>
__global__ void __launch_bounds__(kRowThreads)
    layer_norm_gradient_kernel(std::int64_t rows, int channels, int stored, const T* __restrict__ x,
                               const float* __restrict__ weight, const float* __restrict__ kept,
                               const T* __restrict__ dy, T* __restrict__ dx) {
    wait_for_inputs();
    const std::int64_t row = row_of_warp();
    const int lane = lane_of_warp();
    if (row >= rows) {
        return;
    }
    const T* from = x + row * stored;
    const T* gradient = dy + row * stored;
    const float mean = kept[2 * row];
    const float scale = kept[2 * row + 1];
    float first = 0.0F;
    float second = 0.0F;
    for (int c = lane; c < channels; c += kWarp) {
        const float g = number(gradient[c]) * weight[c];
        first += g;
        second += g * (number(from[c]) - mean) * scale;
    }
    first = warp_sum(first) / static_cast<float>(channels);
    second = warp_sum(second) / static_cast<float>(channels);
    T* to = dx + row * stored;
    for (int c = lane; c < stored; c += kWarp) {
        const float normed = c < channels ? (number(from[c]) - mean) * scale : 0.0F;
        put(to + c,
            c < channels ? scale * (number(gradient[c]) * weight[c] - first - normed * second) : 0.0F);
    }
}

// Column sums in two steps: a block adds every kRowParts-th row of 32 channels, then one thread per channel adds the parts.
constexpr int kRowParts = 64;
constexpr int kColumnRows = 8;

template <typename T>
__global__ void __launch_bounds__(kWarp* kColumnRows)
    norm_columns_kernel(std::int64_t rows, int channels, int stored, const T* __restrict__ x,
                        const float* __restrict__ kept, const T* __restrict__ dy,
                        float* __restrict__ partials) {
    wait_for_inputs();
    __shared__ float weights[kColumnRows][kWarp];
    __shared__ float biases[kColumnRows][kWarp];
    const int lane = lane_of_warp();
    const int line = static_cast<int>(threadIdx.x) / kWarp;
    const int channel = static_cast<int>(blockIdx.x) * kWarp + lane;
    const int part = static_cast<int>(blockIdx.y);
    float weight = 0.0F;
    float bias = 0.0F;
    if (channel < channels) {
        for (std::int64_t row = part * kColumnRows + line; row < rows; row += kRowParts * kColumnRows) {
            const float g = number(dy[row * stored + channel]);
            weight += g * (number(x[row * stored + channel]) - kept[2 * row]) * kept[2 * row + 1];
            bias += g;
        }
    }
    weights[line][lane] = weight;
    biases[line][lane] = bias;
    __syncthreads();
    if (line == 0 && channel < channels) {
        for (int other = 1; other < kColumnRows; ++other) {
            weight += weights[other][lane];
            bias += biases[other][lane];
        }
        partials[(2 * part) * channels + channel] = weight;
        partials[(2 * part + 1) * channels + channel] = bias;
    }
}

__global__ void __launch_bounds__(kThreads)
    norm_parts_kernel(int channels, const float* __restrict__ partials, float* __restrict__ weight_gradient,
                      float* __restrict__ bias_gradient) {
    wait_for_inputs();
    const auto channel = static_cast<int>(this_thread());
    if (channel >= channels) {
        return;
    }
    float weight = 0.0F;
    float bias = 0.0F;
    for (int part = 0; part < kRowParts; ++part) {
        weight += partials[(2 * part) * channels + channel];
        bias += partials[(2 * part + 1) * channels + channel];
    }
    weight_gradient[channel] = weight;
    bias_gradient[channel] = bias;
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    embed_kernel(std::int64_t groups, TokensShape shape, std::int64_t row_groups,
                 const float* __restrict__ tokens, const T* __restrict__ table, T* __restrict__ y) {
    wait_for_inputs();
    const std::int64_t i = this_thread();
    if (i >= groups) {
        return;
    }
    const std::int64_t row = i / row_groups;
    const float token = tokens[row / shape.tokens * shape.sample_row + row % shape.tokens];
    const bool fine = token >= 0.0F && token < static_cast<float>(shape.vocabulary);
    const Group value =
        fine ? load(table + (static_cast<std::int64_t>(token) * row_groups + i % row_groups) * kBlock)
             : Group{};
    store(y + i * kBlock, value);
}

constexpr int kEmbedThreads = 128;

/// A block for each row; that of a token's first row adds up all of the token's rows, the others have nothing to do.
template <typename T>
__global__ void __launch_bounds__(kEmbedThreads)
    embed_gradient_kernel(TokensShape shape, std::int64_t stored, const float* __restrict__ tokens,
                          const T* __restrict__ dy, float* __restrict__ gradient) {
    wait_for_inputs();
    __shared__ float chunk[kEmbedThreads];
    const std::int64_t rows = shape.batch * shape.tokens;
    const auto own = static_cast<std::int64_t>(blockIdx.x);
    const auto token_at = [&](std::int64_t row) {
        return tokens[row / shape.tokens * shape.sample_row + row % shape.tokens];
    };
    const float token = token_at(own);
    if (!(token >= 0.0F && token < static_cast<float>(shape.vocabulary))) {
        return;
    }
    float* const to = gradient + static_cast<std::int64_t>(token) * stored;
    for (std::int64_t begin = 0; begin < rows; begin += kEmbedThreads) {
        const std::int64_t row = begin + threadIdx.x;
        __syncthreads();
        chunk[threadIdx.x] = row < rows ? token_at(row) : -1.0F;
        __syncthreads();
        for (int i = 0; i < kEmbedThreads; ++i) {
            if (chunk[i] != token) {
                continue;
            }
            if (begin + i < own) {
                return;  // all threads of the block: another one has this token
            }
            for (std::int64_t c = threadIdx.x; c < shape.channels; c += kEmbedThreads) {
                to[c] += number(dy[(begin + i) * stored + c]);
            }
        }
    }
}

/// With an addend: from + addend.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    move_rows_kernel(std::int64_t groups, RowMove move, std::int64_t row_groups, const T* __restrict__ from,
                     const T* __restrict__ addend, T* __restrict__ to) {
    wait_for_inputs();
    const std::int64_t i = this_thread();
    if (i >= groups) {
        return;
    }
    const std::int64_t group = i % row_groups;
    const std::int64_t row = i / row_groups % move.count;
    const std::int64_t sample = i / row_groups / move.count;
    Group value =
        load(from + ((sample * move.from_rows + move.from_first + row) * row_groups + group) * kBlock);
    if (addend != nullptr) {
        const Group more = load(addend + (row * row_groups + group) * kBlock);
        for (int k = 0; k < kBlock; ++k) {
            value.v[k] += more.v[k];
        }
    }
    store(to + ((sample * move.to_rows + move.to_first + row) * row_groups + group) * kBlock, value);
}

template <typename T>
__global__ void __launch_bounds__(kThreads)
    sum_rows_kernel(std::int64_t groups, RowMove move, std::int64_t row_groups, const T* __restrict__ from,
                    float* __restrict__ sum) {
    wait_for_inputs();
    const std::int64_t i = this_thread();
    if (i >= groups) {
        return;
    }
    Group total{};
    for (std::int64_t sample = 0; sample < move.batch; ++sample) {
        const std::int64_t row = sample * move.from_rows + move.from_first + i / row_groups;
        const Group value = load(from + (row * row_groups + i % row_groups) * kBlock);
        for (int k = 0; k < kBlock; ++k) {
            total.v[k] += value.v[k];
        }
    }
    store(sum + i * kBlock, total);
}

/// Splits where `to_heads`, else joins.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    heads_kernel(std::int64_t groups, HeadsShape shape, std::int64_t parts, bool to_heads,
                 const T* __restrict__ from, T* __restrict__ to) {
    wait_for_inputs();
    const std::int64_t i = this_thread();
    if (i >= groups) {
        return;
    }
    const std::int64_t width = shape.width / kBlock;
    const std::int64_t group = i % width;
    const std::int64_t token = i / width % shape.tokens;
    const std::int64_t head = i / width / shape.tokens % shape.heads;
    const std::int64_t sample = i / width / shape.tokens / shape.heads % shape.batch;
    const std::int64_t part = i / width / shape.tokens / shape.heads / shape.batch;
    const std::int64_t row = sample * shape.tokens + token;
    const std::int64_t in_row = ((row * parts + part) * shape.heads + head) * width + group;
    store(to + (to_heads ? i : in_row) * kBlock, load(from + (to_heads ? in_row : i) * kBlock));
}

/// What the distances add to a query's scores.
struct RowDistances {
    const float* height = nullptr;  ///< of the distance from the query to line 0
    const float* width = nullptr;   ///< … to column 0
    std::int64_t columns = 1;

    __device__ __forceinline__ float at(std::int64_t key) const {
        return height == nullptr ? 0.0F : height[key / columns] + width[key % columns];
    }
};

template <typename T>
__global__ void __launch_bounds__(kRowThreads)
    shares_kernel(std::int64_t rows, HeadsShape shape, std::int64_t score_row, std::int64_t heights,
                  std::int64_t widths, float scale, const float* __restrict__ scores,
                  const float* __restrict__ by_height, const float* __restrict__ by_width,
                  T* __restrict__ shares) {
    wait_for_inputs();
    const std::int64_t row = row_of_warp();
    const int lane = lane_of_warp();
    if (row >= rows) {
        return;
    }
    const std::int64_t query = row % shape.tokens;
    const std::int64_t seen = shape.causal ? query + 1 : shape.tokens;
    const float* from = scores + row * score_row;
    RowDistances distances;
    if (by_height != nullptr) {
        distances.columns = shape.columns;
        distances.height =
            by_height + row * heights + shape.tokens / shape.columns - 1 - query / shape.columns;
        distances.width = by_width + row * widths + shape.columns - 1 - query % shape.columns;
    }
    float largest = -INFINITY;
    for (std::int64_t key = lane; key < seen; key += kWarp) {
        largest = fmaxf(largest, from[key] + distances.at(key));
    }
    largest = warp_max(largest);
    float sum = 0.0F;
    for (std::int64_t key = lane; key < seen; key += kWarp) {
        sum += expf((from[key] + distances.at(key) - largest) * scale);
    }
    const float share = 1.0F / warp_sum(sum);
    T* to = shares + row * score_row;
    for (std::int64_t key = lane; key < score_row; key += kWarp) {
        put(to + key, key < seen ? expf((from[key] + distances.at(key) - largest) * scale) * share : 0.0F);
    }
}

/// A thread for each query and distance: in height first, then in width.
template <typename T>
__global__ void __launch_bounds__(kThreads)
    distance_gradient_kernel(std::int64_t count, HeadsShape shape, std::int64_t score_row,
                             std::int64_t heights, std::int64_t widths, const T* __restrict__ gradients,
                             T* __restrict__ by_height, T* __restrict__ by_width) {
    wait_for_inputs();
    const std::int64_t i = this_thread();
    if (i >= count) {
        return;
    }
    const std::int64_t row = i / (heights + widths);
    const std::int64_t distance = i % (heights + widths);
    const std::int64_t query = row % shape.tokens;
    const std::int64_t lines = shape.tokens / shape.columns;
    const T* from = gradients + row * score_row;
    float sum = 0.0F;
    if (distance < heights) {
        const std::int64_t line = distance - (lines - 1) + query / shape.columns;
        for (std::int64_t column = 0; line >= 0 && line < lines && column < shape.columns; ++column) {
            sum += number(from[line * shape.columns + column]);
        }
        put(by_height + row * heights + distance, sum);
    } else {
        const std::int64_t column = distance - heights - (shape.columns - 1) + query % shape.columns;
        for (std::int64_t line = 0; column >= 0 && column < shape.columns && line < lines; ++line) {
            sum += number(from[line * shape.columns + column]);
        }
        put(by_width + row * widths + distance - heights, sum);
    }
}

template <typename T>
__global__ void __launch_bounds__(kRowThreads)
    share_gradient_kernel(std::int64_t rows, HeadsShape shape, std::int64_t score_row, float scale,
                          const T* __restrict__ shares, const float* __restrict__ gradients,
                          T* __restrict__ result) {
    wait_for_inputs();
    const std::int64_t row = row_of_warp();
    const int lane = lane_of_warp();
    if (row >= rows) {
        return;
    }
    const std::int64_t seen = shape.causal ? row % shape.tokens + 1 : shape.tokens;
    const T* share = shares + row * score_row;
    const float* gradient = gradients + row * score_row;
    float sum = 0.0F;
    for (std::int64_t key = lane; key < seen; key += kWarp) {
        sum += number(share[key]) * gradient[key];
    }
    sum = warp_sum(sum);
    T* to = result + row * score_row;
    for (std::int64_t key = lane; key < score_row; key += kWarp) {
        put(to + key, key < seen ? number(share[key]) * (gradient[key] - sum) * scale : 0.0F);
    }
}

float scale_of(const HeadsShape& shape) {
    return 1.0F / std::sqrt(static_cast<float>(shape.width));
}

template <typename T>
void launch_heads(const HeadsShape& shape, std::int64_t parts, bool to_heads, const void* from, void* to,
                  cudaStream_t stream) {
    const std::int64_t groups = parts * shape.count() * shape.size() / kGroup;
    launch(heads_kernel<T>, blocks_of(groups), dim3(kThreads), stream, groups, shape, parts, to_heads,
           static_cast<const T*>(from), static_cast<T*>(to));
}

template <typename T>
void launch_move(const RowMove& move, const void* from, const void* addend, void* to, cudaStream_t stream) {
    const std::int64_t row_groups = move.stored / kGroup;
    const std::int64_t groups = move.batch * move.count * row_groups;
    launch(move_rows_kernel<T>, blocks_of(groups), dim3(kThreads), stream, groups, move, row_groups,
           static_cast<const T*>(from), static_cast<const T*>(addend), static_cast<T*>(to));
}

}  // namespace

void layer_norm(const RowsShape& shape, float epsilon, const void* x, const float* weight, const float* bias,
                void* y, float* kept, cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(layer_norm_kernel<T>, blocks_of_rows(shape.rows), dim3(kRowThreads), stream, shape.rows,
               static_cast<int>(shape.channels), static_cast<int>(shape.stored()), epsilon,
               static_cast<const T*>(x), weight, bias, static_cast<T*>(y), kept);
    });
}

void layer_norm_gradient(const RowsShape& shape, const void* x, const float* weight, const float* kept,
                         const void* dy, void* dx, cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        launch(layer_norm_gradient_kernel<T>, blocks_of_rows(shape.rows), dim3(kRowThreads), stream,
               shape.rows, static_cast<int>(shape.channels), static_cast<int>(shape.stored()),
               static_cast<const T*>(x), weight, kept, static_cast<const T*>(dy), static_cast<T*>(dx));
    });
}

std::size_t layer_norm_partials(const RowsShape& shape) {
    return static_cast<std::size_t>(2 * kRowParts * shape.channels);
}

void layer_norm_weight_gradient(const RowsShape& shape, const void* x, const float* kept, const void* dy,
                                float* weight_gradient, float* bias_gradient, float* partials,
                                cudaStream_t stream) {
    const auto channels = static_cast<int>(shape.channels);
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        const dim3 blocks(static_cast<unsigned>((channels + kWarp - 1) / kWarp), kRowParts, 1U);
        launch(norm_columns_kernel<T>, blocks, dim3(kWarp * kColumnRows), stream, shape.rows, channels,
               static_cast<int>(shape.stored()), static_cast<const T*>(x), kept, static_cast<const T*>(dy),
               partials);
    });
    launch(norm_parts_kernel, blocks_of(channels), dim3(kThreads), stream, channels, partials,
           weight_gradient, bias_gradient);
}

void embed(const TokensShape& shape, const float* tokens, const void* table, void* y, cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        const std::int64_t row_groups = shape.stored() / kGroup;
        const std::int64_t groups = shape.batch * shape.tokens * row_groups;
        launch(embed_kernel<T>, blocks_of(groups), dim3(kThreads), stream, groups, shape, row_groups, tokens,
               static_cast<const T*>(table), static_cast<T*>(y));
    });
}

void embed_gradient(const TokensShape& shape, const float* tokens, const void* dy, float* table_gradient,
                    cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        const dim3 blocks(static_cast<unsigned>(shape.batch * shape.tokens), 1U, 1U);
        launch(embed_gradient_kernel<T>, blocks, dim3(kEmbedThreads), stream, shape, shape.stored(), tokens,
               static_cast<const T*>(dy), table_gradient);
    });
}

void move_rows(const RowMove& move, const void* from, void* to, cudaStream_t stream) {
    with_element(move.type, [&](auto* type) {
        launch_move<std::remove_pointer_t<decltype(type)>>(move, from, nullptr, to, stream);
    });
}

void add_rows(const RowMove& move, const void* from, const void* addend, void* to, cudaStream_t stream) {
    with_element(move.type, [&](auto* type) {
        launch_move<std::remove_pointer_t<decltype(type)>>(move, from, addend, to, stream);
    });
}

void sum_rows(const RowMove& move, const void* from, float* sum, cudaStream_t stream) {
    with_element(move.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        const std::int64_t row_groups = move.stored / kGroup;
        launch(sum_rows_kernel<T>, blocks_of(move.count * row_groups), dim3(kThreads), stream,
               move.count * row_groups, move, row_groups, static_cast<const T*>(from), sum);
    });
}

void split_heads(const HeadsShape& shape, std::int64_t parts, const void* rows, void* heads,
                 cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        launch_heads<std::remove_pointer_t<decltype(type)>>(shape, parts, true, rows, heads, stream);
    });
}

void join_heads(const HeadsShape& shape, std::int64_t parts, const void* heads, void* rows,
                cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        launch_heads<std::remove_pointer_t<decltype(type)>>(shape, parts, false, heads, rows, stream);
    });
}

void attention_shares(const HeadsShape& shape, const float* scores, const DistanceRows& distances,
                      void* shares, cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        const std::int64_t rows = shape.count() * shape.tokens;
        launch(shares_kernel<T>, blocks_of_rows(rows), dim3(kRowThreads), stream, rows, shape,
               shape.score_row(), shape.heights(), shape.widths(), scale_of(shape), scores,
               static_cast<const float*>(distances.height), static_cast<const float*>(distances.width),
               static_cast<T*>(shares));
    });
}

void distance_gradients(const HeadsShape& shape, const void* score_gradients, void* height, void* width,
                        cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        const std::int64_t count = shape.count() * shape.tokens * (shape.heights() + shape.widths());
        launch(distance_gradient_kernel<T>, blocks_of(count), dim3(kThreads), stream, count, shape,
               shape.score_row(), shape.heights(), shape.widths(), static_cast<const T*>(score_gradients),
               static_cast<T*>(height), static_cast<T*>(width));
    });
}

void attention_gradient(const HeadsShape& shape, const void* shares, const float* share_gradients,
                        void* score_gradients, cudaStream_t stream) {
    with_element(shape.type, [&](auto* type) {
        using T = std::remove_pointer_t<decltype(type)>;
        const std::int64_t rows = shape.count() * shape.tokens;
        launch(share_gradient_kernel<T>, blocks_of_rows(rows), dim3(kRowThreads), stream, rows, shape,
               shape.score_row(), scale_of(shape), static_cast<const T*>(shares), share_gradients,
               static_cast<T*>(score_gradients));
    });
}

}  // namespace rankscope::engine::cuda
