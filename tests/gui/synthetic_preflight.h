// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/preflight.h>

#include <string>
#include <vector>

/// Synthetic preflight reports: for tests and for looking at the window.
namespace rankscope::gui::testing {

struct SyntheticPreflight {
    std::size_t nodes = 4;
    bool faults =
        false;  ///< a blocked port on node2, a slow path, a small /dev/shm, a node that does not answer, …
    bool long_names = false;  ///< of 63 characters each, which differ at the end
};

PreflightReport synthetic_preflight(const SyntheticPreflight& preflight);

}  // namespace rankscope::gui::testing
