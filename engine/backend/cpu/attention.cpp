// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/dropout.h>
#include <engine/backend/cpu/gemm.h>
#include <engine/backend/cpu/token_kernels.h>
#include <engine/backend/cpu/vector_math.h>

#include <algorithm>
#include <cmath>
#include <vector>

#define RANKSCOPE_INLINE __attribute__((always_inline))

namespace rankscope::engine::cpu {
namespace {

constexpr std::int64_t kBlock = 128;  ///< queries whose scores are in memory together

/// One head of one sample: its matrices as floats, [tokens][width] each.
class Head {
public:
    Head(const AttentionShape& shape, const RelativePositions<const float>& positions)
        : shape_(shape),
          positions_(positions),
          block_(std::min(kBlock, shape.tokens)),
          scale_(1.0F / std::sqrt(static_cast<float>(shape.width()))),
          scores_(static_cast<std::size_t>(block_ * shape.tokens)),
          by_height_(static_cast<std::size_t>(block_ * shape.heights())),
          by_width_(static_cast<std::size_t>(block_ * shape.widths())) {}

    /// The head's columns of rows that are `row` elements apart.
    template <typename T>
    void take(const T* from, std::int64_t row, std::vector<float>& matrix) const {
        const std::int64_t width = shape_.width();
        matrix.resize(static_cast<std::size_t>(shape_.tokens * width));
        run_widest([&]() RANKSCOPE_INLINE {
            for (std::int64_t token = 0; token < shape_.tokens; ++token) {
                for (std::int64_t i = 0; i < width; ++i) {
                    matrix[static_cast<std::size_t>(token * width + i)] = to_float(from[token * row + i]);
                }
            }
        });
    }
    template <typename T>
    void give(const std::vector<float>& matrix, T* to, std::int64_t row) const {
        const std::int64_t width = shape_.width();
        run_widest([&]() RANKSCOPE_INLINE {
            for (std::int64_t token = 0; token < shape_.tokens; ++token) {
                for (std::int64_t i = 0; i < width; ++i) {
                    to[token * row + i] = rounded_to<T>(matrix[static_cast<std::size_t>(token * width + i)]);
                }
            }
        });
    }

    /// Calls body(first query, queries, keys that any of them sees) for each block of queries.
    template <typename Body>
    void each_block(const Body& body) const {
        for (std::int64_t first = 0; first < shape_.tokens; first += block_) {
            const std::int64_t rows = std::min(block_, shape_.tokens - first);
            body(first, rows, shape_.causal ? first + rows : shape_.tokens);
        }
    }

    /// What the next head drops; no key: nothing.
    void drops(const std::uint64_t* key, std::int64_t head) {
        key_ = key;
        first_ = head * shape_.tokens * shape_.tokens;
    }

    template <typename T>
    void forward(const T* qkv, T* y, float* kept) {
        take_inputs(qkv);
        out_.resize(q_.size());
        each_block([&](std::int64_t first, std::int64_t rows, std::int64_t keys) {
            products_of_keys(first, rows, keys, q_, k_, scores_);
            add_position_scores(first, rows);
            for (std::int64_t row = 0; row < rows; ++row) {
                float* const scores = scores_.data() + row * keys;
                const std::int64_t seen = seen_by(first + row, keys);
                kept[first + row] = softmax(scores, seen);
                drop(first + row, scores, seen);
                std::fill(scores + seen, scores + keys, 0.0F);
            }
            const std::int64_t width = shape_.width();
            gemm(rows, width, keys, {scores_.data(), keys}, {v_.data(), width}, false,
                 out_.data() + first * width, width);
        });
        give(out_, y, shape_.channels);
    }

    template <typename T>
    void backward(const T* qkv, const T* y, const float* kept, const T* dy, T* dqkv, float* dpositions) {
        std::fill_n(dpositions, shape_.position_size(), 0.0F);
        const std::int64_t width = shape_.width();
        take_inputs(qkv);
        take(y, shape_.channels, out_);
        take(dy, shape_.channels, gradient_);
        dq_.resize(q_.size());
        dk_.assign(q_.size(), 0.0F);
        dv_.assign(q_.size(), 0.0F);
        score_gradients_.resize(scores_.size());
        each_block([&](std::int64_t first, std::int64_t rows, std::int64_t keys) {
            products_of_keys(first, rows, keys, q_, k_, scores_);
            add_position_scores(first, rows);
            products_of_keys(first, rows, keys, gradient_, v_, score_gradients_);
            for (std::int64_t row = 0; row < rows; ++row) {
                drop(first + row, score_gradients_.data() + row * keys, seen_by(first + row, keys));
                score_gradient(first + row, row, keys, kept[first + row]);
                drop(first + row, scores_.data() + row * keys, seen_by(first + row, keys));
            }
            const Matrix shares{scores_.data(), keys, true};
            const Matrix of_scores{score_gradients_.data(), keys};
            const Matrix transposed{score_gradients_.data(), keys, true};
            gemm(keys, width, rows, shares, {gradient_.data() + first * width, width}, true, dv_.data(),
                 width);
            gemm(rows, width, keys, of_scores, {k_.data(), width}, false, dq_.data() + first * width, width);
            gemm(keys, width, rows, transposed, {q_.data() + first * width, width}, true, dk_.data(), width);
            position_gradients(first, rows, dpositions);
        });
        give(dq_, dqkv, 3 * shape_.channels);
        give(dk_, dqkv + shape_.channels, 3 * shape_.channels);
        give(dv_, dqkv + 2 * shape_.channels, 3 * shape_.channels);
    }

private:
    template <typename T>
    void take_inputs(const T* qkv) {
        take(qkv, 3 * shape_.channels, q_);
        take(qkv + shape_.channels, 3 * shape_.channels, k_);
        take(qkv + 2 * shape_.channels, 3 * shape_.channels, v_);
    }

    /// Of a query's shares, or of their gradients.
    void drop(std::int64_t query, float* values, std::int64_t count) const {
        if (key_ != nullptr) {
            drop_in_place<float>(shape_.dropout, *key_,
                                 static_cast<std::uint64_t>(first_ + query * shape_.tokens),
                                 {values, static_cast<std::size_t>(count)});
        }
    }

    std::int64_t seen_by(std::int64_t query, std::int64_t keys) const {
        return shape_.causal ? query + 1 : keys;
    }

    /// result[rows][keys] = rows of `of` · keysᵀ.
    void products_of_keys(std::int64_t first, std::int64_t rows, std::int64_t keys,
                          const std::vector<float>& of, const std::vector<float>& with,
                          std::vector<float>& result) const {
        const std::int64_t width = shape_.width();
        gemm(rows, keys, width, {of.data() + first * width, width}, {with.data(), width, true}, false,
             result.data(), keys);
    }

    /// Calls visit(score, product with the distance in height, with that in width), by index, for each score.
    template <typename Visit>
    void each_distance(std::int64_t first, std::int64_t rows, const Visit& visit) const {
        const std::int64_t columns = shape_.columns;
        const std::int64_t lines = shape_.tokens / columns;
        for (std::int64_t row = 0; row < rows; ++row) {
            const std::int64_t height = row * shape_.heights() + lines - 1 - (first + row) / columns;
            const std::int64_t width = row * shape_.widths() + columns - 1 - (first + row) % columns;
            for (std::int64_t key = 0; key < shape_.tokens; ++key) {
                visit(static_cast<std::size_t>(row * shape_.tokens + key),
                      static_cast<std::size_t>(height + key / columns),
                      static_cast<std::size_t>(width + key % columns));
            }
        }
    }

    /// All keys: images are not causal.
    void add_position_scores(std::int64_t first, std::int64_t rows) {
        if (shape_.columns == 0) {
            return;
        }
        const std::int64_t width = shape_.width();
        const Matrix queries{q_.data() + first * width, width};
        gemm(rows, shape_.heights(), width, queries, {positions_.height.data(), width, true}, false,
             by_height_.data(), shape_.heights());
        gemm(rows, shape_.widths(), width, queries, {positions_.width.data(), width, true}, false,
             by_width_.data(), shape_.widths());
        each_distance(first, rows, [&](std::size_t score, std::size_t height, std::size_t across) {
            scores_[score] += by_height_[height] + by_width_[across];
        });
    }

    void position_gradients(std::int64_t first, std::int64_t rows, float* dpositions) {
        if (shape_.columns == 0) {
            return;
        }
        std::fill(by_height_.begin(), by_height_.end(), 0.0F);
        std::fill(by_width_.begin(), by_width_.end(), 0.0F);
        each_distance(first, rows, [&](std::size_t score, std::size_t height, std::size_t across) {
            by_height_[height] += score_gradients_[score];
            by_width_[across] += score_gradients_[score];
        });
        const std::int64_t width = shape_.width();
        const auto add = [&](const std::vector<float>& of, std::int64_t distances, const float* vectors,
                             float* gradient) {
            gemm(rows, width, distances, {of.data(), distances}, {vectors, width}, true,
                 dq_.data() + first * width, width);
            gemm(distances, width, rows, {of.data(), distances, true}, {q_.data() + first * width, width},
                 true, gradient, width);
        };
        add(by_height_, shape_.heights(), positions_.height.data(), dpositions);
        add(by_width_, shape_.widths(), positions_.width.data(), dpositions + shape_.heights() * width);
    }

    /// Shares that add up to 1; returns the logarithm of the sum of e^(scaled score).
    float softmax(float* scores, std::int64_t count) const {
        float largest = scores[0];
        for (std::int64_t i = 1; i < count; ++i) {
            largest = std::max(largest, scores[i]);
        }
        float sum = 0.0F;
        run_widest([&]() RANKSCOPE_INLINE {
            for (std::int64_t i = 0; i < count; ++i) {
                scores[i] = VectorMath::exp((scores[i] - largest) * scale_);
            }
            sum = sum_of(count, [&](std::int64_t i) { return scores[i]; });
            const float share = 1.0F / sum;
            for (std::int64_t i = 0; i < count; ++i) {
                scores[i] *= share;
            }
        });
        return largest * scale_ + std::log(sum);
    }

    /// scores_ become the shares again, score_gradients_ (those of the shares) the scores' gradients.
    void score_gradient(std::int64_t query, std::int64_t row, std::int64_t keys, float log_sum) {
        const std::int64_t width = shape_.width();
        const std::int64_t seen = seen_by(query, keys);
        float* const shares = scores_.data() + row * keys;
        float* const gradients = score_gradients_.data() + row * keys;
        const float* const out = out_.data() + query * width;
        const float* const dout = gradient_.data() + query * width;
        run_widest([&]() RANKSCOPE_INLINE {
            const float mean = sum_of(width, [&](std::int64_t i) { return out[i] * dout[i]; });
            for (std::int64_t i = 0; i < seen; ++i) {
                shares[i] = VectorMath::exp(shares[i] * scale_ - log_sum);
                gradients[i] = shares[i] * (gradients[i] - mean) * scale_;
            }
            for (std::int64_t i = seen; i < keys; ++i) {
                shares[i] = 0.0F;
                gradients[i] = 0.0F;
            }
        });
    }

    const AttentionShape& shape_;
    const RelativePositions<const float>& positions_;
    std::int64_t block_;
    float scale_;
    const std::uint64_t* key_ = nullptr;
    std::int64_t first_ = 0;  ///< element of the sample that the head's shares begin with
    std::vector<float> scores_;
    std::vector<float> score_gradients_;
    std::vector<float> by_height_;  ///< queries times the vectors of the distances, or their gradients
    std::vector<float> by_width_;
    std::vector<float> q_, k_, v_, out_, gradient_, dq_, dk_, dv_;
};

/// Calls body(head's tools, number of the head of all samples, its first element in a row, its first row).
template <typename Body>
void each_head(const AttentionShape& shape, std::span<const std::uint64_t> keys,
               const RelativePositions<const float>& positions, const Body& body) {
    const bool drops = !keys.empty() && shape.dropout.threshold > 0;
#pragma omp parallel
    {
        Head head(shape, positions);
#pragma omp for
        for (std::int64_t number = 0; number < shape.batch * shape.heads; ++number) {
            head.drops(drops ? &keys[static_cast<std::size_t>(number / shape.heads)] : nullptr,
                       shape.first_head + number % shape.heads);
            body(head, number, number % shape.heads * shape.width(), number / shape.heads * shape.tokens);
        }
    }
}

}  // namespace

template <typename T>
void attention_forward(const AttentionShape& shape, std::span<const std::uint64_t> keys,
                       std::span<const T> qkv, const RelativePositions<const float>& positions,
                       std::span<T> y, std::span<float> kept) {
    each_head(shape, keys, positions,
              [&](Head& head, std::int64_t number, std::int64_t column, std::int64_t row) {
                  head.forward(qkv.data() + row * 3 * shape.channels + column,
                               y.data() + row * shape.channels + column, kept.data() + number * shape.tokens);
              });
}

template <typename T>
void attention_backward(const AttentionShape& shape, std::span<const std::uint64_t> keys,
                        std::span<const T> qkv, const RelativePositions<const float>& positions,
                        std::span<const T> y, std::span<const float> kept, std::span<const T> dy,
                        std::span<T> dqkv, const RelativePositions<float>& position_gradients,
                        std::span<float> partials) {
    each_head(shape, keys, positions,
              [&](Head& head, std::int64_t number, std::int64_t column, std::int64_t row) {
                  const std::int64_t wide = row * 3 * shape.channels + column;
                  const std::int64_t narrow = row * shape.channels + column;
                  head.backward(qkv.data() + wide, y.data() + narrow, kept.data() + number * shape.tokens,
                                dy.data() + narrow, dqkv.data() + wide,
                                partials.data() + number * shape.position_size());
              });
    // Heads in their order, whoever computed them.
    const auto size = static_cast<std::size_t>(shape.position_size());
    const auto sum_into = [&](std::span<float> sum, std::size_t first) {
        std::fill(sum.begin(), sum.end(), 0.0F);
        for (std::size_t head = 0; size > 0 && head < partials.size() / size; ++head) {
            for (std::size_t i = 0; i < sum.size(); ++i) {
                sum[i] += partials[head * size + first + i];
            }
        }
    };
    sum_into(position_gradients.height, 0);
    sum_into(position_gradients.width, position_gradients.height.size());
}

#define RANKSCOPE_INSTANTIATE(T)                                                                        \
    template void attention_forward<T>(const AttentionShape&, std::span<const std::uint64_t>,           \
                                       std::span<const T>, const RelativePositions<const float>&,       \
                                       std::span<T>, std::span<float>);                                 \
    template void attention_backward<T>(const AttentionShape&, std::span<const std::uint64_t>,          \
                                        std::span<const T>, const RelativePositions<const float>&,      \
                                        std::span<const T>, std::span<const float>, std::span<const T>, \
                                        std::span<T>, const RelativePositions<float>&, std::span<float>);
RANKSCOPE_INSTANTIATE(float)
RANKSCOPE_INSTANTIATE(Bf16)
#undef RANKSCOPE_INSTANTIATE

}  // namespace rankscope::engine::cpu
