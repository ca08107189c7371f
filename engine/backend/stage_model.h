// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/ddp/pipeline_groups.h>
#include <engine/graph/stages.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::engine {

/// A stage of a pipeline as a model of the whole network: parameters and statistics have the whole network's ids. Those
/// of other stages are not set, and are read within with_whole_model() only. The flat arrays and their layout are the
/// stage's.
class StageModel final : public CompiledModel {
public:
    /// `whole`: the network, cut into `stages`; both must outlive this. `options`: of this rank's stage. Throws as
    /// Backend::compile().
    StageModel(Backend& backend, const Graph& whole, const std::vector<PipelineStage>& stages,
               const CompileOptions& options, const PipelineOptions& pipeline);

    const ParameterLayout& layout() const override { return model_->layout(); }
    std::span<float> weights() override { return model_->weights(); }
    std::span<float> gradients() override { return model_->gradients(); }
    const ShardPlan* shards() const override { return model_->shards(); }
    std::span<float> owned_gradients() override { return model_->owned_gradients(); }
    std::map<std::string, std::span<float>, std::less<>> optimizer_arrays() override {
        return model_->optimizer_arrays();
    }
    std::span<float> running_statistics() override { return model_->running_statistics(); }
    bool has(ParameterId id) const override { return parameters_.contains(id); }
    void set_weight(ParameterId id, std::span<const float> canonical) override;
    std::vector<float> weight(ParameterId id) override;
    std::vector<float> gradient(ParameterId id) override;
    void read_weight(ParameterId id, std::span<float> canonical) override;
    bool read_optimizer_state(std::string_view name, ParameterId id, std::span<float> canonical) override;
    void set_statistic(StatisticId id, std::span<const double> values) override;
    std::vector<double> statistic(StatisticId id) override;
    using CompiledModel::executable;
    Executable& executable(std::int64_t batch_size, std::size_t copy) override {
        return model_->executable(batch_size, copy);
    }
    using CompiledModel::optimizer_step;
    bool optimizer_step(const OptimizerStep& step, FlatRange range) override {
        return model_->optimizer_step(step, range);
    }
    std::vector<float> optimizer_state(std::string_view name, ParameterId id) override;
    void set_optimizer_state(std::string_view name, ParameterId id, std::span<const float> values) override;
    double gradient_norm() override { return model_->gradient_norm(); }
    std::size_t activation_bytes() const override { return model_->activation_bytes(); }
    void with_whole_model(Whole what, const std::function<void()>& read) override;
    /// Its pipeline is that of this model.
    std::unique_ptr<TrainingStep> training_step(const StepOptions& options,
                                                const GradientExchange& exchange) override;

private:
    /// Of the stage's graph.
    ParameterId own(ParameterId id) const { return parameters_.at(id); }
    /// Fills `values` on the first stage with those of the rank that has them; all stages call it in the same order.
    void hand_to_first(int stage, std::span<float> values);
    void collect_weights();
    void collect_statistics();
    void collect_optimizer();

    const Graph& whole_;
    PipelineOptions pipeline_;
    const Graph& graph_;  ///< of the stage
    std::unique_ptr<CompiledModel> model_;
    std::map<ParameterId, ParameterId> parameters_;  ///< of this stage, by the whole network's
    std::map<StatisticId, StatisticId> statistics_;
    IndexedVector<ParameterId, int> stage_of_parameter_;  ///< the first that has it
    IndexedVector<StatisticId, int> stage_of_statistic_;

    /// What other stages have, on the first stage within with_whole_model().
    struct Others {
        std::map<ParameterId, std::vector<float>> weights;
        std::map<StatisticId, std::vector<double>> statistics;
        std::map<std::string, std::map<ParameterId, std::vector<float>>, std::less<>> optimizer;
    };
    Others others_;
};

}  // namespace rankscope::engine
