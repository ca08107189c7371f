// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <vector>

namespace emulated {

/// What the libraries' kernels can do differs from shape to shape and from version to version.
struct LibraryBehaviour {
    bool finishes = true;  ///< bias and ReLU are part of the kernel
};
LibraryBehaviour& library_behaviour();

/// What was requested of the library of convolutions.
struct MadeKernel {
    std::int64_t batch = 0;
    bool measured = false;
};
std::vector<MadeKernel>& made_kernels();

}  // namespace emulated
