// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

namespace rankscope::agent {

/// The runs this node has folders of, with state and processes, and those that another Rankscope of this user runs here
/// now.
wire::RunList list_runs(const NodePaths& paths);

/// Removes folders of finished runs (one, or all), ends processes of runs whose supervisor is gone, and with
/// `caches` removes pushed bundles that no run uses. A live run is never touched, whichever Rankscope of this user runs it:
/// neither its folder nor its processes, and no shared memory that may be its own. What is kept for one is in `kept`.
wire::Cleaned clean(const NodePaths& paths, const wire::Clean& request);

}  // namespace rankscope::agent
