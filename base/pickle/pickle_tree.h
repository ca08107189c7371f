// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <any>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The values of a Python pickle, as data.
namespace rankscope {

using PickleId = std::uint32_t;  ///< index into PickleTree::nodes

struct PickleNone {};
struct PickleList {
    std::vector<PickleId> items;
};
struct PickleTuple {
    std::vector<PickleId> items;
};
/// dict and OrderedDict, in order. A key may come more than once: the last one counts.
struct PickleDict {
    std::vector<std::pair<PickleId, PickleId>> items;
};
/// What the rules of a kind of file made of a call. Empty: its value is not needed (a device, a set), or it is an
/// integer beyond 64 bits.
struct PickleObject {
    std::any value;
};
/// Only inside the reader; a finished tree may hold them where the arguments of a call were.
struct PickleGlobal {
    std::string_view name;
};

/// A text is a view of the bytes that were read, as a byte string is.
using PickleValue = std::variant<PickleNone, bool, std::int64_t, double, std::string_view, PickleList,
                                 PickleTuple, PickleDict, PickleObject, PickleGlobal>;

/// Values refer to one another by number; one value may be referred to many times.
struct PickleTree {
    std::vector<PickleValue> nodes;
    std::deque<std::string> texts;  ///< those that are not in the file as they are
    PickleId root = 0;
    bool complete = false;  ///< false: the file ends too early, or is damaged at the end of what was read

    const PickleValue& at(PickleId id) const { return nodes.at(id); }
    /// The value at a text key of a dict, of its last `most` keys; none where it is no dict or has no such key.
    std::optional<PickleId> find(PickleId dict, std::string_view key,
                                 std::size_t most = std::numeric_limits<std::size_t>::max()) const;
    /// Of a list or tuple; else none.
    const std::vector<PickleId>& items(PickleId id) const;
    std::string_view text(PickleId id) const;  ///< empty: no text
    std::optional<std::int64_t> integer(PickleId id) const;
    /// Of a real or whole number.
    std::optional<double> number(PickleId id) const;
    template <typename Kind>
    const Kind* object(PickleId id) const {
        const auto* found = std::get_if<PickleObject>(&at(id));
        return found == nullptr ? nullptr : std::any_cast<Kind>(&found->value);
    }
};

}  // namespace rankscope
