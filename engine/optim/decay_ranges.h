// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace rankscope::engine {

/// One parameter's place in flat storage.
struct DecaySlot {
    std::size_t offset = 0;  ///< floats
    std::size_t size = 0;
    bool decayed = true;
};

/// A range of flat storage that is updated in one call.
struct DecayRange {
    std::size_t offset = 0;
    std::size_t size = 0;
    bool decayed = true;
    bool operator==(const DecayRange&) const = default;
};

/// [0, total) in as few ranges as the decay groups allow, in order. Slots may come in any order and leave
/// gaps (padding); a gap goes with the range before it. No two slots may overlap.
std::vector<DecayRange> decay_ranges(std::span<const DecaySlot> slots, std::size_t total);

}  // namespace rankscope::engine
