// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/totals.h>
#include <engine/comm/process_group.h>

#include <span>

namespace rankscope::engine {

/// Replaces every value by the sum over the ranks, with one collective. A null group is a world of one.
void sum_over_ranks(ProcessGroup* group, std::span<double> values);

/// Several totals, each over all ranks, with one collective.
void sum_over_ranks(ProcessGroup* group, std::span<Totals> totals);

}  // namespace rankscope::engine
