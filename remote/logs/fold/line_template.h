// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

/// What stands at a place of a line. Own: by its nature another one for each rank (ranks, process ids, pointers,
/// addresses, ports, seconds). Value: the same for all ranks, unless something differs.
enum class PlaceKind : std::uint8_t { Own, Value };

struct TemplatePlace {
    PlaceKind kind = PlaceKind::Own;
    std::string_view text;  ///< of this line; lives as long as it
};

/// The mark of a place in LineTemplate::key.
inline constexpr char kPlaceMark = '\x01';
inline constexpr std::size_t kMostPlaces = 24;
inline constexpr std::size_t kLongestTemplate = 600;

/// A line without what varies: "comm 0x5 rank 1 nranks 4" → "comm ? rank ? nranks ?" and three places. Places after
/// the 24th are text of the line that is left out.
struct LineTemplate {
    std::string key;  ///< the text with a kPlaceMark for each place
    std::vector<TemplatePlace> places;
    std::size_t covered = 0;  ///< bytes of the line; the rest is in neither

    /// Takes another line; keeps the memory. `host`: the machine of the line; its name is a place.
    void take(std::string_view message, std::string_view host);
};

}  // namespace rankscope::logs
