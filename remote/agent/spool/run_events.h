// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/stage.h>
#include <remote/agent/spool/spool.h>

#include <string>
#include <vector>

namespace rankscope::agent {

/// A stage, as an event of the run; rank -1: of the node. `progress` negative: not known.
void add_stage(SpoolWriter& spool, int rank, StageName name, StageStatus status, const std::string& detail,
               double progress = -1);

/// Something that users should know; the desk makes the texts (remote/desk/nodes/session/notices.h).
void add_notice(SpoolWriter& spool, int rank, FailureId id, const std::vector<std::string>& args);

}  // namespace rankscope::agent
