// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/rank_inspection.h>

namespace rankscope::agent {

wire::RankInspections inspect_ranks(const NodePaths&, const wire::InspectRanks&, const std::stop_token&) {
    return {};
}

}  // namespace rankscope::agent
