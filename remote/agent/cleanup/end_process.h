// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <optional>

namespace rankscope::agent {

/// Ends one process as the person asks: SIGTERM, three seconds, SIGKILL. Only the user's own (else failure
/// "not-own"), never one of a run that goes on ("run-live"), and only the one that was started at that
/// moment: a process that has got its number since is left alone. "still-there": not even SIGKILL ends it.
std::optional<wire::Failure> end_process(const NodePaths& paths, const wire::EndProcess& request,
                                         wire::ProcessEnded& ended);

}  // namespace rankscope::agent
