// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/own_program.h>

#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// Puts --local-rank={local_rank} (or with '_') where torch.distributed.launch puts it: right behind the
/// script or `-m MODULE`, so that a script which takes all that follows its own options still sees it; at the
/// end where the command names neither. The plan fills the number in (plan/placeholders.h).
void add_local_rank(std::vector<std::string>& command, LocalRankArgument argument);

}  // namespace rankscope::inline jobs
