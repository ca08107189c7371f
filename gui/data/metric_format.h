// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <string>

namespace rankscope::gui {

/// What a metric's numbers are, as far as its name says.
enum class MetricUnit {
    Number,        ///< anything: four to six digits
    Share,         ///< 0…1, written as percent
    Milliseconds,  ///< t_step_ms and every other name that ends in _ms
    Rate,          ///< per second: whole numbers, the axis begins at 0
};
MetricUnit metric_unit(const std::string& name);

/// "Learning rate" for lr; a name that Rankscope does not know stays as it is.
QString metric_title(const std::string& name);
/// Short, for a table's header: "Acc.", "Images/s"; else as metric_title().
QString metric_header(const std::string& name);
/// One value: "98.4 %", "12.3 ms", "1e-4", "1 450"; "NaN", "∞", "-∞".
QString metric_value_text(const std::string& name, double value);
QString metric_value_text(MetricUnit unit, double value);
/// As short as fits an axis: 1500 → "1500", 25000 → "25k", 0.00025 → "2.5e-4".
QString short_number_text(double value);
QString axis_text(MetricUnit unit, double value, int most_percent_digits = 1);
/// Decimals that every label of a percent axis has whose ticks are this far apart: 2 for 0.0005 (0.05 %).
int percent_digits(double tick_step);
/// "12.50 %" with exactly so many decimals.
QString percent_axis_text(double value, int digits);

/// One of the metrics that Rankscope or the native engine names; false: named by the user.
bool is_known_metric(const std::string& name);

}  // namespace rankscope::gui
