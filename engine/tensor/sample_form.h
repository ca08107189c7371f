// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::engine {

/// How the samples of a batch are given to the backend.
enum class SampleForm {
    floats,  ///< the network's numbers
    bytes,   ///< cut, scaled and mirrored, but not normalised: a quarter of the size, for a device that does
             ///< the rest with the transform's table
    windows  ///< only where to cut, for a device that keeps the whole set (MemoryImages) in its memory; the
             ///< transform must not scale (Transform::only_moves)
};

}  // namespace rankscope::engine
