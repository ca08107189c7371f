// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/agent_failure.h>
#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::agent {

/// Ends one process as the user asks: SIGTERM, three seconds, SIGKILL. Only the user's own (else failure
/// "not-own"), never one of a live run ("run-live"), and only the one that was started at that moment: a
/// process that got its number later is left alone. "still-there": not even SIGKILL ends it.
AgentResult<wire::ProcessEnded> end_process(const NodePaths& paths, const wire::EndProcess& request);

}  // namespace rankscope::agent
