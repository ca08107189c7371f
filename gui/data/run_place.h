// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/panel_settings.h>
#include <gui/data/run_moment.h>

#include <QVariant>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// What the curves show of a run: where the user has zoomed to.
struct PlotPlace {
    bool following = true;
    double first_step = 0;  ///< in view, unless following
    double last_step = 0;
    std::map<std::string, ValueRange> y;  ///< by metric, of those the user has chosen
    std::optional<RunMoment> marked;
};

/// What the log shows of a run.
struct LogPlace {
    QVariant whose;  ///< the item of the chooser; not valid: all ranks
    bool following = true;
    std::optional<std::uint32_t> line;  ///< that is selected
};

/// Where the user is in a run, for the way back from another one.
struct RunPlace {
    std::vector<int> selected;  ///< ranks
    TimeSpan range;
    PlotPlace plot;
    LogPlace log;
};

}  // namespace rankscope::gui
