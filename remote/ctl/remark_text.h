// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/read/sources.h>

namespace rankscope::ctl {

/// What was not read of logs, or not as it is, on standard error: a line each.
void print_remarks(const logs::SourceList& read);

}  // namespace rankscope::ctl
