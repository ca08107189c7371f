// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/dropout_formula.h>

#include <tests/engine/slow_tokens.h>

#include <cmath>
#include <utility>

namespace rankscope::engine::test {
namespace {

/// A value as [channels][tokens].
struct Sequence {
    std::size_t channels;
    std::size_t tokens;
    std::size_t at(std::size_t channel, std::size_t token) const { return channel * tokens + token; }
};

Sequence sequence_of(const Graph& graph, ValueId value) {
    const Shape& shape = graph.values[value].shape;
    return {static_cast<std::size_t>(shape[0]), static_cast<std::size_t>(pixel_count(shape))};
}

/// What one token's layer norm computes with.
struct Normed {
    double mean = 0;
    double scale = 0;
};

Normed normed_of(const Sequence& s, const Doubles& in, std::size_t token, double epsilon) {
    Normed result;
    const auto count = static_cast<double>(s.channels);
    for (std::size_t c = 0; c < s.channels; ++c) {
        result.mean += in[s.at(c, token)] / count;
    }
    double variance = 0;
    for (std::size_t c = 0; c < s.channels; ++c) {
        variance += std::pow(in[s.at(c, token)] - result.mean, 2) / count;
    }
    result.scale = 1.0 / std::sqrt(variance + epsilon);
    return result;
}

/// One head: visits queries with the share that they take of each key.
class SlowHead {
public:
    SlowHead(const Graph& graph, const Node& node, const Sequence& qkv,
             const IndexedVector<ParameterId, Doubles>& parameters, const Doubles& in,
             const Attention& attention, std::uint64_t key, std::size_t head)
        : qkv_(qkv),
          in_(in),
          image_(graph.values[node.input()].shape),
          by_height_(attention.relative ? &parameters[node.parameters[0]] : nullptr),
          by_width_(attention.relative ? &parameters[node.parameters[1]] : nullptr),
          causal_(attention.causal),
          width_(qkv.channels / 3 / static_cast<std::size_t>(attention.heads)),
          first_(head * width_),
          dropout_(dropout_formula(attention.dropout, attention.number)),
          key_(key),
          head_(head) {}

    std::size_t width() const { return width_; }
    /// Where channel `i` of part 0 (queries), 1 (keys) or 2 (values) lies.
    std::size_t at(std::size_t part, std::size_t i, std::size_t token) const {
        return qkv_.at(part * (qkv_.channels / 3) + first_ + i, token);
    }
    std::size_t out(std::size_t i, std::size_t token) const { return qkv_.at(first_ + i, token); }
    std::size_t seen(std::size_t query) const { return causal_ ? query + 1 : qkv_.tokens; }
    double scale() const { return 1.0 / std::sqrt(static_cast<double>(width_)); }

    /// Where the vectors of the distances from query to key have channel `i`: in height and in width.
    std::pair<std::size_t, std::size_t> distances(std::size_t i, std::size_t query, std::size_t key) const {
        const auto height = static_cast<std::size_t>(image_[1]);
        const auto width = static_cast<std::size_t>(image_[2]);
        return {(key / width + height - 1 - query / width) * width_ + i,
                (key % width + width - 1 - query % width) * width_ + i};
    }
    double position(std::size_t i, std::size_t query, std::size_t key) const {
        if (by_height_ == nullptr) {
            return 0.0;
        }
        const auto [height, width] = distances(i, query, key);
        return (*by_height_)[height] + (*by_width_)[width];
    }

    Doubles shares(std::size_t query) const {
        Doubles shares;
        double sum = 0;
        for (std::size_t key = 0; key < seen(query); ++key) {
            double score = 0;
            for (std::size_t i = 0; i < width_; ++i) {
                score += in_[at(0, i, query)] * (in_[at(1, i, key)] + position(i, query, key));
            }
            shares.push_back(std::exp(score * scale()));
            sum += shares.back();
        }
        for (double& share : shares) {
            share /= sum;
        }
        return shares;
    }

    /// What dropout multiplies a share by.
    double kept(std::size_t query, std::size_t key) const {
        return static_cast<double>(dropout_.factor(key_, (head_ * qkv_.tokens + query) * qkv_.tokens + key));
    }

private:
    const Sequence& qkv_;
    const Doubles& in_;
    const Shape& image_;
    const Doubles* by_height_;
    const Doubles* by_width_;
    bool causal_;
    std::size_t width_;
    std::size_t first_;
    DropoutFormula dropout_;
    std::uint64_t key_;
    std::size_t head_;
};

template <typename Visit>
void each_head(const Graph& graph, const Node& node, const Attention& attention,
               const IndexedVector<ParameterId, Doubles>& parameters, std::uint64_t key, const Doubles& in,
               Visit visit) {
    const Sequence qkv = sequence_of(graph, node.input());
    for (std::size_t head = 0; head < static_cast<std::size_t>(attention.heads); ++head) {
        const SlowHead one(graph, node, qkv, parameters, in, attention, key, head);
        for (std::size_t query = 0; query < qkv.tokens; ++query) {
            visit(one, query);
        }
    }
}

bool linear_by_token(const Graph& graph, const Node& node) {
    return std::holds_alternative<Linear>(node.operation) && graph.values[node.input()].shape.size() == 3;
}

}  // namespace

bool token_forward(const Graph& graph, const Node& node,
                   const IndexedVector<ParameterId, Doubles>& parameters, std::uint64_t key_of_sample,
                   const Doubles& in, Doubles& out) {
    if (const auto* embedding = std::get_if<Embedding>(&node.operation)) {
        const Sequence to = sequence_of(graph, node.output);
        for (std::size_t t = 0; t < to.tokens; ++t) {
            for (std::size_t c = 0; c < to.channels; ++c) {
                const auto row =
                    static_cast<std::size_t>(in[t]) * static_cast<std::size_t>(embedding->channels);
                out[to.at(c, t)] = parameters[node.parameters[0]][row + c];
            }
        }
        return true;
    }
    if (graph.values[node.input()].shape.size() != 3) {
        return false;
    }
    const Sequence from = sequence_of(graph, node.input());
    const Sequence to = sequence_of(graph, node.output);
    if (linear_by_token(graph, node)) {
        for (std::size_t t = 0; t < to.tokens; ++t) {
            for (std::size_t o = 0; o < to.channels; ++o) {
                double sum = node.parameters.size() > 1 ? parameters[node.parameters[1]][o] : 0.0;
                for (std::size_t c = 0; c < from.channels; ++c) {
                    sum += parameters[node.parameters[0]][o * from.channels + c] * in[from.at(c, t)];
                }
                out[to.at(o, t)] = sum;
            }
        }
    } else if (const auto* norm = std::get_if<LayerNorm>(&node.operation)) {
        for (std::size_t t = 0; t < to.tokens; ++t) {
            const Normed normed = normed_of(from, in, t, static_cast<double>(norm->epsilon));
            for (std::size_t c = 0; c < to.channels; ++c) {
                out[to.at(c, t)] =
                    (in[from.at(c, t)] - normed.mean) * normed.scale * parameters[node.parameters[0]][c] +
                    parameters[node.parameters[1]][c];
            }
        }
    } else if (std::holds_alternative<AddPositions>(node.operation)) {
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = in[i] + parameters[node.parameters[0]][i % to.tokens * to.channels + i / to.tokens];
        }
    } else if (std::holds_alternative<PrependToken>(node.operation)) {
        for (std::size_t c = 0; c < to.channels; ++c) {
            out[to.at(c, 0)] = parameters[node.parameters[0]][c];
            for (std::size_t t = 0; t < from.tokens; ++t) {
                out[to.at(c, t + 1)] = in[from.at(c, t)];
            }
        }
    } else if (std::holds_alternative<FirstToken>(node.operation)) {
        for (std::size_t c = 0; c < from.channels; ++c) {
            out[c] = in[from.at(c, 0)];
        }
    } else if (const auto* attention = std::get_if<Attention>(&node.operation)) {
        each_head(graph, node, *attention, parameters, key_of_sample, in,
                  [&](const SlowHead& head, std::size_t query) {
                      const Doubles shares = head.shares(query);
                      for (std::size_t i = 0; i < head.width(); ++i) {
                          for (std::size_t key = 0; key < shares.size(); ++key) {
                              out[head.out(i, query)] +=
                                  shares[key] * head.kept(query, key) * in[head.at(2, i, key)];
                          }
                      }
                  });
    } else {
        return false;
    }
    return true;
}

bool token_backward(const Graph& graph, const Node& node,
                    const IndexedVector<ParameterId, Doubles>& parameters, std::uint64_t key_of_sample,
                    const Doubles& in, const Doubles& up, Doubles& down,
                    IndexedVector<ParameterId, Doubles>& gradients) {
    if (const auto* embedding = std::get_if<Embedding>(&node.operation)) {
        const Sequence to = sequence_of(graph, node.output);
        for (std::size_t t = 0; t < to.tokens; ++t) {
            for (std::size_t c = 0; c < to.channels; ++c) {
                const auto row =
                    static_cast<std::size_t>(in[t]) * static_cast<std::size_t>(embedding->channels);
                gradients[node.parameters[0]][row + c] += up[to.at(c, t)];
            }
        }
        return true;
    }
    if (graph.values[node.input()].shape.size() != 3) {
        return false;
    }
    const Sequence from = sequence_of(graph, node.input());
    const Sequence to = sequence_of(graph, node.output);
    if (linear_by_token(graph, node)) {
        for (std::size_t t = 0; t < to.tokens; ++t) {
            for (std::size_t o = 0; o < to.channels; ++o) {
                const double g = up[to.at(o, t)];
                if (node.parameters.size() > 1) {
                    gradients[node.parameters[1]][o] += g;
                }
                for (std::size_t c = 0; c < from.channels; ++c) {
                    gradients[node.parameters[0]][o * from.channels + c] += g * in[from.at(c, t)];
                    down[from.at(c, t)] += g * parameters[node.parameters[0]][o * from.channels + c];
                }
            }
        }
    } else if (const auto* norm = std::get_if<LayerNorm>(&node.operation)) {
        const auto count = static_cast<double>(from.channels);
        for (std::size_t t = 0; t < to.tokens; ++t) {
            const Normed normed = normed_of(from, in, t, static_cast<double>(norm->epsilon));
            double first = 0;
            double second = 0;
            for (std::size_t c = 0; c < to.channels; ++c) {
                const double x = (in[from.at(c, t)] - normed.mean) * normed.scale;
                const double g = up[to.at(c, t)] * parameters[node.parameters[0]][c];
                first += g / count;
                second += g * x / count;
                gradients[node.parameters[0]][c] += up[to.at(c, t)] * x;
                gradients[node.parameters[1]][c] += up[to.at(c, t)];
            }
            for (std::size_t c = 0; c < to.channels; ++c) {
                const double x = (in[from.at(c, t)] - normed.mean) * normed.scale;
                const double g = up[to.at(c, t)] * parameters[node.parameters[0]][c];
                down[from.at(c, t)] += normed.scale * (g - first - x * second);
            }
        }
    } else if (std::holds_alternative<AddPositions>(node.operation)) {
        for (std::size_t i = 0; i < up.size(); ++i) {
            gradients[node.parameters[0]][i % to.tokens * to.channels + i / to.tokens] += up[i];
            down[i] += up[i];
        }
    } else if (std::holds_alternative<PrependToken>(node.operation)) {
        for (std::size_t c = 0; c < to.channels; ++c) {
            gradients[node.parameters[0]][c] += up[to.at(c, 0)];
            for (std::size_t t = 0; t < from.tokens; ++t) {
                down[from.at(c, t)] += up[to.at(c, t + 1)];
            }
        }
    } else if (std::holds_alternative<FirstToken>(node.operation)) {
        for (std::size_t c = 0; c < from.channels; ++c) {
            down[from.at(c, 0)] += up[c];
        }
    } else if (const auto* attention = std::get_if<Attention>(&node.operation)) {
        each_head(graph, node, *attention, parameters, key_of_sample, in,
                  [&](const SlowHead& head, std::size_t query) {
                      const Doubles shares = head.shares(query);
                      Doubles of_shares(shares.size(), 0.0);
                      double mean = 0;
                      for (std::size_t key = 0; key < shares.size(); ++key) {
                          for (std::size_t i = 0; i < head.width(); ++i) {
                              of_shares[key] +=
                                  up[head.out(i, query)] * in[head.at(2, i, key)] * head.kept(query, key);
                              down[head.at(2, i, key)] +=
                                  up[head.out(i, query)] * shares[key] * head.kept(query, key);
                          }
                          mean += of_shares[key] * shares[key];
                      }
                      for (std::size_t key = 0; key < shares.size(); ++key) {
                          const double of_score = shares[key] * (of_shares[key] - mean) * head.scale();
                          for (std::size_t i = 0; i < head.width(); ++i) {
                              down[head.at(0, i, query)] +=
                                  of_score * (in[head.at(1, i, key)] + head.position(i, query, key));
                              down[head.at(1, i, key)] += of_score * in[head.at(0, i, query)];
                              if (attention->relative) {
                                  const auto [height, width] = head.distances(i, query, key);
                                  gradients[node.parameters[0]][height] +=
                                      of_score * in[head.at(0, i, query)];
                                  gradients[node.parameters[1]][width] += of_score * in[head.at(0, i, query)];
                              }
                          }
                      }
                  });
    } else {
        return false;
    }
    return true;
}

}  // namespace rankscope::engine::test
