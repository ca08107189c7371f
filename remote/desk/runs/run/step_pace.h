// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>

namespace rankscope::inline runs {

/// How fast a count rises, from the times it was reported at. What is no training does not count: the start-up before the
/// first report, pauses and validations (interrupt()), and rare long gaps such as checkpoints. Reports that come in bursts,
/// as from a program that buffers its output, are measured by the time between the bursts. A plain value.
class StepPace {
public:
    void add(double count, std::int64_t t_us);
    /// Between the last report and the next lies something else than training.
    void interrupt() { interrupted_ = true; }
    void restart() { *this = {}; }
    /// Nothing until enough was reported.
    std::optional<double> per_s() const;
    /// Seconds that per_s() is of.
    double span_s() const;
    bool any() const { return known_; }
    /// All that was reported since lies across interruptions.
    bool only_interrupted() const { return spans_.empty() && interruptions_ > 1; }

private:
    struct Span {
        double count;
        double seconds;
    };
    /// The spans that count, together; nothing where there are too few.
    std::optional<Span> usual() const;

    std::deque<Span> spans_;
    std::size_t dropped_ = 0;  ///< spans that were too old
    int interruptions_ = 0;    ///< since the last span that was none
    bool known_ = false;
    bool interrupted_ = false;
    double last_ = 0;
    std::int64_t last_us_ = 0;
};

}  // namespace rankscope::inline runs
