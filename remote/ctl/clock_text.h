// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/story/host_clocks.h>

#include <cstdio>
#include <vector>

namespace rankscope::ctl {

/// Which clocks of hosts are corrected, and by how much: a line each.
void print_clocks(const std::vector<logs::HostClock>& clocks, std::FILE* to);

}  // namespace rankscope::ctl
