// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/activation.h>
#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/layouts.h>
#include <engine/backend/cpu/lowering.h>

#include <algorithm>

namespace rankscope::engine::cpu {

using dnnl_api::dims_of;
using dnnl_api::type_of;

void Lowering::forward_activate(std::size_t index, const Activate& operation) {
    const Node& node = graph_.nodes[index];
    // A layout's padding stays 0, which sigmoid(0) is not: plain layouts have none.
    const Md own = value(node.input()).descriptor;
    const Md descriptor = operation.kind == Activation::sigmoid ? plain(dims_of(own), type_of(own)) : own;
    const BufferId from = activation_in(node.input(), descriptor);
    new_value(node.output, descriptor);
    const BufferId to = value(node.output).activation;
    kept_[index] = {from};
    const std::size_t count = stored_elements(descriptor);
    for_type(type_of(descriptor), [&]<typename T>(T) {
        plan_.kernel({from, to}, [=, kind = operation.kind](const StepPlan::Pointer& at) -> StepPlan::Run {
            return [kind, x = contents<const T>(at(from), count), y = contents<T>(at(to), count)] {
                activate<T>(kind, x, y);
            };
        });
    });
}

void Lowering::backward_activate(std::size_t index, const Activate& operation) {
    const Node& node = graph_.nodes[index];
    const BufferId gradient = gradient_of(node.output);
    const BufferId from = kept_.at(index).front();
    const Md descriptor = value(node.output).descriptor;
    const std::size_t count = stored_elements(descriptor);
    write_partial(node.input(), descriptor, [&](BufferId target) {
        for_type(type_of(descriptor), [&]<typename T>(T) {
            plan_.kernel({from, gradient, target},
                         [=, kind = operation.kind](const StepPlan::Pointer& at) -> StepPlan::Run {
                             return [kind, x = contents<const T>(at(from), count),
                                     dy = contents<const T>(at(gradient), count),
                                     dx = contents<T>(at(target), count)] {
                                 activate_backward<T>(kind, x, dy, dx);
                             };
                         });
        });
    });
}

void Lowering::forward_scale(std::size_t index) {
    const Node& node = graph_.nodes[index];
    const Md image = viewed(node.inputs[0]);
    const Md factors = plain(dims_of(value(node.inputs[1]).descriptor), type_of(image));
    const BufferId x = activation_in(node.inputs[0], image);
    const BufferId s = activation_in(node.inputs[1], factors);
    kept_[index] = {x, s};
    new_value(node.output, image);
    const BufferId y = value(node.output).activation;
    const std::size_t count = stored_elements(image);
    const std::size_t factor_count = stored_elements(factors);
    for_type(type_of(image), [&]<typename T>(T) {
        plan_.kernel(
            {x, s, y}, [=, view = *channel_view(image)](const StepPlan::Pointer& at) -> StepPlan::Run {
                return
                    [=, from = contents<const T>(at(x), count), by = contents<const T>(at(s), factor_count),
                     to = contents<T>(at(y), count)] { scale_forward<T>(view, from, by, to); };
            });
    });
}

void Lowering::backward_scale(const ScheduledOp& op) {
    const Node& node = graph_.nodes[op.node];
    const BufferId dy = gradient_of(node.output);
    const BufferId x = kept_.at(op.node)[0];
    const BufferId s = kept_.at(op.node)[1];
    const Md image = value(node.output).descriptor;
    const Md factors = plain(dims_of(value(node.inputs[1]).descriptor), type_of(image));
    const std::size_t count = stored_elements(image);
    const std::size_t factor_count = stored_elements(factors);
    for (const std::size_t input : {std::size_t{0}, std::size_t{1}}) {
        if (std::find(op.inputs.begin(), op.inputs.end(), node.inputs[input]) == op.inputs.end()) {
            continue;
        }
        const bool of_image = input == 0;
        write_partial(node.inputs[input], of_image ? image : factors, [&](BufferId target) {
            for_type(type_of(image), [&]<typename T>(T) {
                plan_.kernel({x, s, dy, target},
                             [=, view = *channel_view(image)](const StepPlan::Pointer& at) -> StepPlan::Run {
                                 return [=, from = contents<const T>(at(x), count),
                                         by = contents<const T>(at(s), factor_count),
                                         gradient = contents<const T>(at(dy), count),
                                         to = contents<T>(at(target), of_image ? count : factor_count)] {
                                     scale_backward<T>(view, from, by, gradient,
                                                       of_image ? to : std::span<T>(),
                                                       of_image ? std::span<T>() : to);
                                 };
                             });
            });
        });
    }
}

}  // namespace rankscope::engine::cpu
