// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cpu/bf16.h>
#include <engine/backend/dropout_formula.h>

#include <cstdint>
#include <span>

/// Kernels of sequences: values are row-major matrices, a token a row ([batch · tokens][channels]). T is float or Bf16;
/// parameters, their gradients and what is kept are float. Each splits its work among OpenMP's threads in a way that
/// does not change the result.
namespace rankscope::engine::cpu {

/// y = (x − mean) / √(variance + ε) · weight + bias, row by row. `kept` [rows][2] receives mean and 1 / √…
template <typename T>
void layer_norm_forward(float epsilon, std::span<const T> x, std::span<const float> weight,
                        std::span<const float> bias, std::span<T> y, std::span<float> kept);
template <typename T>
void layer_norm_backward_data(std::span<const T> x, std::span<const float> weight,
                              std::span<const float> kept, std::span<const T> dy, std::span<T> dx);
template <typename T>
void layer_norm_backward_weights(std::span<const T> x, std::span<const float> kept, std::span<const T> dy,
                                 std::span<float> weight_gradient, std::span<float> bias_gradient);

/// Every row of `rows` becomes `row`; an empty one changes nothing.
void repeat_row(std::span<const float> row, std::span<float> rows);
/// The sum of all rows; an empty `sum` is not wanted.
void sum_of_rows(std::span<const float> rows, std::span<float> sum);

/// Rows of the table. Throws std::out_of_range for what is no token in [0, table's rows).
template <typename T>
void embedding_forward(std::span<const float> tokens, std::int64_t channels, std::span<const float> table,
                       std::span<T> y);
/// Adds each row to its token's, in order; where `adds` is false, to zeros.
template <typename T>
void embedding_backward(std::span<const float> tokens, std::int64_t channels, std::span<const T> dy,
                        bool adds, std::span<float> table_gradient);

/// What a sequence's rows are, for the kernels below.
struct TokenShape {
    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    std::int64_t channels = 0;
    std::int64_t size() const { return tokens * channels; }
};

/// y = x + positions, which has at least shape.tokens rows.
template <typename T>
void positions_forward(const TokenShape& shape, std::span<const T> x, std::span<const float> positions,
                       std::span<T> y);
/// The sum over the batch; rows behind the tokens get zeros.
template <typename T>
void positions_backward(const TokenShape& shape, std::span<const T> dy, std::span<float> gradient);

/// y has one token more than x: `token` comes first. `shape` is x's.
template <typename T>
void prepend_forward(const TokenShape& shape, std::span<const T> x, std::span<const float> token,
                     std::span<T> y);
/// Either result may be empty: it is not wanted.
template <typename T>
void prepend_backward(const TokenShape& shape, std::span<const T> dy, std::span<T> dx,
                      std::span<float> token_gradient);

/// Softmax attention (Vaswani et al., "Attention Is All You Need", 2017), never with more than a block of a head's
/// scores in memory: the backward pass computes them again from `kept`, the logarithm of each row's sum (Dao et al.,
/// "FlashAttention", 2022).
struct AttentionShape {
    std::int64_t batch = 0;
    std::int64_t tokens = 0;
    std::int64_t channels = 0;  ///< of the result
    std::int64_t heads = 1;
    bool causal = false;
    std::int64_t columns = 0;     ///< of the image that the tokens are; 0: no relative positions
    DropoutFormula dropout{};     ///< of the shares, where there are keys
    std::int64_t first_head = 0;  ///< its number for the random numbers of dropout
    std::int64_t width() const { return channels / heads; }
    std::int64_t heights() const { return columns == 0 ? 0 : 2 * (tokens / columns) - 1; }  ///< distances
    std::int64_t widths() const { return columns == 0 ? 0 : 2 * columns - 1; }
    std::int64_t position_size() const { return (heights() + widths()) * width(); }
};
/// Vectors of the distances in height [heights][width], and in width.
template <typename Number>
struct RelativePositions {
    std::span<Number> height{};
    std::span<Number> width{};
};
/// `qkv` [batch · tokens][3 · channels], `y` [batch · tokens][channels], `kept` [batch][heads][tokens]; `keys` [batch], or
/// nothing is dropped.
template <typename T>
void attention_forward(const AttentionShape& shape, std::span<const std::uint64_t> keys,
                       std::span<const T> qkv, const RelativePositions<const float>& positions,
                       std::span<T> y, std::span<float> kept);
/// `partials`: scratch memory of batch · heads · position_size() floats.
template <typename T>
void attention_backward(const AttentionShape& shape, std::span<const std::uint64_t> keys,
                        std::span<const T> qkv, const RelativePositions<const float>& positions,
                        std::span<const T> y, std::span<const float> kept, std::span<const T> dy,
                        std::span<T> dqkv, const RelativePositions<float>& position_gradients,
                        std::span<float> partials);

}  // namespace rankscope::engine::cpu
