// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/launch/run_launcher.h>

#include <memory>
#include <mutex>
#include <string>

namespace rankscope::inline runs {

/// Asks a node through a launcher that `mutex` guards; null: the node is not connected. A reply that is known at once
/// comes on this thread as well, but when the mutex is free again: who gets it may ask again.
void ask_launcher(std::mutex& mutex, const std::unique_ptr<RunLauncher>& launcher, const std::string& node,
                  wire::Request request, double timeout_s, RunLauncher::OnReply on_reply);

}  // namespace rankscope::inline runs
