// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <tests/engine/slow_network.h>

#include <algorithm>
#include <cmath>

namespace rankscope::engine::test {
namespace {

/// One sample on its way through the graph.
struct Sample {
    const Graph& graph;
    const std::vector<Doubles>& parameters;
    std::vector<Doubles> values;     ///< by ValueId
    std::vector<Doubles> gradients;  ///< by ValueId
};

struct ConvIndex {
    std::int64_t channels, height, width, kernel, stride, padding, out_height, out_width;

    /// Calls visit(output index, weight index, input index) for every product of the convolution.
    template <typename Visit>
    void each(std::int64_t out_channels, Visit visit) const {
        for (std::int64_t o = 0; o < out_channels; ++o) {
            for (std::int64_t y = 0; y < out_height; ++y) {
                for (std::int64_t x = 0; x < out_width; ++x) {
                    for (std::int64_t c = 0; c < channels; ++c) {
                        for (std::int64_t k = 0; k < kernel * kernel; ++k) {
                            const std::int64_t iy = y * stride + k / kernel - padding;
                            const std::int64_t ix = x * stride + k % kernel - padding;
                            if (iy >= 0 && iy < height && ix >= 0 && ix < width) {
                                visit(static_cast<std::size_t>((o * out_height + y) * out_width + x),
                                      static_cast<std::size_t>((o * channels + c) * kernel * kernel + k),
                                      static_cast<std::size_t>((c * height + iy) * width + ix));
                            }
                        }
                    }
                }
            }
        }
    }
};

ConvIndex conv_index(const Graph& graph, const Node& node, const Conv2d& conv) {
    const Shape& in = graph.values[node.input].shape;
    const Shape& out = graph.values[node.output].shape;
    return {in[0], in[1], in[2], conv.kernel, conv.stride, conv.padding, out[1], out[2]};
}

/// Input index of the first largest element of each window.
std::vector<std::size_t> pool_choice(const Graph& graph, const Node& node, const MaxPool2d& pool,
                                     const Doubles& in) {
    const Shape& from = graph.values[node.input].shape;
    const Shape& to = graph.values[node.output].shape;
    std::vector<std::size_t> choice;
    for (std::int64_t c = 0; c < to[0]; ++c) {
        for (std::int64_t y = 0; y < to[1]; ++y) {
            for (std::int64_t x = 0; x < to[2]; ++x) {
                std::size_t best =
                    static_cast<std::size_t>((c * from[1] + y * pool.stride) * from[2] + x * pool.stride);
                for (std::int64_t k = 0; k < pool.kernel * pool.kernel; ++k) {
                    const std::int64_t iy = y * pool.stride + k / pool.kernel;
                    const std::int64_t ix = x * pool.stride + k % pool.kernel;
                    const auto at = static_cast<std::size_t>((c * from[1] + iy) * from[2] + ix);
                    best = in[at] > in[best] ? at : best;
                }
                choice.push_back(best);
            }
        }
    }
    return choice;
}

void forward(Sample& s, const Node& node) {
    const Doubles& in = s.values[node.input];
    Doubles& out = s.values[node.output];
    out.assign(static_cast<std::size_t>(element_count(s.graph.values[node.output].shape)), 0.0);
    if (const auto* conv = std::get_if<Conv2d>(&node.operation)) {
        const Doubles& weight = s.parameters[node.parameters[0]];
        const Doubles& bias = s.parameters[node.parameters[1]];
        for (std::size_t i = 0; i < out.size(); ++i) {
            out[i] = bias[i / (out.size() / bias.size())];
        }
        conv_index(s.graph, node, *conv)
            .each(conv->out_channels,
                  [&](std::size_t o, std::size_t w, std::size_t i) { out[o] += weight[w] * in[i]; });
    } else if (std::holds_alternative<Linear>(node.operation)) {
        const Doubles& weight = s.parameters[node.parameters[0]];
        for (std::size_t o = 0; o < out.size(); ++o) {
            out[o] = s.parameters[node.parameters[1]][o];
            for (std::size_t i = 0; i < in.size(); ++i) {
                out[o] += weight[o * in.size() + i] * in[i];
            }
        }
    } else if (const auto* pool = std::get_if<MaxPool2d>(&node.operation)) {
        const auto choice = pool_choice(s.graph, node, *pool, in);
        for (std::size_t o = 0; o < out.size(); ++o) {
            out[o] = in[choice[o]];
        }
    } else if (std::holds_alternative<Relu>(node.operation)) {
        std::transform(in.begin(), in.end(), out.begin(), [](double v) { return std::max(v, 0.0); });
    } else if (std::holds_alternative<Flatten>(node.operation)) {
        out = in;
    }
}

void backward(Sample& s, const Node& node, std::vector<Doubles>& gradients) {
    const Doubles& in = s.values[node.input];
    const Doubles& up = s.gradients[node.output];
    Doubles& down = s.gradients[node.input];
    down.assign(in.size(), 0.0);
    if (const auto* conv = std::get_if<Conv2d>(&node.operation)) {
        const Doubles& weight = s.parameters[node.parameters[0]];
        Doubles& bias = gradients[node.parameters[1]];
        for (std::size_t i = 0; i < up.size(); ++i) {
            bias[i / (up.size() / bias.size())] += up[i];
        }
        conv_index(s.graph, node, *conv)
            .each(conv->out_channels, [&](std::size_t o, std::size_t w, std::size_t i) {
                gradients[node.parameters[0]][w] += up[o] * in[i];
                down[i] += up[o] * weight[w];
            });
    } else if (std::holds_alternative<Linear>(node.operation)) {
        for (std::size_t o = 0; o < up.size(); ++o) {
            gradients[node.parameters[1]][o] += up[o];
            for (std::size_t i = 0; i < in.size(); ++i) {
                gradients[node.parameters[0]][o * in.size() + i] += up[o] * in[i];
                down[i] += up[o] * s.parameters[node.parameters[0]][o * in.size() + i];
            }
        }
    } else if (const auto* pool = std::get_if<MaxPool2d>(&node.operation)) {
        const auto choice = pool_choice(s.graph, node, *pool, in);
        for (std::size_t o = 0; o < up.size(); ++o) {
            down[choice[o]] += up[o];
        }
    } else if (std::holds_alternative<Relu>(node.operation)) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            down[i] = in[i] > 0 ? up[i] : 0.0;
        }
    } else if (std::holds_alternative<Flatten>(node.operation)) {
        down = up;
    }
}

}  // namespace

SlowResult run_slowly(const Graph& graph, const std::vector<Doubles>& parameters, const Doubles& input,
                      const std::vector<std::int32_t>& labels) {
    SlowResult result;
    for (const Doubles& parameter : parameters) {
        result.gradients.emplace_back(parameter.size(), 0.0);
    }
    const std::size_t size = input.size() / labels.size();
    for (std::size_t n = 0; n < labels.size(); ++n) {
        Sample s{graph, parameters, std::vector<Doubles>(graph.values.size()),
                 std::vector<Doubles>(graph.values.size())};
        s.values[0].assign(input.begin() + static_cast<std::ptrdiff_t>(n * size),
                           input.begin() + static_cast<std::ptrdiff_t>((n + 1) * size));
        for (std::size_t i = 0; i + 1 < graph.nodes.size(); ++i) {
            forward(s, graph.nodes[i]);
        }
        const ValueId last = graph.nodes.back().input;
        const Doubles& logits = s.values[last];
        result.logits.insert(result.logits.end(), logits.begin(), logits.end());
        double sum = 0.0;
        for (const double v : logits) {
            sum += std::exp(v);
        }
        const auto label = static_cast<std::size_t>(labels[n]);
        const auto batch = static_cast<double>(labels.size());
        result.loss += (std::log(sum) - logits[label]) / batch;
        result.correct +=
            std::max_element(logits.begin(), logits.end()) == logits.begin() + labels[n] ? 1 : 0;
        for (std::size_t c = 0; c < logits.size(); ++c) {
            s.gradients[last].push_back((std::exp(logits[c]) / sum - (c == label ? 1.0 : 0.0)) / batch);
        }
        for (std::size_t i = graph.nodes.size() - 1; i-- > 0;) {
            backward(s, graph.nodes[i], result.gradients);
        }
    }
    return result;
}

}  // namespace rankscope::engine::test
