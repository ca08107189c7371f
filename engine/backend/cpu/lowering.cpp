// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>
#include <engine/graph/each_operation.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <stdexcept>

namespace rankscope::engine::cpu {
namespace {

using dnnl::memory;
using Md = memory::desc;
using dnnl_api::dims_of;

}  // namespace

IndexedVector<ParameterId, Md> canonical_descriptors(const Graph& graph) {
    IndexedVector<ParameterId, Md> descriptors(graph.parameters.size());
    for (const Node& node : graph.nodes) {
        for (const ParameterId id : node.parameters) {
            const Shape& shape = graph.parameters[id].shape;
            const bool linear_weight = std::holds_alternative<Linear>(node.operation) && shape.size() == 2 &&
                                       graph.values[node.input()].shape.size() == 1;
            descriptors[id] = plain(linear_weight ? with_batch(shape[0], unflattened(graph, node))
                                                  : weight_dims(node, shape));
        }
    }
    return descriptors;
}

IndexedVector<ParameterId, Md> native_descriptors(const dnnl::engine& engine, const Graph& graph,
                                                  std::int64_t batch, memory::data_type activations) {
    IndexedVector<ParameterId, Md> descriptors = canonical_descriptors(graph);
    const IndexedVector<ParameterId, std::size_t> users = user_counts(graph);
    for (const Node& node : graph.nodes) {
        const auto* conv = std::get_if<Conv2d>(&node.operation);
        if ((conv == nullptr && !std::holds_alternative<Linear>(node.operation)) ||
            users[node.parameters[0]] > 1 || graph.parameters[node.parameters[0]].shared ||
            linear_by_rows(graph, node, activations)) {
            continue;
        }
        Md& weight = descriptors[node.parameters[0]];
        const Md bias = node.parameters.size() > 1 ? descriptors[node.parameters[1]] : Md();
        const memory::dims dst = with_batch(batch, graph.values[node.output].shape);
        if (conv != nullptr && (worth_taps(graph, node) || worth_winograd(graph, node, activations))) {
            weight = Md(dims_of(weight), kFloat, memory::format_tag::hwio);
        } else if (conv != nullptr) {
            weight = dnnl_api::conv_forward(engine, any(with_batch(batch, graph.values[node.input()].shape)),
                                            any(dims_of(weight)), bias, any(dst), conv_shape(*conv), true)
                         .weights_desc();
        } else {
            const Shape& in = graph.values[node.input()].shape;
            const std::int64_t rows = batch * pixel_count(in);
            const Md src =
                in.size() == 3 ? plain({rows, in[0]}) : any(with_batch(batch, unflattened(graph, node)));
            const Md to = in.size() == 3 ? plain({rows, dst[1]}) : plain(dst);
            weight =
                dnnl_api::linear_forward(engine, src, any(dims_of(weight)), bias, to, false).weights_desc();
        }
    }
    return descriptors;
}

Lowering::Lowering(const dnnl::engine& engine, const Graph& graph, std::int64_t batch,
                   const IndexedVector<ParameterId, ParameterStorage>& storage, const StepState& state,
                   memory::data_type activations, StepPlan& plan)
    : engine_(engine),
      graph_(graph),
      batch_(batch),
      storage_(storage),
      state_(state),
      type_(activations),
      plan_(plan),
      values_(graph.values.size()),
      root_(graph.values.size()),
      users_(user_counts(graph)) {
    for (const ValueId id : root_.indices()) {
        root_[id] = id;
    }
    for (const ParameterStorage& parameter : storage_) {
        const BufferId weight = plan_.external(parameter.weight);
        weights_.add(weight);
        weights_in_backward_.add(
            parameter.weight_in_backward == nullptr ? weight : plan_.external(parameter.weight_in_backward));
        gradients_.add(plan_.external(parameter.gradient));
    }
    for (const ParameterId id : users_.indices()) {
        users_[id] += graph.parameters[id].shared ? 1 : 0;
    }
}

LoweredStep Lowering::lower(const Schedule& schedule, BufferId input) {
    LoweredStep result;
    take_input(input);
    for (std::size_t i = 0; i < schedule.backward_begin; ++i) {
        const Node& node = graph_.nodes[schedule.ops[i].node];
        gather_weights(i);
        forward(schedule.ops[i].node);
        const LoweredValue& made = value(node.output);
        // Of long concatenations the parts were looked at, and the rest is still to come.
        if (node.output != graph_.nodes.back().output && made.grown == nullptr) {
            plan_.note_result(node.name, made.activation, stored_elements(made.descriptor),
                              dnnl_api::type_of(made.descriptor) == memory::data_type::bf16);
        }
    }
    end_forward(result);
    backward_ = true;
    weights_ = weights_in_backward_;
    for (std::size_t i = schedule.backward_begin; i < schedule.ops.size(); ++i) {
        const ScheduledOp& op = schedule.ops[i];
        gather_weights(i);
        if (op.phase == Phase::recompute) {
            if (!recomputing_) {
                reordered_.clear();  // what was made of values that are gone
            }
            recomputing_ = true;
            forward(op.node);
            continue;
        }
        recomputing_ = false;
        if (op.phase == Phase::backward_weights) {
            const bool data_follows = i + 1 < schedule.ops.size() && schedule.ops[i + 1].node == op.node;
            backward_weights(op, data_follows);
        } else {
            backward_data(op);
        }
    }
    give_input_gradient(result);
    return result;
}

/// Those that this operation is the first to read.
void Lowering::gather_weights(std::size_t op) {
    for (std::size_t number = 0; number < state_.gatherings.size(); ++number) {
        if (state_.gatherings[number].first == op) {
            plan_.kernel({}, [number, &state = state_](const StepPlan::Pointer& /*at*/) -> StepPlan::Run {
                return [number, &state] { state.gather(number); };
            });
        }
    }
}

/// The result of another stage arrives row-major. It is stored in the layout of this stage's operations.
void Lowering::take_input(BufferId input) {
    const Shape& shape = graph_.values[kInputValue].shape;
    const Md given = plain(with_batch(batch_, shape));
    const Md kept = graph_.continues ? by_row(batch_, shape, type_) : given;
    values_[kInputValue] = {kept, plan_.reorder(input, given, kept), false, {}};
}

void Lowering::end_forward(LoweredStep& result) {
    const ValueId last = graph_.nodes.back().input();
    const Shape& shape = graph_.values[last].shape;
    const Md wanted = graph_.hands_over() ? plain(with_batch(batch_, shape)) : by_row(batch_, shape, kFloat);
    result.logits = activation_in(last, wanted);
    result.forward_end = plan_.size();
    const BufferId partial = new_partial(last);
    const Md kept = value(last).descriptor;
    result.logits_gradient = partial;
    if (graph_.hands_over() && kept != wanted) {
        result.logits_gradient = plan_.buffer(wanted.get_size());
        plan_.reorder_into(result.logits_gradient, wanted, partial, kept);
    }
    plan_.pin(result.logits);
    plan_.pin(result.logits_gradient);
}

void Lowering::give_input_gradient(LoweredStep& result) {
    if (!graph_.continues) {
        return;
    }
    const BufferId sum = gradient_of(kInputValue);
    const Md wanted = plain(with_batch(batch_, graph_.values[kInputValue].shape));
    result.input_gradient = plan_.reorder(sum, value(kInputValue).descriptor, wanted);
    plan_.pin(*result.input_gradient);
}

void Lowering::new_value(ValueId id, const Md& descriptor, bool relu) {
    // Computed again, the value may have its gradient already, by way of another value in the same memory.
    values_[id] = {descriptor, plan_.buffer(descriptor.get_size()), relu, std::move(values_[id].partials)};
}

void Lowering::alias(const Node& node) {
    root_[node.output] = root_[node.input()];
}

memory::dims Lowering::output_dims(const Node& node) const {
    return with_batch(batch_, graph_.values[node.output].shape);
}

BufferId Lowering::activation_in(ValueId id, const Md& wanted) {
    const LoweredValue& from = value(id);
    if (from.descriptor == wanted) {
        return from.activation;
    }
    auto& known = reordered_[root_[id]];
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const auto& one) { return one.first == wanted; });
    if (found != known.end()) {
        return found->second;
    }
    known.emplace_back(wanted, plan_.reorder(from.activation, from.descriptor, wanted));
    return known.back().second;
}

BufferId Lowering::weight_in(ParameterId id, const Md& wanted) {
    return plan_.reorder(weights_[id], storage_[id].descriptor, wanted);
}

BufferId Lowering::new_partial(ValueId id) {
    LoweredValue& to = value(id);
    to.partials.push_back(plan_.buffer(to.descriptor.get_size()));
    return to.partials.back();
}

BufferId Lowering::gradient_of(ValueId id) {
    LoweredValue& of = value(id);
    const std::size_t count = stored_elements(of.descriptor);
    if (of.partials.empty()) {
        throw std::logic_error("a value without readers has no gradient");
    }
    const BufferId sum = of.partials.front();
    for (std::size_t i = 1; i < of.partials.size(); ++i) {
        const BufferId part = of.partials[i];
        for_type(dnnl_api::type_of(of.descriptor), [&]<typename T>(T) {
            plan_.kernel({sum, part}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                return [to = contents<T>(at(sum), count), from = contents<const T>(at(part), count)] {
                    add_in_place<T>(to, from);
                };
            });
        });
    }
    of.partials.resize(1);
    if (of.relu) {
        of.relu = false;  // masked once
        const BufferId activation = of.activation;
        for_type(dnnl_api::type_of(of.descriptor), [&]<typename T>(T) {
            plan_.kernel({activation, sum}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                return [y = contents<const T>(at(activation), count), g = contents<T>(at(sum), count)] {
                    relu_backward_in_place<T>(y, g);
                };
            });
        });
    }
    return sum;
}

void Lowering::forward(std::size_t index) {
    const Node& node = graph_.nodes[index];
    std::visit(EachOperation{[&](const Conv2d& conv) {
                                 by_winograd(node) ? forward_winograd(index, conv)
                                 : by_taps(node)   ? forward_taps(index)
                                                   : forward_conv(index, conv);
                             },
                             [&](const BatchNorm2d& norm) {
                                 forward_batch_norm(index, recomputing_ ? seen_before(norm) : norm);
                             },
                             [&](const Relu&) { forward_relu(index); },
                             [&](const Add& sum) { forward_add(index, sum); },
                             [&](const MaxPool2d& pool) { forward_max_pool(index, pool); },
                             [&](const GlobalAveragePool&) { forward_average_pool(index); },
                             [&](const AveragePool2d& pool) { forward_window_average(index, pool); },
                             [&](const Activate& one) { forward_activate(index, one); },
                             [&](const Scale&) { forward_scale(index); },
                             [&](const Concat&) { forward_concat(node); },
                             [&](const Flatten&) { alias(node); },
                             [&](const Dropout& one) { forward_dropout(node, one); },
                             [&](const Linear& linear) { forward_linear(index, linear); },
                             [&](const Embedding& one) { forward_embedding(index, one); },
                             [&](const AddPositions&) { forward_positions(index); },
                             [&](const PrependToken&) { forward_prepend(index); },
                             [&](const FirstToken&) { forward_first_token(index); },
                             [&](const LayerNorm& norm) { forward_layer_norm(index, norm); },
                             [&](const Attention& one) { forward_attention(index, one); },
                             [&](const SumSliceGradients&) { forward_sum_gradients(node); },
                             [&](const SumSlices&) { forward_sum(node); },
                             [](const CrossEntropy&) {},
                             [](const MeanSquaredError&) {},
                             [](const Handover&) {}},
               node.operation);
}

void Lowering::backward_weights(const ScheduledOp& op, bool data_follows) {
    const Node& node = graph_.nodes[op.node];
    std::visit(EachOperation{[&](const Conv2d& conv) {
                                 by_winograd(node) ? backward_winograd(op, data_follows)
                                 : by_taps(node)   ? backward_weights_taps(op)
                                                   : backward_weights_conv(op, conv);
                             },
                             [&](const BatchNorm2d& norm) {
                                 backward_batch_norm(op, norm);  // data and weights in the same passes
                             },
                             [&](const Linear&) { backward_weights_linear(op); },
                             [&](const Embedding& one) { backward_embedding(op, one); },
                             [&](const AddPositions&) { backward_positions_weights(op); },
                             [&](const PrependToken&) { backward_prepend_weights(op); },
                             [&](const LayerNorm&) { backward_layer_norm_weights(op); },
                             [&](const Attention& one) { backward_attention(op, one); },
                             [](const auto&) { throw std::logic_error("an operation without weights"); }},
               node.operation);
}

void Lowering::backward_data(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    std::visit(EachOperation{[&](const Conv2d& conv) {
                                 if (!by_winograd(node)) {  // else it came with the weights
                                     by_taps(node) ? backward_data_taps(op.node)
                                                   : backward_data_conv(op.node, conv);
                                 }
                             },
                             [](const BatchNorm2d&) {},  // came with the weights
                             [&](const Relu&) { backward_relu(op.node); },
                             [&](const Add&) { pass_gradient(op); },
                             [&](const MaxPool2d& pool) { backward_max_pool(op.node, pool); },
                             [&](const GlobalAveragePool&) { backward_average_pool(op.node); },
                             [&](const AveragePool2d& pool) { backward_window_average(op.node, pool); },
                             [&](const Activate& one) { backward_activate(op.node, one); },
                             [&](const Scale&) { backward_scale(op); },
                             [&](const Concat&) { backward_concat(op); },
                             [](const Flatten&) {},  // another shape of the same memory
                             [&](const Dropout& one) { backward_dropout(node, one); },
                             [&](const Linear&) { backward_data_linear(op.node); },
                             [](const Embedding&) {},  // tokens have no gradient
                             [&](const AddPositions&) { pass_gradient(op); },
                             [&](const PrependToken&) { backward_prepend_data(op.node); },
                             [&](const FirstToken&) { backward_first_token(op.node); },
                             [&](const LayerNorm&) { backward_layer_norm_data(op.node); },
                             [&](const Attention& one) {
                                 if (!one.relative) {  // else it came with the weights
                                     backward_attention(op, one);
                                 }
                             },
                             [&](const SumSliceGradients&) { give_gradient(node, true); },
                             [&](const SumSlices&) { give_gradient(node, false); },
                             [](const CrossEntropy&) {},
                             [](const MeanSquaredError&) {},
                             [](const Handover&) {}},
               node.operation);
}

void Lowering::forward_relu(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const LoweredValue in = value(node.input());
    new_value(node.output, in.descriptor, true);
    const BufferId from = in.activation;
    const BufferId to = value(node.output).activation;
    const std::size_t count = stored_elements(in.descriptor);
    for_type(dnnl_api::type_of(in.descriptor), [&]<typename T>(T) {
        plan_.kernel({from, to}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [x = contents<const T>(at(from), count), y = contents<T>(at(to), count)] {
                std::copy(x.begin(), x.end(), y.begin());
                relu_in_place<T>(y);
            };
        });
    });
}

void Lowering::backward_relu(std::size_t index) {
    // The masked gradient of the result is the input's.
    const Node& node = graph_.nodes[index];
    const BufferId gradient = gradient_of(node.output);
    value(node.input()).partials.push_back(gradient);
}

void Lowering::forward_add(std::size_t index, const Add& operation) {
    const Node& node = graph_.nodes[index];
    const Md descriptor = value(node.inputs[0]).descriptor;
    const BufferId a = value(node.inputs[0]).activation;
    const BufferId b = activation_in(node.inputs[1], descriptor);
    new_value(node.output, descriptor, operation.relu);
    const BufferId sum = value(node.output).activation;
    const std::size_t count = stored_elements(descriptor);
    for_type(dnnl_api::type_of(descriptor), [&]<typename T>(T) {
        plan_.kernel({a, b, sum}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [x = contents<const T>(at(a), count), y = contents<const T>(at(b), count),
                    to = contents<T>(at(sum), count), relu = operation.relu] { add<T>(x, y, relu, to); };
        });
    });
}

void Lowering::pass_gradient(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const BufferId gradient = gradient_of(node.output);
    const Md descriptor = value(node.output).descriptor;
    for (const ValueId input : op.inputs) {
        // A copy each: a reader's share may be added to in place.
        const BufferId partial = new_partial(input);
        const Md wanted = value(input).descriptor;
        if (wanted != descriptor) {
            plan_.reorder_into(gradient, descriptor, partial, wanted);
            continue;
        }
        const std::size_t bytes = descriptor.get_size();
        plan_.kernel({gradient, partial}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [from = at(gradient), to = at(partial), bytes] { std::memcpy(to, from, bytes); };
        });
    }
}

void Lowering::weight_gradients(const dnnl::primitive& primitive, const Md& scratchpad,
                                std::vector<StepPlan::Argument> arguments, const Md& wanted, const Node& node,
                                const std::vector<ParameterId>& finished) {
    const ParameterId weight = node.parameters[0];
    const bool direct = wanted == storage_[weight].descriptor;
    const BufferId target = direct ? gradients_[weight] : plan_.buffer(wanted.get_size());
    arguments.push_back({DNNL_ARG_DIFF_WEIGHTS, wanted, target});
    if (node.parameters.size() > 1) {
        const ParameterId bias = node.parameters[1];
        arguments.push_back({DNNL_ARG_DIFF_BIAS, storage_[bias].descriptor, gradients_[bias]});
    }
    plan_.primitive(primitive, scratchpad, std::move(arguments),
                    direct ? finished : std::vector<ParameterId>{});
    if (!direct) {
        plan_.reorder_into(target, wanted, gradients_[weight], storage_[weight].descriptor, finished);
    }
}

}  // namespace rankscope::engine::cpu
