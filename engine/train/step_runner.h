// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/data/batch_loader.h>
#include <engine/ddp/reducer.h>
#include <engine/error.h>
#include <engine/optim/loss_scale.h>
#include <engine/train/totals.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>

namespace rankscope::engine {

/// Of one update, all its batches together. Where the backend runs the step as one piece, forward is handing
/// it over, backward waiting for it, and the others are part of it.
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
    Totals mine{};                          ///< this rank's batches
    std::optional<double> gradient_norm{};  ///< of the averaged gradients, where it was asked for or needed
    bool skipped = false;                   ///< fp16: a gradient overflowed, the weights are as before
};

/// One rank's share of a data-parallel update: forward and backward pass over one batch or several
/// (accumulation), averaging over the ranks hidden behind the last backward pass, clipping, the optimizer's
/// step.
///
/// With n batches the gradient is that of the mean of their n mean losses: each backward pass is scaled by 1
/// / n, which is what `loss / accumulate_steps` does in a PyTorch loop. Only the last one is averaged over
/// the ranks (DDP's no_sync for the others).
///
/// A backend with whole steps gets each update as one request, and runs it while the next one is prepared:
/// results then come later than the call that asked for them.
class StepRunner {
public:
    /// `group` reduces the model's memory; null in a world of one. Collective. Throws ConfigError for what
    /// the backend cannot do.
    StepRunner(CompiledModel& model, ProcessGroup* group, const StepRunnerOptions& options = {},
               ReducerOptions ddp = {});

    /// begin(n), n times batch(), finish(); then, at once or after further updates, result().
    void begin(std::int64_t batches);
    /// Throws NotFiniteError for a loss that is not finite, or result() does; the weights stay as they were.
    void batch(const Batch& batch, StepTimes& times);
    void finish(const OptimizerStep& step, bool with_norm, StepTimes& times);
    /// Of the earliest update whose result was not taken yet. Waits for it.
    UpdateResult result(StepTimes& times);
    /// Updates whose results should be left open, so that nobody waits for them.
    std::size_t ahead() const { return whole_ ? 1 : 0; }
    bool whole_steps() const { return whole_; }

    /// An update with one batch.
    UpdateResult train(const Batch& batch, const OptimizerStep& step, StepTimes& times);
    /// Forward only.
    BatchResult evaluate(const Batch& batch);

    /// When no result is open.
    std::optional<LossScale> loss_scale() const;
    void set_loss_scale(const LossScale& scale);

private:
    /// An update whose result was not taken yet.
    struct Open {
        std::vector<std::pair<Executable*, std::int64_t>> batches{};  ///< whole steps: with their sizes
        bool with_norm = false;
        UpdateResult result{};  ///< otherwise
    };
    void prepare_reduction(ProcessGroup& group, const ReducerOptions& ddp);
    void give_samples(const Batch& batch, Executable& executable) const;
    StepRequest request() const;
    UpdateResult result_of(const Open& update) const;
    Executable& load(const Batch& batch);
    void wait_for_gradients(const std::function<void(const Bucket&)>& done);
    void update_as_they_come(const OptimizerStep& step);
    UpdateResult update_at_once(const OptimizerStep& step);
    [[noreturn]] void fail_not_finite(Executable& executable, double loss) const;

    CompiledModel& model_;
    StepRunnerOptions options_;
    bool whole_;
    std::unique_ptr<Reducer> reducer_;          ///< not for whole steps
    std::unique_ptr<StepReduction> reduction_;  ///< for whole steps
    std::int64_t batches_ = 1;
    std::int64_t done_ = 0;
    std::deque<Open> open_;
};

}  // namespace rankscope::engine
