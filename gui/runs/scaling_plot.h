// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/qcustomplot_include.h>
#include <remote/desk/scaling/scaling_point.h>

#include <QWidget>

namespace rankscope::gui {

/// Speed-up beside the ideal line, and where the time of a step goes, by the number of ranks.
class ScalingPlot : public QWidget {
    Q_OBJECT

public:
    explicit ScalingPlot(QWidget* parent = nullptr);
    void set_points(const std::vector<ScalingPoint>& points);

protected:
    void changeEvent(QEvent* event) override;

private:
    void rebuild();
    void add_speedup();
    void add_shares();
    void style(QCPAxisRect* rect, const QString& x, const QString& y);
    QCPAxisRect* add_rect(const QString& title, int column);

    QCustomPlot* plot_;
    std::vector<ScalingPoint> points_;
};

}  // namespace rankscope::gui
