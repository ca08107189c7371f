// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <map>
#include <string>

namespace rankscope::inline archive {

/// The keys of a job file with dots between the levels ("train.optimizer.lr") and their values as texts, secrets
/// masked; lists in one text. At most kMostJobValues, long values shortened. Text that is no YAML, or exceeds its limits,
/// has one value, under kUnreadableJob: why.
std::map<std::string, std::string> job_values(const std::string& job_yaml, const std::string& name);
inline constexpr std::size_t kMostJobValues = 400;
inline constexpr const char* kUnreadableJob = "unreadable";

}  // namespace rankscope::inline archive
