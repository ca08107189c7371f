// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// The names that NCCL gives to functions, types, algorithms and protocols, as small numbers. 0 is a name that
/// is not in the table. New names go to the end: files of older plugins keep their meaning.
namespace rankscope::nccl_ring {

inline constexpr std::array kFunctions{"?",        "AllGather", "AllReduce", "AlltoAll",      "Broadcast",
                                       "Gather",   "Recv",      "Reduce",    "ReduceScatter", "Scatter",
                                       "SendRecv", "Send",      "PutSignal", "Signal",        "WaitSignal"};
inline constexpr std::array kDatatypes{"?",
                                       "ncclInt8",
                                       "ncclUint8",
                                       "ncclInt32",
                                       "ncclUint32",
                                       "ncclInt64",
                                       "ncclUint64",
                                       "ncclFloat16",
                                       "ncclFloat32",
                                       "ncclFloat64",
                                       "ncclBfloat16",
                                       "ncclFloat8e4m3",
                                       "ncclFloat8e5m2"};
inline constexpr std::array<std::uint8_t, kDatatypes.size()> kElementBytes{0, 1, 1, 4, 4, 8, 8,
                                                                           2, 4, 8, 2, 1, 1};
inline constexpr std::array kAlgorithms{"?",    "TREE",      "RING", "COLLNET_DIRECT", "COLLNET_CHAIN",
                                        "NVLS", "NVLS_TREE", "PAT"};
inline constexpr std::array kProtocols{"?", "LL", "LL128", "SIMPLE"};

/// The number of a name; 0 for null and for what is not known. By content: NCCL's pointers say nothing.
template <std::size_t N>
std::uint8_t code_of(const std::array<const char*, N>& names, const char* name) {
    for (std::size_t i = 1; name != nullptr && i < N; ++i) {
        if (std::strcmp(names[i], name) == 0) {
            return static_cast<std::uint8_t>(i);
        }
    }
    return 0;
}

/// The name of a number; "?" for what is not known.
template <std::size_t N>
constexpr const char* name_of(const std::array<const char*, N>& names, std::size_t code) {
    return names[code < N ? code : 0];
}

constexpr std::uint64_t element_bytes(std::size_t datatype) {
    return datatype < kElementBytes.size() ? kElementBytes[datatype] : 0;
}

}  // namespace rankscope::nccl_ring
