// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <remote/desk/jobs/config/job.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline jobs {

/// What follows from a job of the native engine and its number of ranks.
struct TrainingAdvice {
    std::int64_t batch_size = 0;  ///< of one rank in one pass
    std::int64_t accumulated = 1;
    int world_size = 1;    ///< ranks with samples of their own, or replicas of a network that ranks divide
    bool divided = false;  ///< into the stages of a pipeline, or slices
    std::int64_t global_batch = 0;  ///< samples of one update
    double lr = 0;                  ///< as the job has it
    double highest_lr = 0;          ///< that the schedule begins from, scaled where the job asks for it
    /// The rate for the global batch by linear scaling, where the job does not scale it and it would be another one.
    std::optional<double> scaled_lr;
    std::optional<std::int64_t> steps_per_epoch;  ///< where the size of the set is known
    std::vector<std::pair<double, double>>
        curve;  ///< epoch, learning rate; empty: the rate stays, or is not known
};

/// Nothing for a program of the user and for a section with errors.
std::optional<TrainingAdvice> training_advice(const Job& job, int ranks);

/// "512 samples per update, 128 per rank, 98 updates per epoch, learning rate 0.1".
std::string advice_text(const TrainingAdvice& advice);

/// The values that make the engine scale the rate: key → value, as a job file has them.
std::map<std::string, std::string> scaling_keys(const Job& job, const TrainingAdvice& advice);

/// Training samples of a set that this program knows; nothing for folders of images.
std::optional<std::int64_t> known_samples(const config::DatasetConfig& dataset);

}  // namespace rankscope::inline jobs
