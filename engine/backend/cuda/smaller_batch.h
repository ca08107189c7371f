// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::engine::cuda {

/// The remedy in messages about GPU memory that a batch needs.
inline constexpr const char* kSmallerBatch =
    "A smaller batch_size needs less (with accumulate_steps the effective batch stays the same).";

}  // namespace rankscope::engine::cuda
