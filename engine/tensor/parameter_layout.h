// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>
#include <engine/tensor/flat_range.h>

#include <cstddef>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Where a parameter lies in the flat arrays of weights and gradients, in floats.
struct ParameterSlot {
    std::size_t offset = 0;
    std::size_t size = 0;  ///< with the backend's padding; the padding is zero and stays zero
    /// The parts whose gradient can differ from zero, in order, within the slot; empty: all of it. A filter
    /// tap that only ever sees padding (3×3 on a 1×1 map has eight of them) has no gradient on any rank.
    std::vector<FlatRange> live{};
};

/// Flat storage, the same for weights, gradients and optimizer state, in the order in which gradients arrive
/// (last parameter first), so that a bucket is a contiguous range and gradients are computed inside it.
struct ParameterLayout {
    IndexedVector<ParameterId, ParameterSlot> slots;
    std::size_t total = 0;  ///< floats
    /// Names the storage order. Ranks whose fingerprints differ (another CPU, another oneDNN) must not add
    /// their gradients element by element: they compile again with StorageOrder::canonical.
    std::string fingerprint;
};

}  // namespace rankscope::engine
