// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/notify/run_alerts.h>

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What a command that is started for an alert finds in its environment: RANKSCOPE_ALERT (the kind), _TITLE, _TEXT,
/// _RUN, _NAME, _RANK, _STEP.
std::map<std::string, std::string> alert_environment(const Alert& alert, const std::string& run_id,
                                                     const std::string& run_name);
/// The words of a command as a user writes it; quotes as in a shell. Nothing is filled in: what only a shell
/// understands is a failure.
Result<std::vector<std::string>> alert_command_words(const std::string& line);
/// Starts a program for an alert, without a shell, and waits for it at most `limit_ms`, then kills it. Blocks; once
/// `stop` is asked for, it has two more seconds.
Result<void> run_alert_command(const std::vector<std::string>& argv,
                               const std::map<std::string, std::string>& environment, int limit_ms,
                               const std::stop_token& stop = {});

}  // namespace rankscope::inline runs
