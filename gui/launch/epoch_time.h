// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/store/run_store.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// What a run that ended well took.
struct EpochTime {
    double seconds = 0;  ///< of the whole run, its start included
    std::int64_t epochs = 0;
};

/// Of the newest run of `runs` (newest first) with the job's name, batch size, model and set on the same nodes; nothing:
/// there is none.
std::optional<EpochTime> last_epoch_time(const std::vector<RunRecord>& runs, const Job& job,
                                         const std::vector<std::string>& nodes);

}  // namespace rankscope::gui
