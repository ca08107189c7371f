// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>

namespace rankscope::agent {

/// The desk's counterpart: greets, then answers wire::Request frames on stdin with wire::Reply frames on
/// stdout, and streams the spools of attached runs, until stdin ends. Runs never depend on it. Returns the
/// exit status.
int serve(const NodePaths& paths);

}  // namespace rankscope::agent
