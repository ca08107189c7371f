// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/lowering.h>

namespace rankscope::engine::cuda {
namespace {

PoolShape pool_shape(const LoweredValue& in, std::int64_t batch, ElementType type, const MaxPool2d& pool) {
    return {static_cast<int>(batch),
            static_cast<int>(in.height),
            static_cast<int>(in.width),
            static_cast<int>(in.stored_channels()),
            type,
            static_cast<int>(pool.kernel),
            static_cast<int>(pool.stride),
            static_cast<int>(pool.padding),
            pool.relu};
}

}  // namespace

void Lowering::forward_max_pool(std::size_t index, const MaxPool2d& pool) {
    const Node& node = graph_.nodes[index];
    const PoolShape shape = pool_shape(value(node.input()), options_.batch, options_.type, pool);
    const BufferId x = value(node.input()).activation;
    // The ReLU is in the origins already: no mask is needed on the way back.
    const LoweredValue& made = new_value(node.output, options_.type);
    const BufferId y = made.activation;
    const BufferId origin = plan_.buffer(static_cast<std::size_t>(elements(made)));
    origins_[index] = origin;
    plan_.add({node.name, {x}, {y, origin}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, in = at(x), out = at(y), places = static_cast<std::int8_t*>(at(origin))](
                              cudaStream_t stream) { max_pool_forward(shape, in, out, places, stream); };
               }});
}

void Lowering::backward_max_pool(std::size_t index, const MaxPool2d& pool) {
    const Node& node = graph_.nodes[index];
    const PoolShape shape = pool_shape(value(node.input()), options_.batch, options_.type, pool);
    const BufferId dy = gradient_of(node.output);
    const BufferId origin = origins_.at(index);
    const BufferId dx = new_partial(node.input());
    plan_.add(
        {node.name + " gradient", {dy, origin}, {dx}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
             return [=, in = at(dy), out = at(dx), places = static_cast<const std::int8_t*>(at(origin))](
                        cudaStream_t stream) { max_pool_backward(shape, in, places, out, stream); };
         }});
}

void Lowering::forward_window_average(const Node& node, const AveragePool2d& pool) {
    const PoolShape shape = pool_shape(value(node.input()), options_.batch, options_.type,
                                       {.kernel = pool.kernel, .stride = pool.stride});
    const BufferId x = value(node.input()).activation;
    const BufferId y = new_value(node.output, options_.type).activation;
    plan_.add({node.name, {x}, {y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(x), to = at(y)](cudaStream_t stream) {
                       window_average_forward(shape, from, to, stream);
                   };
               }});
}

void Lowering::backward_window_average(const Node& node, const AveragePool2d& pool) {
    const PoolShape shape = pool_shape(value(node.input()), options_.batch, options_.type,
                                       {.kernel = pool.kernel, .stride = pool.stride});
    const BufferId dy = gradient_of(node.output);
    const BufferId dx = new_partial(node.input());
    plan_.add({node.name + " gradient", {dy}, {dx}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(dy), to = at(dx)](cudaStream_t stream) {
                       window_average_backward(shape, from, to, stream);
                   };
               }});
}

void Lowering::forward_average_pool(const Node& node) {
    const LoweredValue in = value(node.input());
    if (in.pixels() == 1) {
        alias(node);
        return;
    }
    const PoolShape shape = pool_shape(in, options_.batch, options_.type, {});
    const BufferId x = in.activation;
    const BufferId y = new_value(node.output, options_.type).activation;
    plan_.add({node.name, {x}, {y}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(x), to = at(y)](cudaStream_t stream) {
                       average_pool_forward(shape, from, to, stream);
                   };
               }});
}

void Lowering::backward_average_pool(const Node& node) {
    if (root_[node.output] == root_[node.input()]) {
        return;
    }
    const PoolShape shape = pool_shape(value(node.input()), options_.batch, options_.type, {});
    const BufferId dy = gradient_of(node.output);
    const BufferId dx = new_partial(node.input());
    plan_.add({node.name + " gradient", {dy}, {dx}, [=](const StepPlan::Pointer& at) -> StepPlan::Run {
                   return [=, from = at(dy), to = at(dx)](cudaStream_t stream) {
                       average_pool_backward(shape, from, to, stream);
                   };
               }});
}

}  // namespace rankscope::engine::cuda
