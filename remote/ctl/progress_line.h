// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/ctl/options.h>

#include <cstdint>
#include <functional>

namespace rankscope::ctl {

/// Shows "42 %" on standard error while a long command works; empty where it is no terminal, and for --json.
std::function<void(std::uint64_t done, std::uint64_t total)> progress_line(const GlobalOptions& options);
/// Removes it.
void end_progress_line(const GlobalOptions& options);

}  // namespace rankscope::ctl
