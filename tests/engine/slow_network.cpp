// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/dropout_formula.h>

#include <tests/engine/slow_network.h>
#include <tests/engine/slow_tokens.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace rankscope::engine::test {
namespace {

struct ConvIndex {
    std::int64_t channels, height, width, kernel, stride, padding, out_height, out_width, groups, dilation;

    /// Calls visit(output index, weight index, input index) for every product of the convolution.
    template <typename Visit>
    void each(std::int64_t out_channels, Visit visit) const {
        const std::int64_t share = channels / groups;
        for (std::int64_t o = 0; o < out_channels; ++o) {
            const std::int64_t first = o / (out_channels / groups) * share;
            for (std::int64_t y = 0; y < out_height; ++y) {
                for (std::int64_t x = 0; x < out_width; ++x) {
                    for (std::int64_t c = 0; c < share; ++c) {
                        for (std::int64_t k = 0; k < kernel * kernel; ++k) {
                            const std::int64_t iy = y * stride + k / kernel * dilation - padding;
                            const std::int64_t ix = x * stride + k % kernel * dilation - padding;
                            if (iy >= 0 && iy < height && ix >= 0 && ix < width) {
                                visit(static_cast<std::size_t>((o * out_height + y) * out_width + x),
                                      static_cast<std::size_t>((o * share + c) * kernel * kernel + k),
                                      static_cast<std::size_t>(((first + c) * height + iy) * width + ix));
                            }
                        }
                    }
                }
            }
        }
    }
};

ConvIndex conv_index(const Graph& graph, const Node& node, const Conv2d& conv) {
    const Shape& in = graph.values[node.input()].shape;
    const Shape& out = graph.values[node.output].shape;
    return {in[0],        in[1],  in[2],  conv.kernel, conv.stride,
            conv.padding, out[1], out[2], conv.groups, conv.dilation};
}

/// Input index of the first largest element of each window.
std::vector<std::size_t> pool_choice(const Graph& graph, const Node& node, const MaxPool2d& pool,
                                     const Doubles& in) {
    const Shape& from = graph.values[node.input()].shape;
    const Shape& to = graph.values[node.output].shape;
    std::vector<std::size_t> choice;
    for (std::int64_t c = 0; c < to[0]; ++c) {
        for (std::int64_t y = 0; y < to[1]; ++y) {
            for (std::int64_t x = 0; x < to[2]; ++x) {
                std::optional<std::size_t> best;
                for (std::int64_t k = 0; k < pool.kernel * pool.kernel; ++k) {
                    const std::int64_t iy = y * pool.stride + k / pool.kernel - pool.padding;
                    const std::int64_t ix = x * pool.stride + k % pool.kernel - pool.padding;
                    if (iy < 0 || iy >= from[1] || ix < 0 || ix >= from[2]) {
                        continue;
                    }
                    const auto at = static_cast<std::size_t>((c * from[1] + iy) * from[2] + ix);
                    best = !best || in[at] > in[*best] ? at : *best;
                }
                choice.push_back(*best);
            }
        }
    }
    return choice;
}

/// The batch on its way through the graph: every value is one vector per sample.
struct Run {
    const Graph& graph;
    const IndexedVector<ParameterId, Doubles>& parameters;
    const IndexedVector<StatisticId, Doubles>* running;  ///< to normalise with; null: the batch's own
    std::size_t batch;
    IndexedVector<ValueId, std::vector<Doubles>> values;     ///< by sample
    IndexedVector<ValueId, std::vector<Doubles>> gradients;  ///< by sample
};

std::size_t size_of(const Graph& graph, ValueId value) {
    return static_cast<std::size_t>(element_count(graph.values[value].shape));
}

double activated(Activation kind, double x) {
    const double root = std::sqrt(2.0 / 3.14159265358979323846);
    switch (kind) {
        case Activation::silu:
            return x / (1.0 + std::exp(-x));
        case Activation::sigmoid:
            return 1.0 / (1.0 + std::exp(-x));
        case Activation::gelu_erf:
            return 0.5 * x * (1.0 + std::erf(x * std::sqrt(0.5)));
        case Activation::gelu_tanh:
            return 0.5 * x * (1.0 + std::tanh(root * (x + 0.044715 * x * x * x)));
    }
    return 0.0;
}

/// Central difference: exact to 1e-9 in doubles.
double activation_slope(Activation kind, double x) {
    constexpr double kStep = 1e-5;
    return (activated(kind, x + kStep) - activated(kind, x - kStep)) / (2 * kStep);
}

/// Calls visit(output index, input index) for every pixel of every window.
template <typename Visit>
void each_average(const Graph& graph, const Node& node, const AveragePool2d& pool, Visit visit) {
    const Shape& from = graph.values[node.input()].shape;
    const Shape& to = graph.values[node.output].shape;
    for (std::int64_t o = 0; o < element_count(to); ++o) {
        const std::int64_t x = o % to[2] * pool.stride;
        const std::int64_t y = o / to[2] % to[1] * pool.stride;
        const std::int64_t channel = o / to[2] / to[1];
        for (std::int64_t k = 0; k < pool.kernel * pool.kernel; ++k) {
            visit(static_cast<std::size_t>(o),
                  static_cast<std::size_t>((channel * from[1] + y + k / pool.kernel) * from[2] + x +
                                           k % pool.kernel));
        }
    }
}

/// Calls visit(element as the graph's shapes count, what it is multiplied by); the numbers count row by row.
template <typename Visit>
void each_dropped(const Shape& shape, const Dropout& dropout, std::uint64_t key, Visit visit) {
    const DropoutFormula formula = dropout_formula(dropout.rate, dropout.number);
    const auto pixels = static_cast<std::size_t>(pixel_count(shape));
    const auto channels = static_cast<std::size_t>(shape[0]);
    for (std::size_t i = 0; i < pixels * channels; ++i) {
        const std::size_t element = dropout.whole_samples ? 0 : i % pixels * channels + i / pixels;
        visit(i, static_cast<double>(formula.factor(key, element)));
    }
}

void forward_sample(const Run& run, const Node& node, std::uint64_t key, const Doubles& in, Doubles& out) {
    if (token_forward(run.graph, node, run.parameters, key, in, out)) {
        return;
    }
    if (const auto* dropout = std::get_if<Dropout>(&node.operation)) {
        each_dropped(run.graph.values[node.input()].shape, *dropout, key,
                     [&](std::size_t i, double factor) { out[i] = in[i] * factor; });
        return;
    }
    if (const auto* conv = std::get_if<Conv2d>(&node.operation)) {
        const Doubles& weight = run.parameters[node.parameters[0]];
        for (std::size_t i = 0; conv->bias && i < out.size(); ++i) {
            const Doubles& bias = run.parameters[node.parameters[1]];
            out[i] = bias[i / (out.size() / bias.size())];
        }
        conv_index(run.graph, node, *conv)
            .each(conv->out_channels,
                  [&](std::size_t o, std::size_t w, std::size_t i) { out[o] += weight[w] * in[i]; });
    } else if (std::holds_alternative<Linear>(node.operation)) {
        const Doubles& weight = run.parameters[node.parameters[0]];
        for (std::size_t o = 0; o < out.size(); ++o) {
            out[o] = run.parameters[node.parameters[1]][o];
            for (std::size_t i = 0; i < in.size(); ++i) {
                out[o] += weight[o * in.size() + i] * in[i];
            }
        }
    } else if (const auto* pool = std::get_if<MaxPool2d>(&node.operation)) {
        const auto choice = pool_choice(run.graph, node, *pool, in);
        for (std::size_t o = 0; o < out.size(); ++o) {
            out[o] = in[choice[o]];
        }
    } else if (std::holds_alternative<GlobalAveragePool>(node.operation)) {
        const std::size_t pixels = in.size() / out.size();
        for (std::size_t i = 0; i < in.size(); ++i) {
            out[i / pixels] += in[i] / static_cast<double>(pixels);
        }
    } else if (const auto* window = std::get_if<AveragePool2d>(&node.operation)) {
        each_average(run.graph, node, *window, [&](std::size_t o, std::size_t i) {
            out[o] += in[i] / static_cast<double>(window->kernel * window->kernel);
        });
    } else if (const auto* activation = std::get_if<Activate>(&node.operation)) {
        std::transform(in.begin(), in.end(), out.begin(),
                       [&](double v) { return activated(activation->kind, v); });
    } else if (std::holds_alternative<Relu>(node.operation)) {
        std::transform(in.begin(), in.end(), out.begin(), [](double v) { return std::max(v, 0.0); });
    } else if (std::holds_alternative<Flatten>(node.operation)) {
        out = in;
    }
}

struct ChannelStatistics {
    double mean = 0.0;
    double variance = 0.0;
    double inverse = 0.0;
};

std::vector<ChannelStatistics> statistics_of(const Run& run, const Node& node, const BatchNorm2d& norm) {
    const auto channels = static_cast<std::size_t>(run.graph.values[node.output].shape[0]);
    const std::size_t pixels = size_of(run.graph, node.output) / channels;
    const auto count = static_cast<double>(run.batch * pixels);
    std::vector<ChannelStatistics> all(channels);
    for (std::size_t c = 0; c < channels; ++c) {
        ChannelStatistics& s = all[c];
        if (run.running != nullptr) {
            s.mean = (*run.running)[node.statistics[0]][c];
            s.variance = (*run.running)[node.statistics[1]][c];
        } else {
            const auto each = [&](auto use) {
                for (const Doubles& sample : run.values[node.input()]) {
                    for (std::size_t p = 0; p < pixels; ++p) {
                        use(sample[c * pixels + p]);
                    }
                }
            };
            each([&](double v) { s.mean += v / count; });
            each([&](double v) { s.variance += (v - s.mean) * (v - s.mean) / count; });
        }
        s.inverse = 1.0 / std::sqrt(s.variance + static_cast<double>(norm.epsilon));
    }
    return all;
}

void forward_norm(Run& run, const Node& node, const BatchNorm2d& norm) {
    const std::vector<ChannelStatistics> statistics = statistics_of(run, node, norm);
    const std::size_t pixels = size_of(run.graph, node.output) / statistics.size();
    for (std::size_t n = 0; n < run.batch; ++n) {
        for (std::size_t i = 0; i < pixels * statistics.size(); ++i) {
            const ChannelStatistics& s = statistics[i / pixels];
            run.values[node.output][n][i] = (run.values[node.input()][n][i] - s.mean) * s.inverse *
                                                run.parameters[node.parameters[0]][i / pixels] +
                                            run.parameters[node.parameters[1]][i / pixels];
        }
    }
}

void backward_norm(Run& run, const Node& node, const BatchNorm2d& norm,
                   IndexedVector<ParameterId, Doubles>& gradients) {
    const std::vector<ChannelStatistics> statistics = statistics_of(run, node, norm);
    const std::size_t pixels = size_of(run.graph, node.output) / statistics.size();
    const auto count = static_cast<double>(run.batch * pixels);
    for (std::size_t c = 0; c < statistics.size(); ++c) {
        const ChannelStatistics& s = statistics[c];
        double sum = 0.0;
        double product = 0.0;
        const auto each = [&](auto use) {
            for (std::size_t n = 0; n < run.batch; ++n) {
                for (std::size_t i = c * pixels; i < (c + 1) * pixels; ++i) {
                    use(n, i, run.gradients[node.output][n][i],
                        (run.values[node.input()][n][i] - s.mean) * s.inverse);
                }
            }
        };
        each([&](std::size_t, std::size_t, double g, double x) {
            sum += g;
            product += g * x;
        });
        gradients[node.parameters[0]][c] += product;
        gradients[node.parameters[1]][c] += sum;
        const double factor = run.parameters[node.parameters[0]][c] * s.inverse;
        each([&](std::size_t n, std::size_t i, double g, double x) {
            run.gradients[node.input()][n][i] += factor * (g - sum / count - x * product / count);
        });
    }
}

void forward(Run& run, const Node& node) {
    run.values[node.output].assign(run.batch, Doubles(size_of(run.graph, node.output), 0.0));
    if (const auto* norm = std::get_if<BatchNorm2d>(&node.operation)) {
        forward_norm(run, node, *norm);
        return;
    }
    for (std::size_t n = 0; n < run.batch; ++n) {
        Doubles& out = run.values[node.output][n];
        if (std::holds_alternative<Add>(node.operation)) {
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = run.values[node.inputs[0]][n][i] + run.values[node.inputs[1]][n][i];
            }
        } else if (std::holds_alternative<Scale>(node.operation)) {
            const Doubles& factors = run.values[node.inputs[1]][n];
            for (std::size_t i = 0; i < out.size(); ++i) {
                out[i] = run.values[node.inputs[0]][n][i] * factors[i / (out.size() / factors.size())];
            }
        } else if (std::holds_alternative<Concat>(node.operation)) {
            out.clear();
            for (const ValueId input : node.inputs) {
                const Doubles& part = run.values[input][n];
                out.insert(out.end(), part.begin(), part.end());
            }
        } else {
            forward_sample(run, node, slow_key(n), run.values[node.input()][n], out);
        }
    }
}

void backward_sample(const Run& run, const Node& node, std::uint64_t key, const Doubles& in,
                     const Doubles& up, Doubles& down, IndexedVector<ParameterId, Doubles>& gradients) {
    if (token_backward(run.graph, node, run.parameters, key, in, up, down, gradients)) {
        return;
    }
    if (const auto* dropout = std::get_if<Dropout>(&node.operation)) {
        each_dropped(run.graph.values[node.input()].shape, *dropout, key,
                     [&](std::size_t i, double factor) { down[i] += up[i] * factor; });
        return;
    }
    if (const auto* conv = std::get_if<Conv2d>(&node.operation)) {
        const Doubles& weight = run.parameters[node.parameters[0]];
        for (std::size_t i = 0; conv->bias && i < up.size(); ++i) {
            Doubles& bias = gradients[node.parameters[1]];
            bias[i / (up.size() / bias.size())] += up[i];
        }
        conv_index(run.graph, node, *conv)
            .each(conv->out_channels, [&](std::size_t o, std::size_t w, std::size_t i) {
                gradients[node.parameters[0]][w] += up[o] * in[i];
                down[i] += up[o] * weight[w];
            });
    } else if (std::holds_alternative<Linear>(node.operation)) {
        for (std::size_t o = 0; o < up.size(); ++o) {
            gradients[node.parameters[1]][o] += up[o];
            for (std::size_t i = 0; i < in.size(); ++i) {
                gradients[node.parameters[0]][o * in.size() + i] += up[o] * in[i];
                down[i] += up[o] * run.parameters[node.parameters[0]][o * in.size() + i];
            }
        }
    } else if (const auto* pool = std::get_if<MaxPool2d>(&node.operation)) {
        const auto choice = pool_choice(run.graph, node, *pool, in);
        for (std::size_t o = 0; o < up.size(); ++o) {
            down[choice[o]] += up[o];
        }
    } else if (std::holds_alternative<GlobalAveragePool>(node.operation)) {
        const std::size_t pixels = in.size() / up.size();
        for (std::size_t i = 0; i < in.size(); ++i) {
            down[i] += up[i / pixels] / static_cast<double>(pixels);
        }
    } else if (const auto* window = std::get_if<AveragePool2d>(&node.operation)) {
        each_average(run.graph, node, *window, [&](std::size_t o, std::size_t i) {
            down[i] += up[o] / static_cast<double>(window->kernel * window->kernel);
        });
    } else if (const auto* activation = std::get_if<Activate>(&node.operation)) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            down[i] += up[i] * activation_slope(activation->kind, in[i]);
        }
    } else if (std::holds_alternative<Relu>(node.operation)) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            down[i] += in[i] > 0 ? up[i] : 0.0;
        }
    } else if (std::holds_alternative<Flatten>(node.operation)) {
        for (std::size_t i = 0; i < in.size(); ++i) {
            down[i] += up[i];
        }
    }
}

void backward(Run& run, const Node& node, IndexedVector<ParameterId, Doubles>& gradients) {
    if (const auto* norm = std::get_if<BatchNorm2d>(&node.operation)) {
        backward_norm(run, node, *norm, gradients);
        return;
    }
    for (std::size_t n = 0; n < run.batch; ++n) {
        const Doubles& up = run.gradients[node.output][n];
        if (std::holds_alternative<Add>(node.operation)) {
            for (const ValueId input : node.inputs) {
                for (std::size_t i = 0; i < up.size(); ++i) {
                    run.gradients[input][n][i] += up[i];
                }
            }
        } else if (std::holds_alternative<Scale>(node.operation)) {
            const Doubles& image = run.values[node.inputs[0]][n];
            const Doubles& factors = run.values[node.inputs[1]][n];
            for (std::size_t i = 0; i < up.size(); ++i) {
                const std::size_t channel = i / (up.size() / factors.size());
                run.gradients[node.inputs[0]][n][i] += up[i] * factors[channel];
                run.gradients[node.inputs[1]][n][channel] += up[i] * image[i];
            }
        } else if (std::holds_alternative<Concat>(node.operation)) {
            std::size_t at = 0;
            for (const ValueId input : node.inputs) {
                for (double& gradient : run.gradients[input][n]) {
                    gradient += up[at++];
                }
            }
        } else {
            backward_sample(run, node, slow_key(n), run.values[node.input()][n], up,
                            run.gradients[node.input()][n], gradients);
        }
    }
}

/// Loss of one sample and its gradient before the division by the batch.
double classify(const Doubles& logits, std::size_t label, double smoothing, Doubles& gradient) {
    double sum = 0.0;
    for (const double v : logits) {
        sum += std::exp(v);
    }
    double loss = 0.0;
    const auto classes = static_cast<double>(logits.size());
    for (std::size_t c = 0; c < logits.size(); ++c) {
        const double target = smoothing / classes + (c == label ? 1.0 - smoothing : 0.0);
        loss += target * (std::log(sum) - logits[c]);
        gradient[c] = std::exp(logits[c]) / sum - target;
    }
    return loss;
}

}  // namespace

SlowResult run_slowly(const Graph& graph, const IndexedVector<ParameterId, Doubles>& parameters,
                      const Doubles& input, const std::vector<std::int32_t>& labels,
                      const SlowOptions& options) {
    SlowResult result;
    for (const Doubles& parameter : parameters) {
        result.gradients.add(Doubles(parameter.size(), 0.0));
    }
    const std::size_t size = size_of(graph, kInputValue);
    const std::size_t batch = input.size() / size;
    Run run{graph, parameters, options.running, batch, {}, {}};
    run.values.assign(graph.values.size(), {});
    for (std::size_t n = 0; n < batch; ++n) {
        run.values[kInputValue].emplace_back(input.begin() + static_cast<std::ptrdiff_t>(n * size),
                                             input.begin() + static_cast<std::ptrdiff_t>((n + 1) * size));
    }
    for (std::size_t i = 0; i + 1 < graph.nodes.size(); ++i) {
        forward(run, graph.nodes[i]);
    }
    for (const ValueId value : graph.values.indices()) {
        run.gradients.add(std::vector<Doubles>(batch, Doubles(size_of(graph, value), 0.0)));
    }
    const ValueId last = graph.nodes.back().input();
    const auto rows = static_cast<std::size_t>(graph.rows);
    const auto classes = static_cast<std::size_t>(graph.classes);
    for (std::size_t n = 0; n < batch * rows; ++n) {
        // Channels first: the classes of a row are `rows` apart.
        const Doubles& all = run.values[last][n / rows];
        Doubles& all_gradients = run.gradients[last][n / rows];
        Doubles logits;
        Doubles gradient(classes);
        for (std::size_t c = 0; c < classes; ++c) {
            logits.push_back(all[c * rows + n % rows]);
        }
        result.logits.insert(result.logits.end(), logits.begin(), logits.end());
        if (graph.classifies()) {
            const auto label = static_cast<std::size_t>(labels[n]);
            const auto count = static_cast<double>(batch * rows);
            result.loss += classify(logits, label, options.label_smoothing, gradient) / count;
            result.correct +=
                std::max_element(logits.begin(), logits.end()) == logits.begin() + labels[n] ? 1 : 0;
            const auto larger =
                std::count_if(logits.begin(), logits.end(), [&](double v) { return v > logits[label]; });
            result.correct_topk += larger < options.topk ? 1 : 0;
            for (double& g : gradient) {
                g /= count;
            }
        } else {
            for (std::size_t c = 0; c < logits.size(); ++c) {
                const double difference = logits[c] - options.targets[n * logits.size() + c];
                const auto count = static_cast<double>(batch * logits.size());
                result.loss += difference * difference / count;
                gradient[c] = 2.0 * difference / count;
            }
        }
        for (std::size_t c = 0; c < classes; ++c) {
            all_gradients[c * rows + n % rows] = gradient[c];
        }
    }
    for (std::size_t i = graph.nodes.size() - 1; i-- > 0;) {
        backward(run, graph.nodes[i], result.gradients);
    }
    return result;
}

}  // namespace rankscope::engine::test
