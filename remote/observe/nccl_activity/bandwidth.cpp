// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/nccl_activity/bandwidth.h>

#include <algorithm>
#include <array>

namespace rankscope {
namespace {

/// How an operation's factor depends on n ranks.
enum class Factor : std::uint8_t { One, Share /* (n - 1) / n */, TwoShares };

struct Entry {
    std::string_view function;
    Factor factor;
    bool of_all_ranks;  ///< the call counts the part of one rank
    bool ends_together;
};

constexpr std::array kEntries{
    Entry{"AllReduce", Factor::TwoShares, false, true}, Entry{"AllGather", Factor::Share, true, true},
    Entry{"AllGatherV", Factor::Share, true, true},     Entry{"ReduceScatter", Factor::Share, true, true},
    Entry{"AlltoAll", Factor::Share, true, true},       Entry{"Gather", Factor::Share, true, false},
    Entry{"Scatter", Factor::Share, true, false},       Entry{"Broadcast", Factor::One, false, false},
    Entry{"Reduce", Factor::One, false, false},         Entry{"SendRecv", Factor::One, false, false},
    Entry{"Send", Factor::One, false, false},           Entry{"Recv", Factor::One, false, false},
};

const Entry* entry_of(std::string_view function) {
    const auto* found = std::find_if(kEntries.begin(), kEntries.end(),
                                     [&](const Entry& entry) { return entry.function == function; });
    return found == kEntries.end() ? nullptr : found;
}

}  // namespace

double payload_bytes(std::string_view function, double bytes, int ranks) {
    const Entry* entry = entry_of(function);
    return entry != nullptr && entry->of_all_ranks ? bytes * std::max(ranks, 1) : bytes;
}

double bus_factor(std::string_view function, int ranks) {
    const Entry* entry = entry_of(function);
    if (entry == nullptr) {
        return 0;
    }
    if (entry->factor == Factor::One) {
        return 1;
    }
    if (ranks < 1) {
        return 0;
    }
    const double share = (ranks - 1.0) / ranks;
    return entry->factor == Factor::Share ? share : 2 * share;
}

bool ends_together(std::string_view function) {
    const Entry* entry = entry_of(function);
    return entry != nullptr && entry->ends_together;
}

}  // namespace rankscope
