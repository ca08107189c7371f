// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>

#include <QString>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::gui {

/// A moment of a run that belongs on its curves.
struct RunMark {
    enum class Kind { Epoch, Checkpoint, Pause, Continue, Restart, Rewind, Verdict, Failure, End };

    Kind kind = Kind::Epoch;
    std::int64_t step = 0;  ///< the furthest one that a rank had reported by then
    std::int64_t t_us = 0;  ///< since 1970
    std::string text = {};  ///< nodes, a verdict's title, an epoch's number
};

/// "Epoch 2", "Paused: node1, node2", "Rank 3 failed: …".
QString mark_text(const RunMark& mark);

/// The marks of a run, folded from its events in their order. At most kMost are kept; the oldest epochs go first.
class RunMarks {
public:
    static constexpr std::size_t kMost = 1000;

    /// `furthest`: the furthest step so far; `step`: where a metric's stands on the curves.
    void apply(const Event& event, std::int64_t furthest, std::int64_t step = -1);
    /// The steps began again at `reported`, which stands at `step`, without a restart.
    void add_rewind(std::int64_t step, std::int64_t t_us, std::int64_t reported);
    const std::vector<RunMark>& all() const { return marks_; }
    std::uint64_t dropped() const { return dropped_; }

private:
    void apply_metric(const Event& event, const MetricEvent& metric, std::int64_t step);
    void apply_stage(const Event& event, const StageEvent& stage, std::int64_t furthest);
    void add(RunMark mark);
    /// Nodes report the same thing one by one: one mark at one step.
    void add_of_node(RunMark mark, const std::string& node);

    std::vector<RunMark> marks_;
    double epoch_ = -1;
    std::size_t rewinds_ = 0;
    std::uint64_t dropped_ = 0;
};

}  // namespace rankscope::gui
