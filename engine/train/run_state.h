// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/training_step.h>
#include <engine/checkpoint/training_position.h>
#include <engine/train/run_progress.h>
#include <engine/train/trainer_options.h>

#include <string>

namespace rankscope::engine {

/// Saves and restores the state of a run: model, optimizer and progress, to and from its checkpoints.
class RunState {
public:
    /// All references must outlive the object. `settings_digest` names the settings that the ranks share.
    RunState(const TrainerOptions& options, const Graph& graph, CompiledModel& model, TrainingStep& step,
             RunProgress& progress, std::string settings_digest);

    /// Continues the run where a checkpoint ends, or begins it. Collective. Returns a note for the user.
    std::string resume(const RunMeasures& measures);
    /// Only the weights that the checkpoints name, for an evaluation. Collective.
    void load_weights();
    /// Whether save() writes at this point. The same on every rank.
    bool due(const SavePoint& point) const;
    /// When no result is open. Returns the name of what is written; empty: nothing, or not known yet.
    std::string save(SavePoint point);
    /// Reports what was written since the last call.
    void report_written();
    /// Returns when everything is on disk or has failed.
    void finish();

private:
    TrainingPosition position() const;
    /// Returns what to add to the note.
    std::string take_position(const TrainingPosition& from, const RunMeasures& measures);

    const TrainerOptions& options_;
    const Graph& graph_;
    CompiledModel& model_;
    TrainingStep& step_;
    RunProgress& progress_;
    std::string settings_digest_;
};

}  // namespace rankscope::engine
