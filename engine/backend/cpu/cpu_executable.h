// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/cpu/aligned_buffer.h>
#include <engine/backend/cpu/kernels.h>
#include <engine/backend/cpu/lowering.h>
#include <engine/backend/cpu/step_plan.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine::cpu {

/// The planned step of a network for one batch size. The references must outlive it.
class CpuExecutable final : public Executable {
public:
    CpuExecutable(const dnnl::engine& engine, const Graph& graph, const Schedule& schedule,
                  std::int64_t batch, const IndexedVector<ParameterId, ParameterStorage>& storage,
                  const CompileOptions& options, StepState state, std::int64_t& batches_tracked,
                  std::size_t copy);

    std::int64_t batch_size() const override { return batch_; }
    std::size_t copy() const { return copy_; }
    std::span<float> input() override { return input_.as<float>(); }
    std::span<std::int32_t> labels() override { return labels_; }
    std::span<float> targets() override { return targets_; }
    std::span<std::uint64_t> sample_keys() override { return state_.sample_keys; }
    std::size_t bytes() const { return plan_.arena_bytes() + input_.bytes(); }
    BatchResult forward(ForwardMode mode) override;
    void backward(const GradientReady& ready, GradientMode mode, float loss_scale) override;
    /// Called before a backward pass, and for every parameter that it has written.
    void on_accumulate(std::function<void(GradientMode)> begin,
                       std::function<void(GradientMode, ParameterId)> finish);
    std::span<const float> handed_over() override;
    std::span<float> handed_over_gradient() override;
    std::span<const float> input_gradient() override;
    std::vector<float> logits() override;
    std::optional<std::string> first_non_finite() override;

private:
    std::span<float> at(BufferId id);
    void check_labels() const;

    const Graph& graph_;
    std::int64_t batch_;
    std::size_t copy_;
    std::int64_t& batches_tracked_;
    CrossEntropyOptions loss_;
    AlignedBuffer input_;
    std::vector<std::int32_t> labels_;
    std::vector<float> targets_;
    StepState state_;
    StepPlan plan_;
    LoweredStep step_;
    std::function<void(GradientMode)> accumulate_;
    std::function<void(GradientMode, ParameterId)> finish_;
};

/// How activations are stored.
dnnl::memory::data_type activation_type(Precision precision);

}  // namespace rankscope::engine::cpu
