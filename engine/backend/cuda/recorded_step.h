// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/cuda/cuda_model.h>
#include <engine/backend/cuda/queued_ends.h>
#include <engine/backend/cuda/step_request.h>
#include <engine/backend/training_step.h>

#include <deque>
#include <memory>
#include <utility>
#include <vector>

namespace rankscope::engine::cuda {

/// A step that the GPU runs as one recorded CUDA graph, averaging and update included, while the host prepares the
/// next one: results come one update late. (With CudaOptions::graphs off the same operations are enqueued.)
class RecordedStep final : public TrainingStep {
public:
    /// Collective where there is a group: its connections are made here, before anything is recorded.
    RecordedStep(CudaModel& model, const StepOptions& options, const GradientExchange& exchange);

    SampleForm take_images(const TrainingImages& images) override;
    void prepare(const BatchSizes& sizes) override;
    void begin(std::int64_t batches) override;
    void batch(const Batch& batch, StepTimes& times) override;
    void finish(const OptimizerStep& step, bool with_norm, StepTimes& times) override;
    UpdateResult result(StepTimes& times) override;
    std::size_t ahead() const override { return 1; }
    BatchResult evaluate(const Batch& batch) override;
    std::optional<LossScale> loss_scale() const override;
    void set_loss_scale(const LossScale& scale) override;
    std::vector<OperationTime> time_operations(const Batch& batch, const OptimizerStep& step) override;

private:
    /// An update whose result was not taken yet.
    struct Open {
        struct Part {
            CudaExecutable* executable = nullptr;
            std::int64_t size = 0;
            std::int64_t rows = 1;  ///< labels of a sample
        };
        std::vector<Part> batches{};
        bool with_norm = false;
    };
    void prepare_reduction(const GradientExchange& exchange);
    CudaExecutable& load(const Batch& batch);
    StepRequest request() const;
    /// What was just enqueued, an update or a batch with synchronised batch norms, is one operation for the watchdog.
    void announce(std::size_t bytes);
    UpdateResult result_of(const Open& update) const;

    CudaModel& model_;
    StepOptions options_;
    ProcessGroup* group_ = nullptr;             ///< null: a world of one
    std::unique_ptr<StepReduction> reduction_;  ///< null: likewise
    std::size_t reduced_bytes_ = 0;
    QueuedEnds ends_;
    std::int64_t batches_ = 1;
    std::int64_t done_ = 0;
    std::deque<Open> open_;
};

}  // namespace rankscope::engine::cuda
