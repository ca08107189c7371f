// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/models/clock_text.h>
#include <gui/texts.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kInStepS = 1e-3;  ///< nothing here is more precise

struct Words {
    Q_DECLARE_TR_FUNCTIONS(ClockText)
};

}  // namespace

QString clock_text(const NodeFacts& facts) {
    const double error_s = facts.round_trip_s / 2;
    return std::abs(facts.clock_offset_s) <= std::max(error_s, kInStepS)
               ? Words::tr("in step")
               : Words::tr("%1 ± %2").arg(short_time_text(facts.clock_offset_s, true),
                                          short_time_text(error_s));
}

}  // namespace rankscope::gui
