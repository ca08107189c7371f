// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace rankscope::engine {

/// Where a run stands at the boundary between two steps: all that decides how it continues, besides tensors.
/// Data order and augmentation follow from seed, epoch and batch, so they need no state of their own.
struct TrainingPosition {
    std::int64_t step = 0;              ///< optimizer steps done; also the schedule's position
    std::int64_t epoch = 0;             ///< the current one, from 0; at its end the next one
    std::int64_t batch_in_epoch = 0;    ///< micro-batches that each rank has done of it
    std::int64_t samples_in_epoch = 0;  ///< of all ranks: where the sampler's global order continues
    std::int64_t samples = 0;           ///< of all ranks since the start
    int world_size = 1;
    std::int64_t batch_size = 0;    ///< per rank and micro-batch
    std::int64_t accumulation = 1;  ///< micro-batches per optimizer step
    std::uint64_t seed = 0;
    std::string config_digest{};            ///< of the configuration it was trained with
    std::optional<double> best_accuracy{};  ///< of validations so far, 0 … 1
    /// Other values that continue, by name: "loss_scale", … . Finite numbers only.
    std::map<std::string, double> numbers{};

    bool operator==(const TrainingPosition&) const = default;
};

nlohmann::json to_json(const TrainingPosition& position);
/// Throws Error naming the member that is missing or wrong.
TrainingPosition training_position_of(const nlohmann::json& json);

struct ResumePoint {
    std::int64_t epoch = 0;
    std::int64_t first_batch = 0;       ///< micro-batches of the epoch that each rank leaves out
    std::int64_t repeated_samples = 0;  ///< samples of the epoch that are trained on once more
};

/// Where a run continues with another world or batch size. Rank r of R takes r, r + R, r + 2R, … of the epoch's
/// permutation, so k steps of any world use up its first k·R·batch samples: the position in samples is what
/// carries over, rounded down to a whole optimizer step of the new world. On the same world it is exact.
/// `batches_per_epoch`: of the new world; where the position is at or behind it, the next epoch begins.
ResumePoint resume_point(const TrainingPosition& position, int world_size, std::int64_t batch_size,
                         std::int64_t accumulation, std::int64_t batches_per_epoch);

}  // namespace rankscope::engine
