// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/launch/run_launcher.h>

#include <functional>
#include <stop_token>
#include <string>

namespace rankscope::inline runs {

using AskAgent = std::function<void(const std::string& node, wire::Request request, double timeout_s,
                                    RunLauncher::OnReply on_reply)>;

/// Asks as RunLauncher::ask() does, and waits for the answer. Not on a thread of the launcher. Failure "cancelled":
/// `stop`.
Result<wire::Reply> ask_and_wait(const AskAgent& ask, const std::string& node, wire::Request request,
                                 double timeout_s, const std::stop_token& stop);

}  // namespace rankscope::inline runs
