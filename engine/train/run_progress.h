// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/optim/optimizer_step.h>
#include <engine/train/run_report.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace rankscope::engine {

/// Where a run stands, between two updates.
struct RunProgress {
    std::int64_t epoch = 0;
    std::int64_t batch_in_epoch = 0;  ///< batches of this epoch that are done
    std::int64_t update = 0;
    std::int64_t skipped = 0;           ///< of those, without an optimizer's step (fp16)
    std::int64_t skipped_before = 0;    ///< of `skipped`, before this start
    std::int64_t samples = 0;           ///< of this rank
    std::int64_t samples_in_epoch = 0;  ///< of this rank
    std::optional<double> best_acc1{};
    OptimizerStep last_step{};

    void add_update(std::int64_t batches, const OptimizerStep& step) {
        ++update;
        batch_in_epoch += batches;
        last_step = step;
    }
    /// The result of an update, which may come later.
    void add_result(const UpdateResult& result) {
        const auto trained = static_cast<std::int64_t>(result.mine.samples) + result.elsewhere;
        skipped += result.skipped ? 1 : 0;
        samples += trained;
        samples_in_epoch += trained;
    }
    void begin_next_epoch() {
        ++epoch;
        batch_in_epoch = 0;
        samples_in_epoch = 0;
    }
    /// Whether this validation is the best so far.
    bool add_validation(double acc1) {
        const bool best = acc1 > best_acc1.value_or(0.0);
        best_acc1 = std::max(acc1, best_acc1.value_or(0.0));
        return best;
    }
};

}  // namespace rankscope::engine
