// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::inline runs {

/// "loss > 10 for 50 steps": what a user wants to hear of. It holds for a rank whose values of the metric all satisfy
/// the comparison over so many steps.
struct AlertRule {
    enum class Compare { Above, AtLeast, Below, AtMost };

    std::string metric = {};
    Compare compare = Compare::Above;
    double value = 0;
    std::int64_t steps = 1;

    bool operator==(const AlertRule&) const = default;
    bool holds(double measured) const;
};

/// METRIC OP VALUE [for N steps]; OP is >, >=, < or <=. A value may end with %. The failure says which word is wrong.
Result<AlertRule> parse_alert_rule(std::string_view text);
/// As parse_alert_rule() reads it.
std::string to_text(const AlertRule& rule);

}  // namespace rankscope::inline runs
