// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::inline runs {

/// When a lost node is tried again: at once, because most losses are over when they are noticed, then after
/// 1, 2, 4 … 30 s.
class Backoff {
public:
    /// Seconds to wait before the next attempt.
    double next();
    /// The node was reached, and answered for so long (seconds). One that is lost again at once waits a
    /// second: a server that throws everybody out must not be asked without pause.
    void reached(double lasted_s);

private:
    double next_s_ = kAtOnce;

    static constexpr double kAtOnce = 0.1;
    static constexpr double kFirst = 1;
    static constexpr double kMost = 30;
    static constexpr double kSteady = 0.5;
};

}  // namespace rankscope::inline runs
