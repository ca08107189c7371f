// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/nccl_profiler/abi.h>

#include <cstdint>

/// How much is observed: 0 pauses, 1 the host's side, 2 and the GPU's channels, 3 and the network, 4 and each step of
/// it. Each NCCL ignores bits that it does not know.
namespace rankscope::nccl {

inline constexpr std::uint32_t kHighestLevel = 4;
inline constexpr std::uint32_t kDefaultLevel = 2;
/// Level 4 costs too much for a whole run: after this time it is 2 again.
inline constexpr std::uint64_t kStepsForNs = 30'000'000'000;

constexpr std::uint32_t mask_of_level(std::uint32_t level) {
    // Groups always: without any event the wish for another level would never be read.
    std::uint32_t mask = abi::kGroup | abi::kGroupApi;
    if (level >= 1) {
        mask |= abi::kColl | abi::kP2p | abi::kCollApi | abi::kP2pApi | abi::kCeColl;
    }
    if (level >= 2) {
        mask |= abi::kKernelCh;
    }
    if (level >= 3) {
        mask |= abi::kProxyOp;
    }
    if (level >= 4) {
        mask |= abi::kProxyStep;
    }
    return mask;
}

/// What NCCL reports for a mask: the parents of what is asked for come too.
constexpr std::uint32_t with_parents(std::uint32_t mask) {
    if ((mask & abi::kNetPlugin) != 0) {
        mask |= abi::kProxyStep;
    }
    if ((mask & abi::kProxyStep) != 0) {
        mask |= abi::kProxyOp;
    }
    if ((mask & (abi::kProxyOp | abi::kKernelCh)) != 0) {
        mask |= abi::kColl | abi::kP2p;
    }
    if ((mask & (abi::kCeSync | abi::kCeBatch)) != 0) {
        mask |= abi::kCeColl;
    }
    if ((mask & (abi::kColl | abi::kP2p)) != 0) {
        mask |= abi::kGroup;
    }
    if ((mask & (abi::kColl | abi::kCeColl)) != 0) {
        mask |= abi::kCollApi;
    }
    if ((mask & abi::kP2p) != 0) {
        mask |= abi::kP2pApi;
    }
    if ((mask & (abi::kGroup | abi::kCollApi | abi::kP2pApi)) != 0) {
        mask |= abi::kGroupApi;
    }
    return mask;
}

}  // namespace rankscope::nccl
