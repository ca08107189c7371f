// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/optim/decay_ranges.h>

#include <algorithm>

namespace rankscope::engine {

std::vector<DecayRange> decay_ranges(std::span<const DecaySlot> slots, std::size_t total) {
    std::vector<DecaySlot> sorted(slots.begin(), slots.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const DecaySlot& a, const DecaySlot& b) { return a.offset < b.offset; });
    std::vector<DecayRange> ranges;
    for (const DecaySlot& slot : sorted) {
        if (ranges.empty()) {
            ranges.push_back({0, 0, slot.decayed});
        } else if (ranges.back().decayed != slot.decayed) {
            ranges.back().size = slot.offset - ranges.back().offset;
            ranges.push_back({slot.offset, 0, slot.decayed});
        }
    }
    if (!ranges.empty()) {
        ranges.back().size = total - ranges.back().offset;
    }
    return ranges;
}

}  // namespace rankscope::engine
