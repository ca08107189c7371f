// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/backend/operation_time.h>
#include <engine/backend/totals.h>
#include <engine/ddp/gradient_exchange.h>
#include <engine/error.h>
#include <engine/optim/loss_scale.h>
#include <engine/tensor/batch.h>
#include <engine/tensor/sample_form.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace rankscope::engine {

/// A pass of a micro-batch through the stage of a pipeline, without waits.
struct PassTime {
    std::int64_t micro_batch = 0;
    bool forward = true;
    std::chrono::steady_clock::time_point begin{};
    double length_ms = 0;
};

/// Of one update, all its batches together. Where the backend runs the step as one piece, forward is the time to
/// submit it, backward the time to wait for it, and the others are part of it.
struct StepTimes {
    double data_ms = 0;  ///< waiting for batches; set by the caller
    double forward_ms = 0;
    double backward_ms = 0;
    /// Waiting for the other ranks: after this rank's backward pass, for slices of the same layers, for weights (ZeRO-3).
    double comm_ms = 0;
    double optimizer_ms = 0;
    double bubble_ms = 0;            ///< waiting for the other stages of a pipeline
    std::vector<PassTime> passes{};  ///< of a pipeline: of the newest batch
};

/// The loss is NaN or infinite; the message names the first layer with such a result.
class NotFiniteError : public Error {
public:
    using Error::Error;
};

struct StepOptions {
    std::optional<double> clip_norm{};      ///< largest total norm of the gradients
    std::optional<LossScale> loss_scale{};  ///< fp16
};

struct UpdateResult {
    Totals mine{};                          ///< this rank's batches
    std::int64_t elsewhere = 0;             ///< samples of which another stage or slice reports the loss
    std::optional<double> gradient_norm{};  ///< of the averaged gradients, where requested or needed
    bool skipped = false;                   ///< fp16: a gradient overflowed, the weights are as before
};

/// A training set as a backend with memory of its own may take it.
struct TrainingImages {
    std::vector<float> pixel_table{};  ///< what byte v of channel c means: [256·c + v]
    Shape image{};                     ///< channels, height, width
    /// [count, image…]; empty: not in memory, or samples are more than windows of the images.
    std::span<const std::uint8_t> pixels{};
};

/// The sizes of a run's batches.
struct BatchSizes {
    std::vector<std::int64_t> training{};
    std::vector<std::int64_t> evaluation{};
};

/// One rank's share of a data-parallel update: forward and backward pass over one batch or several
/// (accumulation), averaging over the ranks, clipping, the optimizer's step. Each backend has its own:
/// HostStep runs the parts from the host, cuda::RecordedStep submits each update as one request.
///
/// With n batches the gradient is that of the mean of their n mean losses: each backward pass is scaled by 1
/// / n, which is what `loss / accumulate_steps` does in a PyTorch loop. Only the last one is averaged over
/// the ranks (DDP's no_sync for the others). Not thread-safe; must not outlive the model.
class TrainingStep {
public:
    virtual ~TrainingStep() = default;

    /// Prepares for a training set; returns the form in which batch() then takes its samples. Not while steps run.
    virtual SampleForm take_images(const TrainingImages& images) = 0;

    /// Makes ready for batches of these sizes, each for what it is used for: what takes long (compiling, measuring kernels)
    /// is done here, for the first size of each kind, not in the middle of a run. Other sizes can be given all the same.
    virtual void prepare(const BatchSizes& sizes) = 0;

    /// begin(n), n times batch(), finish(); then, at once or after further updates, result().
    virtual void begin(std::int64_t batches) = 0;
    /// Throws NotFiniteError for a loss that is not finite, or result() does; the weights stay as they were.
    virtual void batch(const Batch& batch, StepTimes& times) = 0;
    /// `step.step` counts the updates requested from this object; updates that its loss scale skipped are subtracted.
    virtual void finish(const OptimizerStep& step, bool with_norm, StepTimes& times) = 0;
    /// Of the earliest update whose result was not taken yet. Waits for it.
    virtual UpdateResult result(StepTimes& times) = 0;
    /// Updates whose results should stay open, so that the host does not wait for them.
    virtual std::size_t ahead() const = 0;

    /// Forward only; floats.
    virtual BatchResult evaluate(const Batch& batch) = 0;

    /// Calls `read`, in which rank 0 sees all of the weights and of the optimizer's state in the model, also where each rank
    /// keeps a share of them (ZeRO). When no result is open. Collective.
    virtual void with_whole_arrays(CompiledModel::Whole /*what*/, const std::function<void()>& read) {
        read();
    }

    /// Instead of evaluate(), for a rank that has no more batches while others have one: where all must take part.
    virtual void join_evaluation() {}

    /// When no result is open.
    virtual std::optional<LossScale> loss_scale() const = 0;
    virtual void set_loss_scale(const LossScale& scale) = 0;

    /// The operations of an update with this batch in the order of the step, each timed by itself; weights and statistics
    /// are those of many updates afterwards. When no result is open, without other ranks. Empty: the backend has no list
    /// of operations.
    virtual std::vector<OperationTime> time_operations(const Batch& /*batch*/,
                                                       const OptimizerStep& /*step*/) {
        return {};
    }

    /// An update with one batch.
    UpdateResult train(const Batch& batch, const OptimizerStep& step, StepTimes& times) {
        begin(1);
        this->batch(batch, times);
        finish(step, false, times);
        return result(times);
    }
};

}  // namespace rankscope::engine
