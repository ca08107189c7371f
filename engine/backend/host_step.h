// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/pipeline.h>
#include <engine/backend/training_step.h>
#include <engine/ddp/reducer.h>

#include <deque>
#include <functional>
#include <memory>
#include <vector>

namespace rankscope::engine {

/// A step that the host runs part by part: forward, backward with the averaging hidden behind it, clipping,
/// update; or, of a stage of a pipeline, many forward and backward passes. For backends whose memory is the host's.
class HostStep final : public TrainingStep {
public:
    /// Collective where there is a group.
    HostStep(CompiledModel& model, const StepOptions& options, const GradientExchange& exchange);

    SampleForm take_images(const TrainingImages& images) override;
    void prepare(const BatchSizes& sizes) override;
    void begin(std::int64_t batches) override;
    void batch(const Batch& batch, StepTimes& times) override;
    void finish(const OptimizerStep& step, bool with_norm, StepTimes& times) override;
    UpdateResult result(StepTimes& times) override;
    std::size_t ahead() const override { return 0; }
    void with_whole_arrays(CompiledModel::Whole what, const std::function<void()>& read) override;
    BatchResult evaluate(const Batch& batch) override;
    void join_evaluation() override;
    std::optional<LossScale> loss_scale() const override { return options_.loss_scale; }
    void set_loss_scale(const LossScale& scale) override { options_.loss_scale = scale; }

private:
    Executable& load(const Batch& batch);
    /// The backward pass of a batch, or of this share of it; the first and the last one of an update.
    void differentiate(Executable& executable, double share, bool first, bool last);
    void add(BatchResult result, const Batch& batch);
    /// Another slice has the same loss.
    bool reported_by_another() const { return tensor_ != nullptr && !tensor_->first(); }
    void add_shared_gradients();
    /// Of this rank's part of the gradients that another rank counts, too.
    double squares_counted_elsewhere();
    /// For sums with other slices, and for weights, since the last call.
    double take_waits_ms();
    void wait_for_gradients(const std::function<void(std::size_t bucket)>& done);
    double gradient_norm();
    bool gathers() const { return shards_ != nullptr && shards_->gathers(); }
    /// All of an array of which each rank has what it owns, on rank 0; elsewhere nothing. Collective.
    std::vector<float> gathered(std::span<float> owned);
    bool update_bucket(const OptimizerStep& step, std::size_t bucket);
    bool update_all(const OptimizerStep& step);
    /// With ZeRO: this rank's part of the bucket is updated; every rank gets all of it.
    void give_weights(std::size_t bucket);
    void wait_for_weights();
    /// A bucket's weights are updated while the buckets behind it are still being averaged.
    void update_by_bucket(const OptimizerStep& step);
    UpdateResult update_at_once(const OptimizerStep& step);

    CompiledModel& model_;
    StepOptions options_;
    ProcessGroup* group_;
    const ShardPlan* shards_;  ///< null without ZeRO
    std::unique_ptr<Reducer> reducer_;
    std::optional<Pipeline> pipeline_;
    std::vector<ParameterId> shared_;  ///< with the other end of the pipeline
    TensorGroups* tensor_;             ///< null: no slices
    std::vector<ParameterId> counted_elsewhere_;
    std::vector<Work> weights_on_their_way_;
    std::int64_t batches_ = 1;
    std::int64_t done_ = 0;
    std::int64_t skipped_ = 0;    ///< updates
    std::int64_t evaluated_ = 1;  ///< samples of the last batch
    std::deque<UpdateResult> results_;
};

}  // namespace rankscope::engine
