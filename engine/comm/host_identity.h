// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>

namespace rankscope::engine {

/// Processes with the same text may share memory: the same start of the same machine, the same user, and the
/// same PID and network namespace (two containers of one machine count as two hosts, as their ranks cannot
/// find one another in /proc).
std::string host_identity();

}  // namespace rankscope::engine
