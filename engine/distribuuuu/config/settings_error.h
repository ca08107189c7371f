// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <stdexcept>

namespace rankscope::distribuuuu {

/// A configuration that cannot be read or trained: names file, line or key and what would be right.
class SettingsError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

}  // namespace rankscope::distribuuuu
