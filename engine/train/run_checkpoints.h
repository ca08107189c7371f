// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/snapshot.h>
#include <engine/optim/optimizer_step.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Where a run's checkpoints go and come from: a store of ours, or Distribuuuu's files.
namespace rankscope::engine {

/// A run's measures, for a checkpoint that does not hold them.
struct RunMeasures {
    std::vector<std::string> parameter_names{};  ///< in the order of registration
    std::int64_t batches_per_epoch = 0;          ///< of each rank
    std::int64_t updates_per_epoch = 0;
    std::int64_t samples_per_epoch = 0;  ///< of all ranks
    int world_size = 1;
    std::int64_t batch_size = 0;
    std::int64_t accumulation = 1;
    std::uint64_t seed = 0;
};

struct RunStart {
    std::optional<Snapshot> snapshot;  ///< the same on every rank; none: from the beginning
    bool with_optimizer = true;        ///< else only the weights are taken
    std::string note;                  ///< for the user; empty: nothing to say
};

/// A moment between two updates.
struct SavePoint {
    std::int64_t update = 0;  ///< made so far
    bool epoch_ends = false;
    std::int64_t epoch = 0;     ///< the current one, or the one that just ended, from 0
    bool run_ends = false;      ///< max_steps stopped it within an epoch
    bool best = false;          ///< its validation was the best so far
    OptimizerStep optimizer{};  ///< of the last update
};

struct CheckpointReport {
    std::int64_t update = 0;
    std::string where{};  ///< empty: it failed
    std::uint64_t bytes = 0;
    double held_ms = 0;   ///< what training waited for it
    double write_ms = 0;  ///< in the background
    std::string error{};
    bool repeated = false;                           ///< the one before failed as well: already reported
    std::vector<std::filesystem::path> abandoned{};  ///< later ones of an earlier run, set aside
};

/// For the user, of one of CheckpointReport::abandoned.
inline std::string abandoned_text(const std::filesystem::path& folder) {
    return "a checkpoint of a later step, of a run before this one, was set aside as " + folder.string();
}

class RunCheckpoints {
public:
    virtual ~RunCheckpoints() = default;
    /// What the run continues from. Collective. Throws Error.
    virtual RunStart start(const RunMeasures& measures) = 0;
    /// Whether save() is to be called at this point. The same on every rank.
    virtual bool due(const SavePoint& point) const = 0;
    /// For rank 0. `fill` copies the run's state. Returns the name of what is written, empty when it is
    /// not known yet.
    virtual std::string save(const SavePoint& point, const std::function<void(Snapshot&)>& fill) = 0;
    /// What was finished since the last call. Cheap.
    virtual std::vector<CheckpointReport> reports() = 0;
    /// Returns when everything is on disk or has failed.
    virtual void finish() = 0;
};

}  // namespace rankscope::engine
