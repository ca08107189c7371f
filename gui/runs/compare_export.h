// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/plot_export.h>
#include <remote/desk/archive/compare/curve_axis.h>

#include <QStringList>
#include <vector>

namespace rankscope::inline archive {
struct RunComparison;
}  // namespace rankscope::inline archive

namespace rankscope::gui {

class ComparePlot;

/// What one colour of a comparison stands for: a run, or a group as mean ± spread.
struct CompareLine {
    QString title;
    std::vector<std::size_t> runs;  ///< indices; of one that is no band: one
    bool band = false;
};
std::vector<CompareLine> compare_lines(const RunComparison& comparison, const QStringList& titles,
                                       bool bands);

/// The curves of a metric that the runs of the line have.
std::vector<const std::vector<CurvePoint>*> curves_of(const RunComparison& comparison,
                                                      const CompareLine& line, const std::string& metric);

/// The values that the plot shows: a row for each place of a metric that is in view, a column for each run; of a group
/// its mean and standard deviation.
QString compare_table(const ComparePlot& plot);
/// Writes what the plot shows now, with a legend. Empty: done; else what went wrong.
QString export_compare(const ComparePlot& plot, PlotFormat format, const QString& path);

}  // namespace rankscope::gui
