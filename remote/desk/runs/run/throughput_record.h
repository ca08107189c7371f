// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/step_pace.h>
#include <remote/observe/throughput/stated_sizes.h>
#include <remote/wire/event.h>

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What a run's events say about its throughput, folded as they come: steps of the first rank that reports any, and what rank 0
/// prints before its first step. A plain value; throughput_of() makes figures of it.
class ThroughputRecord {
public:
    void apply_metric(int rank, const MetricEvent& metric, std::int64_t t_us);
    void apply_log(int rank, const LogEvent& log);
    /// A pause or a validation begins or ends.
    void interrupt();
    /// All ranks start again.
    void restart();

    const StepPace& steps() const { return steps_; }
    /// "num_tokens", "samples": counts that rise with the training.
    const std::map<std::string, StepPace>& counts() const { return counts_; }
    const std::vector<throughput::StatedSize>& said() const { return said_; }
    bool speaks_of_tokens() const { return tokens_; }
    /// The steps are epochs: a batch is not one of them.
    bool steps_are_epochs() const { return same_as_epoch_ && !other_than_epoch_; }
    /// Steps may be rounds of a game with many batches each.
    bool plays() const { return plays_; }

private:
    StepPace steps_;
    std::map<std::string, StepPace> counts_;
    std::vector<throughput::StatedSize> said_;
    std::size_t heard_ = 0;    ///< bytes of rank 0's output
    int rank_ = -1;            ///< whose steps are counted
    bool live_steps_ = false;  ///< from lines, not from a file
    bool tokens_ = false;
    bool same_as_epoch_ = false;
    bool other_than_epoch_ = false;
    bool plays_ = false;
};

}  // namespace rankscope::inline runs
