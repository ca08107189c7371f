// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/verdict.h>

#include <cstdint>
#include <string>

namespace rankscope::inline runs {

/// From here on a verdict is said as a fact.
inline constexpr double kSureVerdict = 0.8;

/// The title with its doubt: "Probably: …", "Possibly: …"; of a sure verdict the title alone.
std::string said(const Verdict& verdict);
/// "since 11:17:45, 31 s": how long it lasts at this moment, by this computer's clock; empty: not known since when.
std::string age_text(const Verdict& verdict, std::int64_t now_us);
/// "Over after 38 s: rank 2 on node3 was stopped."; `over_us`: when it ceased to hold.
std::string over_sentence(const Verdict& verdict, std::int64_t over_us);
/// "11:17:45", by this computer's clock and zone.
std::string time_of_day(std::int64_t t_us);
/// "… at 11:17:45 (step 487).", up to the end of its first sentence; what follows is the rest.
std::string first_sentence(const std::string& text);

/// The ranks stand still until the cause is gone. What only slows them holds nothing.
bool holds_the_run(const Verdict& verdict);
/// Whether it is to be shown before the other: what holds the run, then the surer one.
bool outranks(const Verdict& verdict, const Verdict& other);

}  // namespace rankscope::inline runs
