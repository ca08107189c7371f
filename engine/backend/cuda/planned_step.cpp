// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cuda/gpu_description.h>
#include <engine/backend/cuda/lowering.h>
#include <engine/backend/cuda/planned_step.h>
#include <engine/backend/cuda/precision.h>
#include <engine/backend/cuda/step_operations.h>
#include <engine/ddp/buckets.h>
#include <engine/graph/recompute.h>
#include <engine/graph/rewrite.h>

#include <algorithm>
#include <cstdint>

namespace rankscope::engine::cuda {
namespace {

/// Addresses that nothing lies at, one range behind the other.
class Addresses {
public:
    template <typename T>
    T* take(std::size_t count) {
        constexpr std::uintptr_t kPage = std::uintptr_t{1} << 21U;
        auto* const begin = reinterpret_cast<T*>(next_);
        next_ += (count * sizeof(T) + kPage) / kPage * kPage;
        return begin;
    }

private:
    std::uintptr_t next_ = std::uintptr_t{1} << 40U;
};

}  // namespace

StepFigures planned_step(const Graph& network, const PlanQuestion& question) {
    const Graph graph = fuse(network);
    const ElementType type = element_of(question.precision);
    const KernelPolicy policy{question.precision == Precision::fp32, question.deterministic};
    const IndexedVector<ParameterId, StoredParameter> stored = stored_parameters(graph);
    const ParameterLayout layout = layout_of(stored, arrival_order(differentiate(graph)));
    Addresses addresses;

    StepMemory memory{.layout = &layout, .gradients = {addresses.take<float>(layout.total), layout.total}};
    float* const weights = addresses.take<float>(layout.total);
    auto* const copy = addresses.take<std::byte>(layout.total * size_of(type));
    auto* const halves = addresses.take<std::byte>(layout.total * size_of(type));
    memory.norm = {addresses.take<double>(kNormBlocks), addresses.take<unsigned>(1)};
    const bool has_idle = std::any_of(stored.begin(), stored.end(),
                                      [](const StoredParameter& one) { return one.live() != one.size(); });
    memory.idle = has_idle ? addresses.take<IdleUpdates>(1) : nullptr;
    memory.loss_scale = addresses.take<DeviceLossScale>(1);
    const int arrays = optimizer_state_count(question.optimizer.kind, question.optimizer.momentum);
    memory.parameters = {.begin = 0,
                         .end = layout.total,
                         .gradients = memory.gradients.data(),
                         .parameters = weights,
                         .first = arrays > 0 ? addresses.take<float>(layout.total) : nullptr,
                         .second = arrays > 1 ? addresses.take<float>(layout.total) : nullptr,
                         .copy = type == ElementType::f32 ? nullptr : copy,
                         .copy_type = type};

    StepState state;
    state.control = addresses.take<StepControl>(1);
    state.outputs = addresses.take<StepOutput>(kStepSlots);
    state.output = state.outputs;
    state.loss_scale = addresses.take<float>(1);
    for (const ParameterSlot& slot : layout.slots) {
        state.parameters.add(
            {.kernel = type == ElementType::f32
                           ? static_cast<const void*>(weights + slot.offset)
                           : static_cast<const void*>(copy + slot.offset * size_of(type)),
             .weight = weights + slot.offset,
             .gradient = memory.gradients.data() + slot.offset,
             .half_gradient = type == ElementType::f32 ? nullptr : halves + slot.offset * size_of(type),
             .floats = slot.size});
    }
    for (const Statistic& statistic : graph.statistics) {
        state.statistics.add(
            statistic.kind == Statistic::Kind::batches_tracked
                ? nullptr
                : addresses.take<float>(static_cast<std::size_t>(padded(statistic.shape[0]))));
    }

    ConvolutionLibrary convolutions(GpuDescription().json(), policy);
    MatmulLibrary products(policy);
    StepPlan plan;
    Lowering lowering(graph,
                      {.batch = question.batch,
                       .type = type,
                       .topk = std::min<std::int64_t>(5, graph.classes),
                       .cluster_blocks = GpuDescription().cluster_blocks},
                      {convolutions, products}, state, plan);
    lowering.lower(question.recompute ? differentiate_with_recomputation(graph) : differentiate(graph));
    plan.bind_without_memory();

    StepReduction reduction;
    for (const Bucket& bucket : plan_buckets(layout, default_bucket_limits(layout.total * sizeof(float)))) {
        reduction.buckets.push_back(bucket.live);
    }
    StepRequest request;
    request.optimizer = question.optimizer;
    request.reduction = question.averaged ? &reduction : nullptr;
    request.clip_norm = question.clip_norm;
    const StepOperations operations({plan, memory, state, type}, request);
    StepFigures figures = figures_of(operations.in_order());
    figures.arena_bytes = plan.bytes();
    return figures;
}

}  // namespace rankscope::engine::cuda
