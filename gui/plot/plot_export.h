// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QString>
#include <string>

class QCustomPlot;

namespace rankscope::gui {

class MetricPanel;
class MetricPlot;

enum class PlotFormat { Png, Svg, Pdf, Csv };

/// "png": the end of a file's name.
QString plot_suffix(PlotFormat format);

/// The values that a panel shows, with the steps in view: a row for a step and a column for each line; of a band the
/// median, quantiles and extremes of each bucket of steps; of a heat map every rank. RFC 4180 (csv_cell), or with tabs for the
/// clipboard, where names that a spreadsheet would take for a formula get a space before.
QString panel_table(const MetricPlot& plot, const MetricPanel& panel, QChar separator);

/// A text as a field of a table with commas: csv_cell().
QString csv_field(const QString& text);
/// Shortest text that reads back as the same number; empty where it is not finite.
QString csv_number(double value);

/// Writes any plot in its size, or a table of its values. Empty: done; else what went wrong.
QString export_picture(QCustomPlot& picture, PlotFormat format, const QString& path);
QString export_table(const QString& table, const QString& path);

/// Writes one panel, or all for an empty name, as it is looked at now. Empty: done; else what went wrong.
QString export_plot(const MetricPlot& plot, const std::string& panel, PlotFormat format, const QString& path);

}  // namespace rankscope::gui
