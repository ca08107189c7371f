// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/lr_schedule.h>
#include <base/config/train_config.h>
#include <engine/optim/optimizer_step.h>

#include <cstdint>

namespace rankscope::engine {

using config::lr_schedule;
using config::LrSchedule;
using config::RunPosition;
using config::ScheduledRate;

/// The optimizer's settings; lr is the configured one, before schedule and scaling rule.
OptimizerStep optimizer_settings(const config::OptimizerConfig& config);

/// The update that is about to be made; `number` counts the run's updates from 1.
OptimizerStep scheduled_step(OptimizerStep settings, const LrSchedule& schedule, const RunPosition& position,
                             std::int64_t number);

/// How an epoch's batches make updates: `accumulate` batches each, the last update with what is left.
struct UpdateSplit {
    std::int64_t batches = 0;
    std::int64_t accumulate = 1;

    std::int64_t updates() const { return (batches + accumulate - 1) / accumulate; }
    /// Batches of the update that begins with this batch.
    std::int64_t batches_from(std::int64_t first_batch) const {
        return batches - first_batch < accumulate ? batches - first_batch : accumulate;
    }
};

}  // namespace rankscope::engine
