// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/ddp/pipeline_groups.h>
#include <engine/ddp/tensor_groups.h>
#include <engine/graph/stages.h>
#include <engine/graph/tensor_slices.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::engine {

/// How ranks divide a network among them.
struct NetworkDivision {
    TensorSlice slice;                  ///< this rank's, or all of it
    std::vector<PipelineStage> stages;  ///< of the slice; none: it is one piece
    TensorGroups* tensor = nullptr;     ///< null: there are no slices
    PipelineOptions pipeline{};
};

/// A stage of a pipeline, a slice of every layer, or a slice of a stage, as a model of the whole network: parameters and
/// statistics have the whole network's ids and shapes. Elements that this rank does not have are not set, and are read
/// within with_whole_model() only; at other times those of a divided parameter are 0. The flat arrays and their layout
/// are the part's.
class PartModel final : public CompiledModel {
public:
    /// `whole`: the network, divided; both must outlive this. Throws as Backend::compile().
    PartModel(Backend& backend, const Graph& whole, const NetworkDivision& division,
              const CompileOptions& options);

    const ParameterLayout& layout() const override { return model_->layout(); }
    std::span<float> weights() override { return model_->weights(); }
    std::span<float> gradients() override { return model_->gradients(); }
    const ShardPlan* shards() const override { return model_->shards(); }
    std::span<float> owned_gradients() override { return model_->owned_gradients(); }
    std::span<float> owned_weights() override { return model_->owned_weights(); }
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
    /// Its groups are those of the division.
    std::unique_ptr<TrainingStep> training_step(const StepOptions& options,
                                                const GradientExchange& exchange) override;

private:
    template <typename Id>
    struct Own {
        Id id{};          ///< of the part's graph
        TensorPart part;  ///< of the whole network's tensor
    };

    const Graph& graph() const;
    std::size_t size_of(ParameterId id) const;
    std::size_t size_of(StatisticId id) const;
    /// The whole tensor with this rank's elements, which `read` gives, and zeros.
    template <typename Read>
    void read_own(ParameterId id, std::span<float> canonical, const Read& read) const;
    std::vector<float> own_elements(ParameterId id, std::span<const float> canonical) const;
    /// Fills `values` on the first rank with those of the ranks that have them; all call it in the same order.
    void hand_to_first(int stage, bool divided, std::span<float> values) const;
    void collect_weights();
    void collect_statistics();
    void collect_optimizer();
    /// The rank whose files hold the whole network.
    bool collects() const;

    const Graph& whole_;
    const NetworkDivision& division_;
    std::unique_ptr<CompiledModel> model_;
    std::map<ParameterId, Own<ParameterId>> parameters_;  ///< by the whole network's
    std::map<StatisticId, Own<StatisticId>> statistics_;
    std::map<ParameterId, int> stage_of_parameter_;  ///< the first that has it
    std::map<StatisticId, int> stage_of_statistic_;

    /// What other ranks have, on the first one within with_whole_model().
    struct Others {
        std::map<ParameterId, std::vector<float>> weights;
        std::map<StatisticId, std::vector<double>> statistics;
        std::map<std::string, std::map<ParameterId, std::vector<float>>, std::less<>> optimizer;
    };
    Others others_;
};

}  // namespace rankscope::engine
