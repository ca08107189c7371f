// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/channel_groups.h>
#include <engine/tensor/element_type.h>

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// Kernels of sequences: a token is a row of stored channels, the ones behind `channels` are padding and stay 0. Parameters'
/// gradients and what is kept are floats. None adds in an order that changes from run to run.
namespace rankscope::engine::cuda {

struct RowsShape {
    std::int64_t rows = 0;
    std::int64_t channels = 0;
    ElementType type = ElementType::f32;

    std::int64_t stored() const { return padded(channels); }
};

/// y = (x − mean) / √(variance + ε) · weight + bias, row by row; `kept` [rows][2] receives mean and 1 / √…
void layer_norm(const RowsShape& shape, float epsilon, const void* x, const float* weight, const float* bias,
                void* y, float* kept, cudaStream_t stream);
void layer_norm_gradient(const RowsShape& shape, const void* x, const float* weight, const float* kept,
                         const void* dy, void* dx, cudaStream_t stream);
/// Floats that layer_norm_weight_gradient() needs for partial sums.
std::size_t layer_norm_partials(const RowsShape& shape);
void layer_norm_weight_gradient(const RowsShape& shape, const void* x, const float* kept, const void* dy,
                                float* weight_gradient, float* bias_gradient, float* partials,
                                cudaStream_t stream);

/// Tokens of `batch` samples as floats, `sample_row` apart from sample to sample.
struct TokensShape {
    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    std::int64_t sample_row = 0;
    std::int64_t channels = 0;
    std::int64_t vocabulary = 0;
    ElementType type = ElementType::f32;

    std::int64_t stored() const { return padded(channels); }
};
/// Rows of the table; of what is no token, zeros.
void embed(const TokensShape& shape, const float* tokens, const void* table, void* y, cudaStream_t stream);
/// Adds each row to its token's in `table_gradient`, in order.
void embed_gradient(const TokensShape& shape, const float* tokens, const void* dy, float* table_gradient,
                    cudaStream_t stream);

/// Rows of sequences of two lengths.
struct RowMove {
    std::int64_t batch = 0;
    std::int64_t count = 0;   ///< rows of each sample that are moved
    std::int64_t stored = 0;  ///< channels of a row
    ElementType type = ElementType::f32;
    std::int64_t from_rows = 0;  ///< of a sample; 0: all samples get the same rows
    std::int64_t from_first = 0;
    std::int64_t to_rows = 0;
    std::int64_t to_first = 0;
};
void move_rows(const RowMove& move, const void* from, void* to, cudaStream_t stream);
/// to = from + addend, which is the same for all samples: [count][stored].
void add_rows(const RowMove& move, const void* from, const void* addend, void* to, cudaStream_t stream);
/// The sum over the batch of the rows that would be moved: [count][stored] floats.
void sum_rows(const RowMove& move, const void* from, float* sum, cudaStream_t stream);

/// Heads of attention: a head's matrix is [tokens][width].
struct HeadsShape {
    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    std::int64_t heads = 1;
    std::int64_t width = 0;
    bool causal = false;
    ElementType type = ElementType::f32;
    std::int64_t columns = 0;  ///< of the image that the tokens are; 0: no relative positions

    std::int64_t count() const { return batch * heads; }
    std::int64_t size() const { return tokens * width; }
    std::int64_t score_row() const { return padded(tokens); }  ///< from one query's scores to the next one's
    std::int64_t scores() const { return count() * tokens * score_row(); }
    /// Distances in height and in width, with the padding.
    std::int64_t heights() const { return columns == 0 ? 0 : padded(2 * (tokens / columns) - 1); }
    std::int64_t widths() const { return columns == 0 ? 0 : padded(2 * columns - 1); }
};
/// Of each query, [batch · heads · tokens][heights] and [...][widths]: its products with the vectors of the distances as
/// floats, or their gradients in the kernels' type. Null: there are no relative positions.
struct DistanceRows {
    const void* height = nullptr;
    const void* width = nullptr;
};
/// [batch · tokens][parts · heads · width] becomes [parts][batch · heads][tokens][width], and back.
void split_heads(const HeadsShape& shape, std::int64_t parts, const void* rows, void* heads,
                 cudaStream_t stream);
void join_heads(const HeadsShape& shape, std::int64_t parts, const void* heads, void* rows,
                cudaStream_t stream);
/// Scores of a query, with those of the distances to the keys, become shares that add up to 1, after a division by √width;
/// causal: of those up to the query.
void attention_shares(const HeadsShape& shape, const float* scores, const DistanceRows& distances,
                      void* shares, cudaStream_t stream);
/// The scores' gradients from those of the shares.
void attention_gradient(const HeadsShape& shape, const void* shares, const float* share_gradients,
                        void* score_gradients, cudaStream_t stream);

/// The gradients of the products with the distances' vectors: sums of the scores' gradients over the keys at each
/// distance; padding becomes 0.
void distance_gradients(const HeadsShape& shape, const void* score_gradients, void* height, void* width,
                        cudaStream_t stream);

}  // namespace rankscope::engine::cuda
