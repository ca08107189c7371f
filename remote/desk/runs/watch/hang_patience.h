// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/hang_view.h>

#include <string>

namespace rankscope::inline runs {

/// How long something has to last before it may be a hang, in seconds: at least `least`, longer where steps usually take
/// long and where the rank does what takes its time (validation, a checkpoint); the job's own time where it has one.
double hang_patience_s(const HangView& view, double least, const RankSeen* seen = nullptr);

/// "it sleeps"; of looks that are brief "it sleeps, for at least 5 s": nobody saw it begin. Where a verdict has a beginning,
/// its age is said when it is shown (age_text), and its title has none.
std::string with_least_age(const HangView& view, const std::string& what, double seconds);

/// A function or a file of the program, or a part of PyTorch, whose name says that it takes its time.
bool names_a_long_phase(const RankSnapshot& state);

// Seconds that each may last, beside the usual time between two steps.
inline constexpr double kHangIdleS = 30;     ///< sleeps, locks, pipes, children: without CPU time and data
inline constexpr double kHangBusyS = 240;    ///< it computes: validation, a checkpoint, compilation
inline constexpr double kHangLongPhase = 3;  ///< times as long in a part that takes its time

}  // namespace rankscope::inline runs
