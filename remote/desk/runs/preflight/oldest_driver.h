// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <algorithm>
#include <array>
#include <utility>

namespace rankscope::inline runs {

/// The oldest branch of NVIDIA's driver that runs programs of a CUDA major version (CUDA Toolkit release notes, minor
/// version compatibility); 0: not known.
constexpr int oldest_driver(int cuda) {
    constexpr std::array<std::pair<int, int>, 4> kBranches{{{10, 410}, {11, 450}, {12, 525}, {13, 580}}};
    const auto* const known = std::find_if(kBranches.begin(), kBranches.end(),
                                           [cuda](const auto& entry) { return entry.first == cuda; });
    return known == kBranches.end() ? 0 : known->second;
}

}  // namespace rankscope::inline runs
