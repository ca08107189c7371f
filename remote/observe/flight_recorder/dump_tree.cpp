// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/flight_recorder/dump_tree.h>

#include <algorithm>

namespace rankscope {

std::optional<DumpId> DumpTree::find(DumpId dict, std::string_view key) const {
    if (const auto* pairs = std::get_if<DumpDict>(&values[dict])) {
        // The dicts whose keys are known are small: a hostile one must not cost more.
        constexpr std::size_t kMostKeys = 64;
        const std::size_t size = pairs->items.size();
        for (std::size_t i = size; i > size - std::min(size, kMostKeys); --i) {
            if (text(pairs->items[i - 1].first) == key) {
                return pairs->items[i - 1].second;
            }
        }
    }
    return std::nullopt;
}

const std::vector<DumpId>& DumpTree::items(DumpId list) const {
    static const std::vector<DumpId> kNone;
    const auto* found = std::get_if<DumpList>(&values[list]);
    return found == nullptr ? kNone : found->items;
}

std::string_view DumpTree::text(DumpId id) const {
    const auto* found = std::get_if<std::string_view>(&values[id]);
    return found == nullptr ? std::string_view() : *found;
}

std::optional<std::int64_t> DumpTree::integer(DumpId id) const {
    const auto* found = std::get_if<std::int64_t>(&values[id]);
    return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<double> DumpTree::number(DumpId id) const {
    if (const auto* real = std::get_if<double>(&values[id])) {
        return *real;
    }
    const auto whole = integer(id);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

bool DumpTree::truth(DumpId id) const {
    const auto* found = std::get_if<bool>(&values[id]);
    return found != nullptr && *found;
}

}  // namespace rankscope
