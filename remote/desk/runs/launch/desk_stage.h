// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/wire/event.h>

#include <string>

namespace rankscope::inline runs {

/// A stage event of the desk (node empty, rank -1), without number and time.
inline Event desk_stage(StageName name, StageStatus status, const std::string& detail = {},
                        double progress = -1) {
    Event event;
    event.body = StageEvent{name, status, detail, progress};
    return event;
}

}  // namespace rankscope::inline runs
