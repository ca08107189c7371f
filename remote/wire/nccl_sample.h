// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rankscope {

/// Operations in one NcclEvent, at most: the longest, and those that come first in the order below.
inline constexpr std::size_t kMostNcclOperations = 16;

/// The order in which operations are chosen, lowest first. It is the same on all ranks, so that they choose the same
/// operations, and says nothing of how long one takes.
constexpr std::uint64_t nccl_sample_order(std::uint64_t communicator, std::string_view function,
                                          std::uint64_t sequence) {
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (const char letter : function) {
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3U;
    }
    for (const std::uint64_t part : {communicator, sequence}) {
        hash += part + 0x9e3779b97f4a7c15U;
        hash = (hash ^ (hash >> 30U)) * 0xbf58476d1ce4e5b9U;
        hash = (hash ^ (hash >> 27U)) * 0x94d049bb133111ebU;
        hash ^= hash >> 31U;
    }
    return hash;
}

}  // namespace rankscope
