// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/pickle/pickle_tree.h>

#include <algorithm>

namespace rankscope {

std::optional<PickleId> PickleTree::find(PickleId dict, std::string_view key, std::size_t most) const {
    if (const auto* pairs = std::get_if<PickleDict>(&at(dict))) {
        const std::size_t size = pairs->items.size();
        for (std::size_t i = size; i > size - std::min(size, most); --i) {
            const auto& [name, value] = pairs->items[i - 1];
            const auto* text = std::get_if<std::string_view>(&at(name));
            if (text != nullptr && *text == key) {
                return value;
            }
        }
    }
    return std::nullopt;
}

const std::vector<PickleId>& PickleTree::items(PickleId id) const {
    static const std::vector<PickleId> kNone;
    if (const auto* list = std::get_if<PickleList>(&at(id))) {
        return list->items;
    }
    const auto* tuple = std::get_if<PickleTuple>(&at(id));
    return tuple == nullptr ? kNone : tuple->items;
}

std::string_view PickleTree::text(PickleId id) const {
    const auto* found = std::get_if<std::string_view>(&at(id));
    return found == nullptr ? std::string_view() : *found;
}

std::optional<std::int64_t> PickleTree::integer(PickleId id) const {
    const auto* found = std::get_if<std::int64_t>(&at(id));
    return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<double> PickleTree::number(PickleId id) const {
    if (const auto* real = std::get_if<double>(&at(id))) {
        return *real;
    }
    const auto whole = integer(id);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

}  // namespace rankscope
