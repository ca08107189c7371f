// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::engine {

/// Largest resident memory so far in MiB. From /proc: getrusage() keeps what the process was before exec.
double peak_rss_mb();

}  // namespace rankscope::engine
