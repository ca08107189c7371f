// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/launch/backoff.h>

#include <algorithm>

namespace rankscope::inline runs {

double Backoff::next() {
    const double now = next_s_;
    next_s_ = std::clamp(now * 2, kFirst, kMost);
    return now;
}

void Backoff::reached(double lasted_s) {
    next_s_ = lasted_s >= kSteady ? kAtOnce : kFirst;
}

}  // namespace rankscope::inline runs
