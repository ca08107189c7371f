// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/training_step.h>
#include <engine/ddp/reducer.h>

#include <deque>
#include <functional>
#include <memory>

namespace rankscope::engine {

/// A step that the host runs part by part: forward, backward with the averaging hidden behind it, clipping,
/// update. For backends whose memory is the host's.
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
    BatchResult evaluate(const Batch& batch) override;
    std::optional<LossScale> loss_scale() const override { return options_.loss_scale; }
    void set_loss_scale(const LossScale& scale) override { options_.loss_scale = scale; }

private:
    Executable& load(const Batch& batch);
    void wait_for_gradients(const std::function<void(const Bucket&)>& done);
    /// A bucket's weights are updated while the buckets behind it are still being averaged.
    void update_by_bucket(const OptimizerStep& step);
    UpdateResult update_at_once(const OptimizerStep& step);

    CompiledModel& model_;
    StepOptions options_;
    std::unique_ptr<Reducer> reducer_;
    std::int64_t batches_ = 1;
    std::int64_t done_ = 0;
    std::int64_t skipped_ = 0;  ///< updates
    std::deque<UpdateResult> results_;
};

}  // namespace rankscope::engine
