// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/desk/nodes/session/clock_check.h>
#include <remote/desk/shared/text.h>

#include <cmath>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "ClockCheck";
constexpr double kWorthAWord = 60;

std::string rounded(double value) {
    return fixed_text(value, 1);
}

std::string duration(double seconds) {
    return seconds < 3600 ? text(kContext, "%1 min", {rounded(seconds / 60)})
                          : text(kContext, "%1 h", {rounded(seconds / 3600)});
}

}  // namespace

std::optional<Failure> clock_off(const std::string& node, double offset_s) {
    if (std::abs(offset_s) < kWorthAWord) {
        return std::nullopt;
    }
    const std::string by = duration(std::abs(offset_s));
    return Failure{"clock-skew", node,
                   offset_s > 0 ? text(kContext, "Its clock is %1 ahead of this computer's.", {by})
                                : text(kContext, "Its clock is %1 behind this computer's.", {by}),
                   text(kContext,
                        "Let both take their time from the network (`sudo timedatectl set-ntp true`); the "
                        "times that Rankscope shows are corrected."),
                   ""};
}

}  // namespace rankscope::inline nodes
