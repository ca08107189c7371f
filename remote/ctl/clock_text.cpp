// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/ctl/clock_text.h>
#include <remote/ctl/terminal_text.h>
#include <remote/desk/shared/text.h>

#include <cmath>
#include <string>

namespace rankscope::ctl {
namespace {

constexpr const char* kContext = "ClockText";

// "The clock of node2 is 3.2 s ahead of node1 (±0.1 s, from 8 communicators).".
std::string clock_difference(const logs::HostClock& clock) {
    const std::string seconds = fixed_text(std::abs(clock.ahead_s), 1);
    const std::string uncertainty = fixed_text(clock.uncertainty_s, 1);
    const std::string from =
        clock.communicators > 0
            ? text(kContext, "%1 communicators", {std::to_string(clock.communicators)})
            : text(kContext, "%1 rendezvous or time-outs", {std::to_string(clock.other_moments)});
    return clock.ahead_s > 0 ? text(kContext, "The clock of %1 is %2 s ahead of %3 (±%4 s, from %5).",
                                    {clock.host, seconds, clock.reference, uncertainty, from})
                             : text(kContext, "The clock of %1 is %2 s behind %3 (±%4 s, from %5).",
                                    {clock.host, seconds, clock.reference, uncertainty, from});
}

}  // namespace

void print_clocks(const std::vector<logs::HostClock>& clocks, std::FILE* to) {
    for (const auto& clock : clocks) {
        if (clock.corrected) {
            std::fprintf(to, "%s\n",
                         safe_text(clock_difference(clock) + ' ' + text(kContext, "Its times are corrected."))
                             .c_str());
        }
    }
}

}  // namespace rankscope::ctl
