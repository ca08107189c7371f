// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/data/batch_loader.h>
#include <engine/ddp/reducer.h>
#include <engine/error.h>
#include <engine/optim/loss_scale.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

namespace rankscope::engine {

/// Of one update, all its batches together.
struct StepTimes {
    double data_ms = 0;  ///< waiting for batches; set by who reads them
    double forward_ms = 0;
    double backward_ms = 0;
    double comm_ms = 0;  ///< waiting for the other ranks after the own backward pass
    double optimizer_ms = 0;
};

/// The loss is NaN or infinite: says which layer was the first.
class NotFiniteError : public Error {
public:
    using Error::Error;
};

struct StepRunnerOptions {
    std::optional<double> clip_norm{};      ///< largest total norm of the gradients
    std::optional<LossScale> loss_scale{};  ///< fp16
};

struct UpdateResult {
    std::optional<double> gradient_norm;  ///< of the averaged gradients, where it was asked for or needed
    bool skipped = false;                 ///< fp16: a gradient overflowed, the weights are as before
};

/// One rank's share of a data-parallel update: forward and backward pass over one batch or several
/// (accumulation), averaging over the ranks hidden behind the last backward pass, clipping, the optimizer's
/// step.
///
/// With n batches the gradient is that of the mean of their n mean losses: each backward pass is scaled by 1
/// / n, which is what `loss / accumulate_steps` does in a PyTorch loop. Only the last one is averaged over
/// the ranks (DDP's no_sync for the others).
class StepRunner {
public:
    /// `group` is null in a world of one.
    StepRunner(CompiledModel& model, ProcessGroup* group, const StepRunnerOptions& options = {},
               ReducerOptions ddp = {});

    /// begin(n), n times batch(), finish().
    void begin(std::int64_t batches);
    /// Throws NotFiniteError before anything is computed from such a loss.
    BatchResult batch(const Batch& batch, StepTimes& times);
    UpdateResult finish(const OptimizerStep& step, bool with_norm, StepTimes& times);

    /// An update with one batch.
    BatchResult train(const Batch& batch, const OptimizerStep& step, StepTimes& times);
    /// Forward only.
    BatchResult evaluate(const Batch& batch);

    const std::optional<LossScale>& loss_scale() const { return options_.loss_scale; }
    void set_loss_scale(const LossScale& scale) { options_.loss_scale = scale; }

private:
    Executable& load(const Batch& batch);
    void wait_for_gradients(const std::function<void(const Bucket&)>& done);
    void update_as_they_come(const OptimizerStep& step);
    UpdateResult update_at_once(const OptimizerStep& step);
    [[noreturn]] void fail_not_finite(Executable& executable, double loss) const;

    CompiledModel& model_;
    StepRunnerOptions options_;
    std::unique_ptr<Reducer> reducer_;
    std::int64_t batches_ = 1;
    std::int64_t done_ = 0;
};

}  // namespace rankscope::engine
