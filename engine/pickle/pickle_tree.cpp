// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/pickle/pickle_tree.h>

namespace rankscope::engine {

std::optional<std::string_view> PickleTree::text(PickleId id) const {
    if (const auto* text = std::get_if<std::string>(&at(id))) {
        return *text;
    }
    const auto* bytes = std::get_if<PickleBytes>(&at(id));
    return bytes == nullptr ? std::nullopt : std::optional(source.substr(bytes->offset, bytes->size));
}

std::optional<PickleId> PickleTree::find(PickleId dict, std::string_view key) const {
    std::optional<PickleId> found;
    if (const auto* items = std::get_if<PickleDict>(&at(dict))) {
        for (const auto& [name, value] : items->items) {
            if (text(name) == key) {
                found = value;
            }
        }
    }
    return found;
}

std::optional<std::int64_t> PickleTree::integer(PickleId id) const {
    const auto* value = std::get_if<std::int64_t>(&at(id));
    return value == nullptr ? std::nullopt : std::optional(*value);
}

std::optional<double> PickleTree::number(PickleId id) const {
    if (const auto* value = std::get_if<double>(&at(id))) {
        return *value;
    }
    const auto whole = integer(id);
    return whole ? std::optional(static_cast<double>(*whole)) : std::nullopt;
}

}  // namespace rankscope::engine
