// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace rankscope::logs {

/// Up to three numbers of a version, "2.27.7+cuda13.0" → {2, 27, 7}. Nothing: the text begins with no number.
std::optional<std::array<int, 3>> parse_version(std::string_view text);

/// Comparisons that all must hold: ">=2.16 <2.24".
class VersionRange {
public:
    static std::optional<VersionRange> parse(std::string_view text);

    bool contains(const std::array<int, 3>& version) const;

private:
    enum class Relation { Less, AtMost, Equal, AtLeast, Greater };
    struct Bound {
        Relation relation;
        std::array<int, 3> version;
    };
    std::vector<Bound> bounds_;
};

}  // namespace rankscope::logs
