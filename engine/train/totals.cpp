// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/train/totals.h>

#include <cstring>
#include <string>
#include <type_traits>

namespace rankscope::engine {

void sum_over_ranks(ProcessGroup* group, std::span<double> values) {
    if (group == nullptr) {
        return;
    }
    std::string mine(values.size_bytes(), '\0');
    std::memcpy(mine.data(), values.data(), mine.size());
    std::fill(values.begin(), values.end(), 0.0);
    for (const std::string& bytes : group->all_gather(mine)) {
        for (std::size_t i = 0; i < values.size(); ++i) {
            double part = 0;
            std::memcpy(&part, bytes.data() + i * sizeof(double), sizeof(double));
            values[i] += part;
        }
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
