// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope {

/// A connection that could not be made, as the kernel reports it.
struct FailedDial {
    std::string address;  ///< numeric, or a name
    int port = 0;
    int error = 0;  ///< errno: ECONNREFUSED, EHOSTUNREACH, ETIMEDOUT, …

    bool operator==(const FailedDial&) const = default;
};

}  // namespace rankscope
