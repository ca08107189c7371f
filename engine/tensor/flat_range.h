// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>

namespace rankscope::engine {

/// A range of the flat arrays of weights and gradients, in floats.
struct FlatRange {
    std::size_t offset = 0;
    std::size_t size = 0;
    bool operator==(const FlatRange&) const = default;
};

}  // namespace rankscope::engine
