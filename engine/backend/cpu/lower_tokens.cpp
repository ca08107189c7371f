// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>
#include <engine/backend/cpu/token_kernels.h>

#include <algorithm>
#include <span>

namespace rankscope::engine::cpu {
namespace {

using Md = dnnl::memory::desc;

TokenShape tokens_of(std::int64_t batch, const Shape& shape) {
    return {.batch = batch, .tokens = pixel_count(shape), .channels = shape[0]};
}

/// Empty where the shape has no relative positions.
template <typename Number>
RelativePositions<Number> positions_at(const AttentionShape& shape, void* height, void* width) {
    const auto size = [&](std::int64_t distances) {
        return static_cast<std::size_t>(distances * shape.width());
    };
    return {contents<Number>(height, size(shape.heights())), contents<Number>(width, size(shape.widths()))};
}

std::size_t values_of(const TokenShape& shape) {
    return static_cast<std::size_t>(shape.batch * shape.size());
}

}  // namespace

Md Lowering::rows(ValueId id) const {
    return by_row(batch_, graph_.values[id].shape, type_);
}

std::size_t Lowering::parameter_size(ParameterId id) const {
    return static_cast<std::size_t>(element_count(graph_.parameters[id].shape));
}

void Lowering::forward_layer_norm(std::size_t index, const LayerNorm& norm) {
    const Node& node = graph_.nodes[index];
    const Md like = rows(node.input());
    const BufferId x = activation_in(node.input(), like);
    new_value(node.output, like);
    const BufferId y = value(node.output).activation;
    const BufferId weight = weights_[node.parameters[0]];
    const BufferId bias = weights_[node.parameters[1]];
    const TokenShape shape = tokens_of(batch_, graph_.values[node.output].shape);
    const auto numbers = static_cast<std::size_t>(shape.batch * shape.tokens * 2);
    const BufferId kept = plan_.buffer(numbers * sizeof(float));
    kept_[index] = {x, kept};
    for_type(type_, [&]<typename T>(T) {
        plan_.kernel({x, weight, bias, y, kept}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            const auto channels = static_cast<std::size_t>(shape.channels);
            return [=, from = contents<const T>(at(x), values_of(shape)),
                    w = contents<const float>(at(weight), channels),
                    b = contents<const float>(at(bias), channels), to = contents<T>(at(y), values_of(shape)),
                    keep = contents<float>(at(kept), numbers)] {
                layer_norm_forward<T>(norm.epsilon, from, w, b, to, keep);
            };
        });
    });
}

void Lowering::backward_layer_norm_weights(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const BufferId dy = gradient_of(node.output);
    const BufferId x = kept_.at(op.node)[0];
    const BufferId kept = kept_.at(op.node)[1];
    const BufferId weight = gradients_[node.parameters[0]];
    const BufferId bias = gradients_[node.parameters[1]];
    const TokenShape shape = tokens_of(batch_, graph_.values[node.output].shape);
    for_type(type_, [&]<typename T>(T) {
        plan_.kernel(
            {x, kept, dy, weight, bias},
            [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                const auto channels = static_cast<std::size_t>(shape.channels);
                const auto numbers = static_cast<std::size_t>(shape.batch * shape.tokens * 2);
                return [from = contents<const T>(at(x), values_of(shape)),
                        keep = contents<const float>(at(kept), numbers),
                        gradient = contents<const T>(at(dy), values_of(shape)),
                        w = contents<float>(at(weight), channels), b = contents<float>(at(bias), channels)] {
                    layer_norm_backward_weights<T>(from, keep, gradient, w, b);
                };
            },
            op.finished);
    });
}

void Lowering::backward_layer_norm_data(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const BufferId dy = gradient_of(node.output);
    const BufferId x = kept_.at(index)[0];
    const BufferId kept = kept_.at(index)[1];
    const BufferId weight = weights_[node.parameters[0]];
    const TokenShape shape = tokens_of(batch_, graph_.values[node.output].shape);
    write_partial(node.input(), rows(node.input()), [&](BufferId dx) {
        for_type(type_, [&]<typename T>(T) {
            plan_.kernel({x, weight, kept, dy, dx}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                const auto numbers = static_cast<std::size_t>(shape.batch * shape.tokens * 2);
                return [from = contents<const T>(at(x), values_of(shape)),
                        w = contents<const float>(at(weight), static_cast<std::size_t>(shape.channels)),
                        keep = contents<const float>(at(kept), numbers),
                        gradient = contents<const T>(at(dy), values_of(shape)),
                        to = contents<T>(at(dx), values_of(shape))] {
                    layer_norm_backward_data<T>(from, w, keep, gradient, to);
                };
            });
        });
    });
}

void Lowering::forward_embedding(std::size_t index, const Embedding& embedding) {
    const Node& node = graph_.nodes[index];
    const BufferId tokens = value(node.input()).activation;
    const ParameterId table = node.parameters[0];
    const BufferId from = weights_[table];
    const auto count = static_cast<std::size_t>(batch_ * graph_.values[node.input()].shape[0]);
    const std::size_t size = parameter_size(table);
    new_value(node.output, rows(node.output));
    const BufferId y = value(node.output).activation;
    for_type(type_, [&]<typename T>(T) {
        plan_.kernel({tokens, from, y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [which = contents<const float>(at(tokens), count),
                    rows = contents<const float>(at(from), size),
                    to = contents<T>(at(y), count * static_cast<std::size_t>(embedding.channels)),
                    channels = embedding.channels] { embedding_forward<T>(which, channels, rows, to); };
        });
    });
}

void Lowering::backward_embedding(const ScheduledOp& op, const Embedding& embedding) {
    const Node& node = graph_.nodes[op.node];
    const BufferId dy = gradient_of(node.output);
    const BufferId tokens = value(node.input()).activation;
    const BufferId to = gradients_[node.parameters[0]];
    const auto count = static_cast<std::size_t>(batch_ * graph_.values[node.input()].shape[0]);
    const std::size_t size = parameter_size(node.parameters[0]);
    for_type(type_, [&]<typename T>(T) {
        plan_.kernel(
            {tokens, dy, to},
            [=, adds = op.adds](const StepPlan::Pointer& at) -> StepPlan::Run {
                return [which = contents<const float>(at(tokens), count),
                        gradient =
                            contents<const T>(at(dy), count * static_cast<std::size_t>(embedding.channels)),
                        table = contents<float>(at(to), size), channels = embedding.channels,
                        adds] { embedding_backward<T>(which, channels, gradient, adds, table); };
            },
            op.finished);
    });
}

void Lowering::forward_positions(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const BufferId x = activation_in(node.input(), rows(node.input()));
    const BufferId positions = weights_[node.parameters[0]];
    const std::size_t size = parameter_size(node.parameters[0]);
    const TokenShape shape = tokens_of(batch_, graph_.values[node.output].shape);
    new_value(node.output, rows(node.output));
    const BufferId y = value(node.output).activation;
    for_type(type_, [&]<typename T>(T) {
        plan_.kernel({x, positions, y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [=, from = contents<const T>(at(x), values_of(shape)),
                    by = contents<const float>(at(positions), size),
                    to = contents<T>(at(y), values_of(shape))] { positions_forward<T>(shape, from, by, to); };
        });
    });
}

void Lowering::backward_positions_weights(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const BufferId dy = gradient_of(node.output);
    const BufferId to = gradients_[node.parameters[0]];
    const std::size_t size = parameter_size(node.parameters[0]);
    const TokenShape shape = tokens_of(batch_, graph_.values[node.output].shape);
    for_type(type_, [&]<typename T>(T) {
        plan_.kernel(
            {dy, to},
            [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                return [=, gradient = contents<const T>(at(dy), values_of(shape)),
                        sum = contents<float>(at(to), size)] { positions_backward<T>(shape, gradient, sum); };
            },
            op.finished);
    });
}

void Lowering::forward_prepend(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const BufferId x = activation_in(node.input(), rows(node.input()));
    const BufferId token = weights_[node.parameters[0]];
    const TokenShape shape = tokens_of(batch_, graph_.values[node.input()].shape);
    const TokenShape whole = tokens_of(batch_, graph_.values[node.output].shape);
    new_value(node.output, rows(node.output));
    const BufferId y = value(node.output).activation;
    for_type(type_, [&]<typename T>(T) {
        plan_.kernel({x, token, y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return
                [=, from = contents<const T>(at(x), values_of(shape)),
                 first = contents<const float>(at(token), static_cast<std::size_t>(shape.channels)),
                 to = contents<T>(at(y), values_of(whole))] { prepend_forward<T>(shape, from, first, to); };
        });
    });
}

void Lowering::prepend_gradient(const Node& node, BufferId dy, BufferId to, bool of_token,
                                const std::vector<ParameterId>& finished) {
    const TokenShape shape = tokens_of(batch_, graph_.values[node.input()].shape);
    const TokenShape whole = tokens_of(batch_, graph_.values[node.output].shape);
    for_type(type_, [&]<typename T>(T) {
        plan_.kernel(
            {dy, to},
            [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                const auto channels = static_cast<std::size_t>(shape.channels);
                return [=, gradient = contents<const T>(at(dy), values_of(whole)),
                        dx = of_token ? std::span<T>() : contents<T>(at(to), values_of(shape)),
                        token = of_token ? contents<float>(at(to), channels) : std::span<float>()] {
                    prepend_backward<T>(shape, gradient, dx, token);
                };
            },
            finished);
    });
}

void Lowering::backward_prepend_weights(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    prepend_gradient(node, gradient_of(node.output), gradients_[node.parameters[0]], true, op.finished);
}

void Lowering::backward_prepend_data(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const BufferId dy = gradient_of(node.output);
    write_partial(node.input(), rows(node.input()),
                  [&](BufferId target) { prepend_gradient(node, dy, target, false, {}); });
}

void Lowering::forward_first_token(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const BufferId x = activation_in(node.input(), rows(node.input()));
    const TokenShape shape = tokens_of(batch_, graph_.values[node.input()].shape);
    new_value(node.output, rows(node.output));
    const BufferId y = value(node.output).activation;
    for_type(type_, [&]<typename T>(T) {
        plan_.kernel({x, y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [=, from = static_cast<const T*>(at(x)), to = static_cast<T*>(at(y))] {
                for (std::int64_t sample = 0; sample < shape.batch; ++sample) {
                    std::copy_n(from + sample * shape.size(), shape.channels, to + sample * shape.channels);
                }
            };
        });
    });
}

void Lowering::backward_first_token(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const BufferId dy = gradient_of(node.output);
    const TokenShape shape = tokens_of(batch_, graph_.values[node.input()].shape);
    write_partial(node.input(), rows(node.input()), [&](BufferId dx) {
        for_type(type_, [&]<typename T>(T) {
            plan_.kernel({dy, dx}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                return [=, from = static_cast<const T*>(at(dy)), to = static_cast<T*>(at(dx))] {
                    std::fill_n(to, values_of(shape), T{});
                    for (std::int64_t sample = 0; sample < shape.batch; ++sample) {
                        std::copy_n(from + sample * shape.channels, shape.channels,
                                    to + sample * shape.size());
                    }
                };
            });
        });
    });
}

AttentionShape Lowering::attention_shape(const Node& node, const Attention& attention) const {
    const Shape& shape = graph_.values[node.output].shape;
    return {batch_,
            pixel_count(shape),
            shape[0],
            attention.heads,
            attention.causal,
            attention.relative ? shape[2] : 0,
            dropout_formula(attention.dropout, attention.number),
            attention.first_head};
}

void Lowering::forward_attention(std::size_t index, const Attention& attention) {
    const Node& node = graph_.nodes[index];
    const BufferId qkv = activation_in(node.input(), rows(node.input()));
    const TokenShape out = tokens_of(batch_, graph_.values[node.output].shape);
    const AttentionShape shape = attention_shape(node, attention);
    new_value(node.output, rows(node.output));
    const BufferId y = value(node.output).activation;
    const auto sums = static_cast<std::size_t>(shape.batch * shape.heads * shape.tokens);
    const BufferId kept = plan_.buffer(sums * sizeof(float));
    kept_[index] = {qkv, kept};
    const BufferId height = attention.relative ? weights_[node.parameters[0]] : qkv;
    const BufferId width = attention.relative ? weights_[node.parameters[1]] : qkv;
    for_type(type_, [&]<typename T>(T) {
        plan_.kernel({qkv, y, kept}, [=, &state = state_](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [=, from = contents<const T>(at(qkv), 3 * values_of(out)),
                    to = contents<T>(at(y), values_of(out)), keep = contents<float>(at(kept), sums),
                    by = positions_at<const float>(shape, at(height), at(width)),
                    &state] { attention_forward<T>(shape, state.keys(), from, by, to, keep); };
        });
    });
}

void Lowering::backward_attention(const ScheduledOp& op, const Attention& attention) {
    const Node& node = graph_.nodes[op.node];
    const BufferId dy = gradient_of(node.output);
    const BufferId y = value(node.output).activation;
    const BufferId qkv = kept_.at(op.node)[0];
    const BufferId kept = kept_.at(op.node)[1];
    const TokenShape out = tokens_of(batch_, graph_.values[node.output].shape);
    const AttentionShape shape = attention_shape(node, attention);
    const auto sums = static_cast<std::size_t>(shape.batch * shape.heads * shape.tokens);
    const auto partial = static_cast<std::size_t>(shape.batch * shape.heads * shape.position_size());
    const BufferId partials = attention.relative ? plan_.buffer(partial * sizeof(float)) : kept;
    const auto of_positions = [&](const IndexedVector<ParameterId, BufferId>& buffers, std::size_t which) {
        return attention.relative ? buffers[node.parameters[which]] : qkv;
    };
    const BufferId height = of_positions(weights_, 0);
    const BufferId width = of_positions(weights_, 1);
    const BufferId dheight = of_positions(gradients_, 0);
    const BufferId dwidth = of_positions(gradients_, 1);
    write_partial(node.input(), rows(node.input()), [&](BufferId dqkv) {
        for_type(type_, [&]<typename T>(T) {
            plan_.kernel(
                {qkv, y, kept, dy, dqkv, partials},
                [=, &state = state_](const StepPlan::Pointer& at) -> StepPlan::Run {
                    return [=, from = contents<const T>(at(qkv), 3 * values_of(out)),
                            by = positions_at<const float>(shape, at(height), at(width)),
                            result = contents<const T>(at(y), values_of(out)),
                            keep = contents<const float>(at(kept), sums),
                            gradient = contents<const T>(at(dy), values_of(out)),
                            to = contents<T>(at(dqkv), 3 * values_of(out)),
                            dpositions = positions_at<float>(shape, at(dheight), at(dwidth)),
                            scratch = contents<float>(at(partials), partial), &state] {
                        attention_backward<T>(shape, state.keys(), from, by, result, keep, gradient, to,
                                              dpositions, scratch);
                    };
                },
                op.finished);
        });
    });
}

}  // namespace rankscope::engine::cpu
