// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <engine/comm/collective_kind.h>

#include <array>

namespace rankscope::engine {

const char* name_of(CollectiveKind operation) {
    switch (operation) {
        case CollectiveKind::all_reduce:
            return "all_reduce";
        case CollectiveKind::broadcast:
            return "broadcast";
        case CollectiveKind::all_gather:
            return "all_gather";
        case CollectiveKind::barrier:
            return "barrier";
        case CollectiveKind::step:
            return "step";
        case CollectiveKind::reduce_scatter:
            return "reduce_scatter";
        case CollectiveKind::send:
            return "send";
        case CollectiveKind::receive:
            return "receive";
    }
    return "?";
}

std::string bytes_text(std::size_t bytes) {
    constexpr std::array<const char*, 4> kUnits{"kB", "MB", "GB", "TB"};
    if (bytes < 1000) {
        return std::to_string(bytes) + " B";
    }
    double value = static_cast<double>(bytes) / 1000.0;
    std::size_t unit = 0;
    for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit) {
        value /= 1000.0;
    }
    return fixed_text(value, 1) + ' ' + kUnits[unit];
}

std::string describe(CollectiveKind operation, std::uint64_t sequence, std::size_t bytes) {
    return std::string(name_of(operation)) + " #" + std::to_string(sequence) +
           (operation == CollectiveKind::barrier ? "" : " (" + bytes_text(bytes) + ")");
}

std::string rank_list(const std::vector<int>& ranks) {
    std::string text;
    int ranges = 0;
    for (std::size_t i = 0; i < ranks.size(); ++ranges) {
        std::size_t end = i;
        while (end + 1 < ranks.size() && ranks[end + 1] == ranks[end] + 1) {
            ++end;
        }
        if (ranges == 12) {
            return text + ", …";
        }
        text += (text.empty() ? "" : ", ") + std::to_string(ranks[i]);
        if (end > i) {
            text += (end == i + 1 ? ", " : "–") + std::to_string(ranks[end]);
        }
        i = end + 1;
    }
    return text;
}

}  // namespace rankscope::engine
