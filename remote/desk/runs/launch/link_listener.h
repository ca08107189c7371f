// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/wake_fd.h>
#include <remote/desk/nodes/session/agent_link.h>

#include <functional>

namespace rankscope::inline runs {

struct LinkListener {
    std::function<bool()> wanted;                     ///< false: enough was heard
    std::function<void()> before_wait;                ///< sends what is to be said to the agent
    std::function<void(const wire::Reply&)> unasked;  ///< takes what the agent says by itself
    std::function<void()> heard;                      ///< a sign of life
    std::function<void()> silent;                     ///< no sign of life for 7 s; called once per silence
};

/// Listens to an agent until enough was heard, the link is dead, or 15 s of silence show that it is dead
/// though TCP has not noticed: the agent is asked for a sign of life every five seconds. `wake` ends a wait.
/// Returns how long the link lasted, in seconds.
double listen_to(AgentLink& link, const WakeFd& wake, const LinkListener& listener);

}  // namespace rankscope::inline runs
