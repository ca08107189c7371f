// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/lowering.h>

#include <algorithm>
#include <stdexcept>

namespace rankscope::engine::cuda {
namespace {

InputShape image_of(const LoweredValue& value, std::int64_t batch) {
    return {static_cast<int>(batch), static_cast<int>(value.channels), static_cast<int>(value.height),
            static_cast<int>(value.width), value.type};
}

}  // namespace

/// Whether the loss can read what the node makes as it lies: floats, a row for each sample or token.
bool Lowering::direct_logits(const Node& node) const {
    const IndexedVector<ValueId, std::size_t> readers = reader_counts(graph_);
    const auto producer = std::find_if(graph_.nodes.begin(), graph_.nodes.end(), [&](const Node& other) {
        return other.output == graph_.nodes.back().input();
    });
    return producer != graph_.nodes.end() && &*producer == &node &&
           std::holds_alternative<Linear>(node.operation) && readers[node.output] == 1;
}

LoweredStep Lowering::loss(const Node& node) {
    LoweredStep step;
    const LoweredValue logits = value(node.input());
    step.logits_row = padded(graph_.classes);
    const std::int64_t count = options_.batch * graph_.rows;
    const auto floats = static_cast<std::size_t>(count * step.logits_row);
    const auto row = step.logits_row;
    const InputShape image = image_of(logits, options_.batch);
    const bool direct = std::any_of(graph_.nodes.begin(), graph_.nodes.end(),
                                    [&](const Node& other) { return direct_logits(other); });
    if (direct) {
        step.logits = logits.activation;
    } else if (graph_.predicts_tokens()) {
        throw std::logic_error("logits of tokens that no linear layer makes for the loss alone");
    } else {
        step.logits = plan_.buffer(floats * sizeof(float));
        plan_.add(
            {"logits", {logits.activation}, {step.logits}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                 return [=, from = at(logits.activation), to = static_cast<float*>(at(step.logits))](
                            cudaStream_t stream) { output_to_floats(image, from, row, to, stream); };
             }});
    }
    plan_.pin(step.logits);
    const bool train = options_.mode == ForwardMode::train;
    step.logits_gradient = plan_.buffer(floats * size_of(options_.type));
    plan_.pin(step.logits_gradient);
    const BufferId rows = plan_.scratch(loss_scratch_bytes(static_cast<int>(count)));
    const BufferId counter = plan_.zeroed(sizeof(unsigned));
    const LossShape shape{static_cast<int>(count),  static_cast<int>(graph_.classes),
                          static_cast<int>(row),    static_cast<int>(options_.topk),
                          options_.label_smoothing, options_.type};
    const bool classifies = graph_.classifies();
    plan_.add({node.name,
               {step.logits},
               {step.logits_gradient, rows, counter, output_},
               [=, this](const StepPlan::Pointer& at) -> StepPlan::Run {
                   const auto* in = static_cast<const float*>(at(step.logits));
                   void* gradient = train ? at(step.logits_gradient) : nullptr;
                   const LossScratch scratch{at(rows), static_cast<unsigned*>(at(counter))};
                   return [=, &state = state_](cudaStream_t stream) {
                       if (classifies) {
                           cross_entropy(shape, in, &state.control->labels, state.loss_scale, gradient,
                                         &state.output->totals, scratch, stream);
                       } else {
                           mean_squared_error(shape, in, &state.control->targets, state.loss_scale, gradient,
                                              &state.output->totals, scratch, stream);
                       }
                   };
               }});
    step.forward_end = plan_.size();
    return step;
}

void Lowering::loss_backward(const Node& node, const LoweredStep& step) {
    LoweredValue& logits = value(node.input());
    const bool direct = std::any_of(graph_.nodes.begin(), graph_.nodes.end(),
                                    [&](const Node& other) { return direct_logits(other); });
    if (direct) {
        logits.partials.push_back(step.logits_gradient);
        return;
    }
    InputShape image = image_of(logits, options_.batch);
    image.type = options_.type;
    const BufferId to = new_partial(node.input());
    plan_.add({"gradient of the logits",
               {step.logits_gradient},
               {to},
               [=, row = step.logits_row](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(step.logits_gradient), out = at(to)](cudaStream_t stream) {
                       output_gradient(image, from, row, out, stream);
                   };
               }});
}

}  // namespace rankscope::engine::cuda
