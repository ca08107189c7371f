// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/run_mesh.h>
#include <remote/desk/runs/run/run_state.h>

#include <string>

namespace rankscope::inline runs {

/// "memory: weights 30.1 MiB (planned 30.1 MiB), gradients …": what a rank of the native engine has reported last, next to
/// the plan of its stage. Empty: it has reported nothing.
std::string rank_memory_text(const RunState& run, const RankState& rank, const RunMesh& mesh);

}  // namespace rankscope::inline runs
