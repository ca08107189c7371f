// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/available_memory.h>
#include <engine/backend/cpu/cpu_executable.h>
#include <engine/error.h>

#include <algorithm>
#include <utility>

namespace rankscope::engine::cpu {
namespace {

constexpr const char* kSmallerBatch =
    "A smaller batch_size needs less (with accumulate_steps the effective batch stays the same).";

}  // namespace

dnnl::memory::data_type activation_type(Precision precision) {
    return precision == Precision::bf16 ? dnnl::memory::data_type::bf16 : dnnl::memory::data_type::f32;
}

CpuExecutable::CpuExecutable(const dnnl::engine& engine, const Graph& graph, const Schedule& schedule,
                             std::int64_t batch, const IndexedVector<ParameterId, ParameterStorage>& storage,
                             const CompileOptions& options, StepState state, std::int64_t& batches_tracked,
                             std::size_t copy)
    : graph_(graph),
      batch_(batch),
      copy_(copy),
      batches_tracked_(batches_tracked),
      loss_{.classes = graph.classes,
            .topk = std::min(options.topk, graph.classes),
            .label_smoothing = options.label_smoothing},
      input_(allocate_for(
          "the input of a batch of " + std::to_string(batch),
          static_cast<std::size_t>(batch * element_count(graph.values[kInputValue].shape)) * sizeof(float),
          kSmallerBatch)),
      state_(std::move(state)),
      plan_(engine) {
    if (graph.classifies()) {
        labels_.resize(static_cast<std::size_t>(batch * graph.rows));
    } else if (!graph.hands_over()) {
        targets_.resize(static_cast<std::size_t>(batch * graph.classes));
    }
    state_.sample_keys.resize(graph.drops() ? static_cast<std::size_t>(batch) : 0);
    const BufferId input = plan_.external(input_.data());
    step_ = Lowering(engine, graph, batch, storage, state_, activation_type(options.precision), plan_)
                .lower(schedule, input);
    plan_.bind([&](std::size_t bytes) {
        return allocate_for("the activations of a batch of " + std::to_string(batch), bytes, kSmallerBatch);
    });
}

BatchResult CpuExecutable::forward(ForwardMode mode) {
    check_labels();
    state_.mode = mode;
    plan_.run(0, step_.forward_end, {});
    batches_tracked_ += mode == ForwardMode::train ? 1 : 0;
    if (graph_.hands_over()) {
        return {};
    }
    const std::span<float> gradient = at(step_.logits_gradient);
    return graph_.classifies() ? cross_entropy(loss_, at(step_.logits), labels_, gradient)
                               : mean_squared_error(at(step_.logits), targets_, gradient);
}

void CpuExecutable::backward(const GradientReady& ready, GradientMode mode, float loss_scale) {
    if (loss_scale != 1.0F && !graph_.hands_over()) {
        scale_in_place(at(step_.logits_gradient), loss_scale);
    }
    accumulate_(mode);
    plan_.run(step_.forward_end, plan_.size(), [&](ParameterId id) {
        finish_(mode, id);
        ready(id);
    });
}

std::span<const float> CpuExecutable::handed_over() {
    return graph_.hands_over() ? at(step_.logits) : std::span<const float>();
}

std::span<float> CpuExecutable::handed_over_gradient() {
    return graph_.hands_over() ? at(step_.logits_gradient) : std::span<float>();
}

std::span<const float> CpuExecutable::input_gradient() {
    return step_.input_gradient
               ? std::span(static_cast<const float*>(plan_.address(*step_.input_gradient)), input().size())
               : std::span<const float>();
}

void CpuExecutable::on_accumulate(std::function<void(GradientMode)> begin,
                                  std::function<void(GradientMode, ParameterId)> finish) {
    accumulate_ = std::move(begin);
    finish_ = std::move(finish);
}

std::vector<float> CpuExecutable::logits() {
    const std::span<float> values = at(step_.logits);
    return {values.begin(), values.end()};
}

std::optional<std::string> CpuExecutable::first_non_finite() {
    if (!all_finite<float>(input())) {
        return "input";
    }
    // The other slices of the network take part in the sums behind the result that this one looks for.
    const bool sliced = graph_.sliced();
    std::optional<std::string> first;
    std::size_t done = 0;
    for (const StepPlan::Result& result : plan_.results()) {
        if (first && !sliced) {
            break;
        }
        plan_.run(done, result.steps, {});
        done = result.steps;
        void* const values = plan_.address(result.buffer);
        if (!(result.bf16 ? all_finite(contents<const Bf16>(values, result.count))
                          : all_finite(contents<const float>(values, result.count)))) {
            first = first.value_or(result.name);
        }
    }
    return first;
}

std::span<float> CpuExecutable::at(BufferId id) {
    return {static_cast<float*>(plan_.address(id)),
            static_cast<std::size_t>(batch_ * graph_.rows * graph_.classes)};
}

void CpuExecutable::check_labels() const {
    for (std::size_t i = 0; i < labels_.size(); ++i) {
        if (labels_[i] < 0 || labels_[i] >= graph_.classes) {
            throw Error((graph_.predicts_tokens() ? "row " : "sample ") + std::to_string(i) +
                        " of the batch has label " + std::to_string(labels_[i]) +
                        ", but the model has the classes 0 to " + std::to_string(graph_.classes - 1));
        }
    }
}

}  // namespace rankscope::engine::cpu
