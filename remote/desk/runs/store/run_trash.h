// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_store.h>

#include <string>
#include <vector>

namespace rankscope::inline runs {

/// Deleted runs stay in the trash for so long.
inline constexpr int kTrashDays = 7;

/// Moves runs to the trash: all or none. Refused, by name, for one that is running, deleted or not there.
Result<void> delete_runs(RunStore& store, const std::vector<std::string>& run_ids, std::int64_t now_us);

/// Removes for good what was deleted more than kTrashDays ago.
Result<void> remove_expired(RunStore& store, std::int64_t now_us);

}  // namespace rankscope::inline runs
