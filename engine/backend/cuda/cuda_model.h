// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/cuda/convolution.h>
#include <engine/backend/cuda/cuda_backend.h>
#include <engine/backend/cuda/cuda_executable.h>
#include <engine/backend/cuda/gpu.h>
#include <engine/backend/cuda/matmul.h>
#include <engine/backend/cuda/model_memory.h>
#include <engine/backend/cuda/plan_cache.h>
#include <engine/graph/schedule.h>

#include <memory>
#include <vector>

namespace rankscope::engine::cuda {

/// A model on one GPU: its memory, the libraries' plans, and an executable per batch size.
class CudaModel final : public CompiledModel {
public:
    CudaModel(const Graph& graph, const CompileOptions& options, const CudaOptions& cuda_options);

    const ParameterLayout& layout() const override { return memory_.layout(); }
    std::span<float> weights() override { return memory_.weights(); }
    std::span<float> gradients() override { return memory_.gradients(); }
    std::span<float> running_statistics() override { return memory_.running_statistics(); }
    void set_weight(ParameterId id, std::span<const float> canonical) override {
        memory_.set_weight(id, canonical);
    }
    std::vector<float> weight(ParameterId id) override { return memory_.weight(id); }
    void read_weight(ParameterId id, std::span<float> canonical) override {
        memory_.read_weight(id, canonical);
    }
    std::vector<float> gradient(ParameterId id) override { return memory_.gradient(id); }
    void set_statistic(StatisticId id, std::span<const double> values) override {
        memory_.set_statistic(id, values);
    }
    std::vector<double> statistic(StatisticId id) override { return memory_.statistic(id); }

    using CompiledModel::executable;
    /// There is one copy.
    Executable& executable(std::int64_t batch, std::size_t /*copy*/) override {
        return cuda_executable(batch);
    }
    CudaExecutable& cuda_executable(std::int64_t batch);
    ModelMemory& memory() { return memory_; }
    /// Every batch takes part in sums over the ranks: synchronised batch norms.
    bool sums_over_ranks() const { return static_cast<bool>(options_.enqueue_sum); }

    using CompiledModel::optimizer_step;
    bool optimizer_step(const OptimizerStep& step, FlatRange range) override {
        return memory_.update(step, range);
    }
    std::vector<float> optimizer_state(std::string_view name, ParameterId id) override {
        return memory_.optimizer_state(name, id);
    }
    bool read_optimizer_state(std::string_view name, ParameterId id, std::span<float> canonical) override {
        return memory_.read_optimizer_state(name, id, canonical);
    }
    void set_optimizer_state(std::string_view name, ParameterId id, std::span<const float> values) override {
        memory_.set_optimizer_state(name, id, values);
    }
    double gradient_norm() override { return memory_.gradient_norm(); }
    std::size_t activation_bytes() const override;

    std::unique_ptr<TrainingStep> training_step(const StepOptions& options,
                                                const GradientExchange& exchange) override;

private:
    KernelPolicy policy() const { return {options_.precision == Precision::fp32, options_.deterministic}; }

    Gpu gpu_;
    Graph graph_;
    CompileOptions options_;
    CudaOptions cuda_options_;
    Schedule schedule_;
    ElementType type_;
    PlanCache cache_;
    ConvolutionLibrary convolutions_;
    MatmulLibrary products_;
    ModelMemory memory_;
    std::vector<std::unique_ptr<CudaExecutable>> executables_;  // last: they use all of the above
};

}  // namespace rankscope::engine::cuda
