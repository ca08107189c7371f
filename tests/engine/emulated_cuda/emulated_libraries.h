// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace emulated {

/// What the libraries' kernels can do differs from shape to shape and from version to version.
struct LibraryBehaviour {
    bool finishes = true;                 ///< bias and ReLU are part of the kernel
    bool float_weight_gradients = false;  ///< weight gradients come as floats where images do not
};
LibraryBehaviour& library_behaviour();

}  // namespace emulated
