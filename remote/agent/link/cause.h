// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/frames.pb.h>

#include <string>

namespace rankscope::agent {

/// "rank 1 on node2 was killed by signal 9", for stop causes and the end of a node.
std::string describe(const wire::Cause& cause);
/// A rank that ended because others did not answer: the rank or node that it waited for is the cause, once it is known.
bool is_consequence(const wire::Cause& cause);
/// Names a rank whose process is stopped for `since_s` seconds.
wire::Cause rank_stopped_cause(const wire::PeerRankState& state, double since_s);

}  // namespace rankscope::agent
