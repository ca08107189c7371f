// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/elementwise.h>
#include <engine/backend/cuda/lowering.h>
#include <engine/graph/each_operation.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

namespace rankscope::engine::cuda {
Lowering::Lowering(const Graph& graph, const LoweringOptions& options, const KernelLibraries& libraries,
                   const StepState& state, StepPlan& plan)
    : graph_(graph),
      options_(options),
      libraries_(libraries),
      state_(state),
      plan_(plan),
      values_(graph.values.size()),
      root_(graph.values.size()) {
    for (const ValueId id : root_.indices()) {
        root_[id] = id;
    }
    for (const ParameterPlace& place : state_.parameters) {
        const std::size_t bytes = place.floats * sizeof(float);
        masters_.add(plan_.external(const_cast<float*>(place.weight), bytes));
        weights_.add(plan_.external(const_cast<void*>(place.kernel), place.floats * size_of(options.type)));
        const ParameterId id = gradients_.add(plan_.external(place.gradient, bytes));
        half_gradients_.add(place.half_gradient == nullptr
                                ? gradients_[id]
                                : plan_.external(place.half_gradient, place.floats * size_of(options.type)));
    }
    output_ = plan_.external(state_.outputs, kStepSlots * sizeof(StepOutput));
}

LoweredStep Lowering::lower(const Schedule& schedule) {
    input();
    const Node& loss_node = graph_.nodes.back();
    for (std::size_t i = 0; i < schedule.backward_begin; ++i) {
        const Node& node = graph_.nodes[schedule.ops[i].node];
        forward(schedule.ops[i].node);
        if (node.output != loss_node.output) {
            const LoweredValue& made = value(node.output);
            plan_.note_result(node.name, made.activation, static_cast<std::size_t>(elements(made)),
                              made.type);
        }
    }
    const LoweredStep result = loss(loss_node);
    if (options_.mode == ForwardMode::evaluate) {
        return result;
    }
    loss_backward(loss_node, result);
    for (std::size_t i = schedule.backward_begin; i < schedule.ops.size(); ++i) {
        const ScheduledOp& op = schedule.ops[i];
        recomputing_ = op.phase == Phase::recompute;
        if (recomputing_) {
            plan_.save_memory();
            forward(op.node);
        } else if (op.phase == Phase::backward_weights) {
            backward_weights(op);
        } else if (op.node + 1 != graph_.nodes.size()) {
            backward_data(op);
        }
    }
    return result;
}

void Lowering::input() {
    const Shape& shape = graph_.values[kInputValue].shape;
    // Tokens are numbers that 16 bits do not hold.
    const bool tokens = std::holds_alternative<Embedding>(graph_.nodes.front().operation);
    LoweredValue& made = new_value(kInputValue, tokens ? ElementType::f32 : options_.type);
    const InputShape input{static_cast<int>(options_.batch), static_cast<int>(made.channels),
                           static_cast<int>(made.height), static_cast<int>(made.width), made.type};
    const BufferId to = made.activation;
    plan_.add(
        {"input " + to_string(shape), {}, {to}, [=, this](const StepPlan::Pointer& at) -> StepPlan::Run {
             return [&state = state_, input, out = at(to)](cudaStream_t stream) {
                 switch (state.form) {
                     case SampleForm::floats:
                         input_from_floats(input, &state.control->floats, out, stream);
                         break;
                     case SampleForm::bytes:
                         input_from_bytes(input, &state.control->bytes, state.pixel_table, out, stream);
                         break;
                     case SampleForm::windows:
                         input_from_windows(input, &state.control->windows, state.images, state.pixel_table,
                                            out, stream);
                         break;
                 }
             };
         }});
    plan_.note_result("input", to, static_cast<std::size_t>(elements(made)), made.type);
}

LoweredValue& Lowering::new_value(ValueId id, ElementType type, bool relu) {
    const Shape& shape = graph_.values[id].shape;
    LoweredValue made;
    made.channels = shape.empty() ? 1 : shape[0];
    if (shape.size() == 3) {
        made.height = shape[1];
        made.width = shape[2];
    }
    made.type = type;
    made.relu = relu;
    made.activation = plan_.buffer(bytes(made));
    // Computed again, the value may have its gradient already, by way of another value in the same memory.
    made.partials = std::move(values_[id].partials);
    values_[id] = made;
    return values_[id];
}

BufferId Lowering::new_partial(ValueId id) {
    LoweredValue& to = value(id);
    to.partials.push_back(plan_.buffer(static_cast<std::size_t>(elements(to)) * size_of(options_.type)));
    return to.partials.back();
}

BufferId Lowering::sum_partials(const LoweredValue& of, const std::vector<BufferId>& parts, bool masked) {
    const std::int64_t count = elements(of);
    const BufferId sum = plan_.buffer(static_cast<std::size_t>(count) * size_of(options_.type));
    const BufferId activation = of.activation;
    std::vector<BufferId> reads = parts;
    if (masked) {
        reads.push_back(activation);
    }
    plan_.add({"sum of gradients", reads, {sum}, [=, this](const StepPlan::Pointer& at) -> StepPlan::Run {
                   GradientParts pointers;
                   for (const BufferId part : parts) {
                       pointers.parts[pointers.count++] = at(part);
                   }
                   const void* mask = masked ? at(activation) : nullptr;
                   return [=, type = options_.type, to = at(sum)](cudaStream_t stream) {
                       gradient_sum(type, count, pointers, mask, to, stream);
                   };
               }});
    return sum;
}

BufferId Lowering::gradient_of(ValueId id) {
    LoweredValue& of = value(id);
    if (of.partials.empty()) {
        throw std::logic_error("a value without readers has no gradient");
    }
    while (of.partials.size() > GradientParts::kMost) {
        const auto first = of.partials.end() - GradientParts::kMost;
        const std::vector<BufferId> some(first, of.partials.end());
        of.partials.erase(first, of.partials.end());
        of.partials.push_back(sum_partials(of, some, false));
    }
    if (of.partials.size() > 1 || of.relu) {
        of.partials = {sum_partials(of, of.partials, of.relu)};
        of.relu = false;  // masked once
    }
    return of.partials.front();
}

void Lowering::forward(std::size_t index) {
    const Node& node = graph_.nodes[index];
    std::visit(EachOperation{[&](const Conv2d& conv) {
                                 const auto product = product_of(node);
                                 product ? forward_product(node, *product) : forward_conv(index, conv);
                             },
                             [&](const BatchNorm2d& norm) {
                                 forward_batch_norm(index, recomputing_ ? seen_before(norm) : norm);
                             },
                             [&](const Relu&) { forward_relu(node); },
                             [&](const Add& sum) { forward_add(node, sum); },
                             [&](const MaxPool2d& pool) { forward_max_pool(index, pool); },
                             [&](const GlobalAveragePool&) { forward_average_pool(node); },
                             [&](const AveragePool2d& pool) { forward_window_average(node, pool); },
                             [&](const Activate& one) { forward_activate(node, one); },
                             [&](const Scale&) { forward_scale(node); },
                             [&](const Concat&) { forward_concat(node); },
                             [&](const Flatten&) { alias(node); },
                             [&](const Dropout& one) { forward_dropout(node, one); },
                             [&](const Linear&) { forward_product(node, *product_of(node)); },
                             [&](const Embedding& one) { forward_embedding(node, one); },
                             [&](const AddPositions&) { forward_positions(node); },
                             [&](const PrependToken&) { forward_prepend(node); },
                             [&](const FirstToken&) { forward_first_token(node); },
                             [&](const LayerNorm& norm) { forward_layer_norm(index, norm); },
                             [&](const Attention& one) { forward_attention(node, one); },
                             [](const SumSliceGradients&) {},  // not on GPUs: CudaBackend refuses them
                             [](const SumSlices&) {},
                             [](const CrossEntropy&) {},
                             [](const MeanSquaredError&) {},
                             [](const Handover&) {}},
               node.operation);
}

void Lowering::backward_weights(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    std::visit(
        EachOperation{[&](const Conv2d& conv) {
                          const auto product = product_of(node);
                          product ? backward_weights_product(op, *product) : backward_weights_conv(op, conv);
                      },
                      [&](const BatchNorm2d& norm) {
                          backward_batch_norm(op, norm);  // data and weights in the same passes
                      },
                      [&](const Linear&) { backward_weights_product(op, *product_of(node)); },
                      [&](const Embedding& one) { backward_embedding(op, one); },
                      [&](const AddPositions&) { shared_rows_gradient(op, value(node.output).pixels()); },
                      [&](const PrependToken&) { shared_rows_gradient(op, 1); },
                      [&](const LayerNorm&) { backward_layer_norm_weights(op); },
                      [&](const Attention& one) { backward_attention(op, one); },
                      [](const auto&) { throw std::logic_error("an operation without weights"); }},
        node.operation);
}

void Lowering::backward_data(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    std::visit(EachOperation{[&](const Conv2d& conv) {
                                 const auto product = product_of(node);
                                 product ? backward_data_product(node, *product)
                                         : backward_data_conv(op.node, conv);
                             },
                             [](const BatchNorm2d&) {},  // came with the weights
                             [&](const Relu&) { backward_relu(node); },
                             [&](const Add&) { pass_gradient(op); },
                             [&](const MaxPool2d& pool) { backward_max_pool(op.node, pool); },
                             [&](const GlobalAveragePool&) { backward_average_pool(node); },
                             [&](const AveragePool2d& pool) { backward_window_average(node, pool); },
                             [&](const Activate& one) { backward_activate(node, one); },
                             [&](const Scale&) { backward_scale(op); },
                             [&](const Concat&) { backward_concat(op); },
                             [](const Flatten&) {},  // another shape of the same memory
                             [&](const Dropout& one) { backward_dropout(node, one); },
                             [&](const Linear&) { backward_data_product(node, *product_of(node)); },
                             [](const Embedding&) {},  // tokens have no gradient
                             [&](const AddPositions&) { pass_gradient(op); },
                             [&](const PrependToken&) { backward_prepend_data(node); },
                             [&](const FirstToken&) { backward_first_token(node); },
                             [&](const LayerNorm&) { backward_layer_norm_data(op.node); },
                             [&](const Attention& one) {
                                 if (!one.relative) {  // else it came with the weights
                                     backward_attention(op, one);
                                 }
                             },
                             [](const SumSliceGradients&) {},
                             [](const SumSlices&) {},
                             [](const CrossEntropy&) {},
                             [](const MeanSquaredError&) {},
                             [](const Handover&) {}},
               node.operation);
}

void Lowering::forward_relu(const Node& node) {
    const BufferId from = value(node.input()).activation;
    const LoweredValue& made = new_value(node.output, options_.type, true);
    const BufferId to = made.activation;
    const std::int64_t count = elements(made);
    plan_.add({node.name, {from}, {to}, [=, type = made.type](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, x = at(from), y = at(to)](cudaStream_t stream) {
                       cuda::relu_forward(type, count, x, y, stream);
                   };
               }});
}

void Lowering::backward_relu(const Node& node) {
    // The masked gradient of the result is the input's.
    const BufferId gradient = gradient_of(node.output);
    value(node.input()).partials.push_back(gradient);
}

void Lowering::forward_add(const Node& node, const Add& operation) {
    const BufferId a = value(node.inputs[0]).activation;
    const BufferId b = value(node.inputs[1]).activation;
    const LoweredValue& made = new_value(node.output, options_.type, operation.relu);
    const BufferId sum = made.activation;
    const std::int64_t count = elements(made);
    plan_.add({node.name, {a, b}, {sum}, [=, type = made.type](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, relu = operation.relu, x = at(a), y = at(b), to = at(sum)](
                              cudaStream_t stream) { cuda::add(type, count, x, y, relu, to, stream); };
               }});
}

void Lowering::pass_gradient(const ScheduledOp& op) {
    // Nothing writes into a share once it is made, so both inputs may have the same one.
    const BufferId gradient = gradient_of(graph_.nodes[op.node].output);
    for (const ValueId input : op.inputs) {
        value(input).partials.push_back(gradient);
    }
}

}  // namespace rankscope::engine::cuda
