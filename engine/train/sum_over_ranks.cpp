// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/train/sum_over_ranks.h>

#include <cstring>
#include <type_traits>
#include <vector>

namespace rankscope::engine {

void sum_over_ranks(ProcessGroup* group, std::span<double> values) {
    if (group != nullptr) {
        group->sum(values);
    }
}

void sum_over_ranks(ProcessGroup* group, std::span<Totals> totals) {
    constexpr std::size_t kFields = 4;
    static_assert(std::is_trivially_copyable_v<Totals> && sizeof(Totals) == kFields * sizeof(double));
    std::vector<double> values(totals.size() * kFields);
    std::memcpy(values.data(), totals.data(), totals.size_bytes());
    sum_over_ranks(group, values);
    std::memcpy(static_cast<void*>(totals.data()), values.data(), totals.size_bytes());
}

}  // namespace rankscope::engine
