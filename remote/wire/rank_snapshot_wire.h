// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/rank_snapshot.h>

#include <vector>

namespace rankscope {

namespace wire {
class RankInspections;
}

/// The ranks of a node's answer to InspectRanks. `unseen` of the answer as a whole is added to none of them.
std::vector<RankSnapshot> rank_snapshots_from(const wire::RankInspections& inspections);

}  // namespace rankscope
