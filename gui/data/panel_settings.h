// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/metric_format.h>

#include <optional>
#include <string>

namespace rankscope::gui {

struct ValueRange {
    double lower = 0;
    double upper = 1;
    bool operator==(const ValueRange&) const = default;
};

/// What the user chose for one panel.
struct PanelSettings {
    bool heat = false;  ///< ranks × steps in place of curves, where there are ranks to compare
    bool log = false;   ///< logarithmic values
    std::optional<double> smoothing = {};  ///< nothing: as all panels
    std::optional<ValueRange> y = {};      ///< nothing: fits what is drawn
    std::string title = {};                ///< of a formula; empty: the formula itself
    MetricUnit unit = MetricUnit::Number;  ///< of a formula

    bool operator==(const PanelSettings&) const = default;
};

}  // namespace rankscope::gui
