// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/verdict.h>

namespace rankscope {

/// Verdict::reason of a verdict that the logs of the ranks show, and nothing else.
inline constexpr const char* kFromLogs = "logs";

inline bool is_from_logs(const Verdict& verdict) {
    return verdict.reason == kFromLogs;
}

}  // namespace rankscope
