// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>

#include <optional>
#include <string>

namespace rankscope::inline nodes {

/// What to say of a node whose clock differs from this computer's by a minute or more (seconds, node's minus
/// ours): times of events are corrected, those of files, logs and certificates are not.
std::optional<Failure> clock_off(const std::string& node, double offset_s);

}  // namespace rankscope::inline nodes
