// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/qcustomplot_include.h>
#include <remote/desk/archive/scaling/scaling_point.h>

#include <QWidget>
#include <string>
#include <vector>

namespace rankscope::gui {

class PlotFiles;

/// Speed-up and efficiency beside the ideal lines, and where the time of a step goes, by the number of ranks.
class ScalingPlot : public QWidget {
    Q_OBJECT

public:
    explicit ScalingPlot(QWidget* parent = nullptr);
    /// `unit`: of the throughput, a metric's name.
    void set_points(const std::vector<ScalingPoint>& points, const std::string& unit);
    QCustomPlot* plot() const { return plot_; }
    /// As a file, "Export" in the menu.
    PlotFiles* files() const { return files_; }
    /// CSV: a row for each size.
    QString table() const;

protected:
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    void rebuild();
    void add_speedup();
    void add_efficiency();
    void add_line(QCPAxisRect* rect, const QVector<double>& ideal, double ScalingPoint::*value);
    void add_shares();
    QCPAxisRect* add_rect(const QString& title, int column, const QString& y = {});

    QCustomPlot* plot_;
    PlotFiles* files_;
    std::vector<ScalingPoint> points_;
    std::string unit_;
};

}  // namespace rankscope::gui
