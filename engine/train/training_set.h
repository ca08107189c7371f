// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/training_step.h>
#include <engine/data/batch_loader.h>
#include <engine/data/distributed_sampler.h>
#include <engine/train/data_source.h>
#include <engine/train/trainer_options.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::engine {

/// The loader's settings of a run for a set.
LoaderOptions loader_options(const TrainerOptions& options, const ImageSet& set);

/// A rank's share of the training set: which data the ranks agree on, its measures, and the batches of an epoch.
class TrainingSet {
public:
    /// Both must outlive the set.
    TrainingSet(const TrainerOptions& options, DataSource& data) : options_(options), data_(data) {}

    /// A data set that is missing on one node is missing for the run: the ranks decide together, or they would
    /// train on different images. Collective. Throws Error when they have different data.
    void agree();
    /// Throws ConfigError when there is not one batch for each rank.
    RunMeasures measures(const Graph& graph) const;

    /// Of this rank, the usual size first.
    std::vector<std::int64_t> batch_sizes() const;
    /// Makes the loader in the form that the step takes, and begins an epoch at batch `first`.
    void begin(TrainingStep& step, std::int64_t epoch, std::int64_t first);
    /// Begins the next epoch's batches; as soon as the last batch was taken.
    void begin_epoch(std::int64_t epoch);
    std::optional<Batch> next(std::optional<Batch> used) { return loader_->next(std::move(used)); }

private:
    DistributedSampler sampler() const;

    const TrainerOptions& options_;
    DataSource& data_;
    std::unique_ptr<BatchLoader> loader_;
};

}  // namespace rankscope::engine
