// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/rules/version_range.h>

#include <algorithm>
#include <charconv>

namespace rankscope::logs {

std::optional<std::array<int, 3>> parse_version(std::string_view text) {
    std::array<int, 3> version{};
    const char* at = text.data();
    const char* const end = at + text.size();
    for (std::size_t i = 0; i < version.size(); ++i) {
        const auto [next, error] = std::from_chars(at, end, version[i]);
        if (error != std::errc{}) {
            return i == 0 ? std::nullopt : std::optional(version);
        }
        if (next == end || *next != '.') {
            break;
        }
        at = next + 1;
    }
    return version;
}

std::optional<VersionRange> VersionRange::parse(std::string_view text) {
    VersionRange range;
    while (true) {
        const auto begin = text.find_first_not_of(' ');
        if (begin == std::string_view::npos) {
            break;
        }
        text.remove_prefix(begin);
        const auto word = text.substr(0, text.find(' '));
        text.remove_prefix(word.size());
        const auto digits = std::min(word.find_first_not_of("<>="), word.size());
        const auto sign = word.substr(0, digits);
        const auto version = parse_version(word.substr(digits));
        if (!version) {
            return std::nullopt;
        }
        Relation relation = Relation::Equal;
        if (sign == "<") {
            relation = Relation::Less;
        } else if (sign == "<=") {
            relation = Relation::AtMost;
        } else if (sign == ">=") {
            relation = Relation::AtLeast;
        } else if (sign == ">") {
            relation = Relation::Greater;
        } else if (sign != "=" && sign != "==") {
            return std::nullopt;
        }
        range.bounds_.push_back({relation, *version});
    }
    return range.bounds_.empty() ? std::nullopt : std::optional(range);
}

bool VersionRange::contains(const std::array<int, 3>& version) const {
    return std::all_of(bounds_.begin(), bounds_.end(), [&](const Bound& bound) {
        switch (bound.relation) {
            case Relation::Less:
                return version < bound.version;
            case Relation::AtMost:
                return version <= bound.version;
            case Relation::AtLeast:
                return version >= bound.version;
            case Relation::Greater:
                return version > bound.version;
            case Relation::Equal:
                break;
        }
        return version == bound.version;
    });
}

}  // namespace rankscope::logs
