// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/training_step.h>
#include <engine/train/data_source.h>
#include <engine/train/parallel_setup.h>
#include <engine/train/run_progress.h>
#include <engine/train/run_state.h>
#include <engine/train/trainer_options.h>
#include <engine/train/training_set.h>
#include <engine/train/update_plan.h>
#include <engine/train/update_reporter.h>
#include <engine/train/validation.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace rankscope::engine {

/// The training loop of one rank: epochs of updates, put together from the parts that it holds.
class Trainer {
public:
    /// Compiles the model. Collective.
    Trainer(const TrainerOptions& options, Backend& backend, DataSource& data);
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    /// All epochs; returns the checksum of the final parameters.
    std::string run();
    /// Only the validation, with the weights that the checkpoints name. Needs no training set.
    Totals evaluate();

private:
    void train_epoch();
    void train_update(std::optional<Batch>& batch);
    void finish_epoch();
    /// Of all parameters; the same on every rank. Collective.
    std::string checksum();
    /// Tells the user when this rank's parameters are not those of the others. Collective.
    void compare_ranks();
    /// Writes a checkpoint if one is due; its name.
    std::string save(const SavePoint& point);
    RunPosition position_of(std::int64_t update_in_epoch) const;
    RunFacts facts() const;
    bool finished() const;
    /// ZeRO-3: there are no others to compare with.
    bool shares_weights() const;

    std::string settings_digest_;  // first: the ranks compare their settings before anything else
    Graph graph_;
    ParallelSetup parallel_;
    TrainerOptions options_;
    Backend& backend_;
    DataSource& data_;
    std::unique_ptr<CompiledModel> model_;
    std::unique_ptr<TrainingStep> step_;
    OptimizerStep optimizer_;
    LrSchedule schedule_;
    UpdateSplit split_;
    RunProgress progress_;
    TrainingSet training_;
    UpdateReporter reporter_;
    RunState state_;
    Validator validator_;
    bool parameters_differ_ = false;  ///< seen and told
};

}  // namespace rankscope::engine
