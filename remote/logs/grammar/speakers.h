// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/grammar/log_line.h>

namespace rankscope::logs {

/// Who prints a message whose prefixes do not say it, and its level.
void find_speaker(LogLine& line);

}  // namespace rankscope::logs
