// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The plain values of a dump file, whatever its format.
namespace rankscope {

using DumpId = std::uint32_t;  ///< index into DumpTree

struct DumpList {
    std::vector<DumpId> items;
};
/// In order. A key may come more than once: the last one counts.
struct DumpDict {
    std::vector<std::pair<DumpId, DumpId>> items;
};

using DumpValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string_view, DumpList, DumpDict>;

/// Values refer to one another by number. A hostile file may let one hold itself: who reads it goes down a fixed
/// number of levels.
struct DumpTree {
    std::vector<DumpValue> values;
    std::deque<std::string> texts;  ///< those that are not in the file as they are
    DumpId root = 0;
    bool complete = false;  ///< false: the file ends too early, or is damaged at the end of what was read

    /// The value at a text key of a dict, of its last 64 keys.
    std::optional<DumpId> find(DumpId dict, std::string_view key) const;
    /// The items of a list or tuple, or none.
    const std::vector<DumpId>& items(DumpId list) const;
    std::string_view text(DumpId id) const;  ///< empty: no text
    std::optional<std::int64_t> integer(DumpId id) const;
    std::optional<double> number(DumpId id) const;
    bool truth(DumpId id) const;
};

inline constexpr std::size_t kMostDumpValues = 4'000'000;
inline constexpr std::size_t kMaxDumpDepth = 64;

/// A pickle of plain values (protocols 2 to 4), as far as it goes. Executes nothing. Nothing: it is no pickle, or names
/// Python code. The tree refers to `bytes`.
std::optional<DumpTree> read_plain_pickle(std::string_view bytes);

/// A JSON text, as far as it goes.
std::optional<DumpTree> read_json_tree(std::string_view text);

}  // namespace rankscope
