// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <stop_token>

namespace rankscope::agent {

/// The requests that look at this node, or get what a run needs there. They wait for other nodes, programs or files: not on
/// the thread that serves a desk. false: none of them, the reply is untouched.
bool answer_look(const NodePaths& paths, const wire::Request& request, const std::stop_token& stop,
                 wire::Reply& reply);
bool is_look(const wire::Request& request);

}  // namespace rankscope::agent
