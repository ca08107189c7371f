// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/metric_format.h>
#include <gui/plot/series_plottables.h>
#include <gui/style/theme.h>

#include <QFont>
#include <string>
#include <vector>

namespace rankscope::gui {

/// Up to this many ranks have a curve each; more are drawn as one band, plus the selected ranks.
inline constexpr int kMaxCurves = 32;

/// The axes and the curves of one metric. Lives inside a QCustomPlot, which owns the parts; the panel removes
/// them from it when it goes.
class MetricPanel {
public:
    MetricPanel(QCustomPlot* plot, const LiveModel* live, MetricId metric, int row, int column);
    ~MetricPanel();
    MetricPanel(const MetricPanel&) = delete;
    MetricPanel& operator=(const MetricPanel&) = delete;

    struct Look {
        ThemeColors colors;
        QFont font;
        double smoothing = 0;
        std::vector<int> selected;  ///< ranks; empty: all alike
    };
    /// Colours, fonts, smoothing and which ranks stand out.
    void set_look(const Look& look);
    /// New values: curves for new ranks, validation, range and note.
    void refresh();
    /// The y axis for the steps that x shows now, and the note when there is nothing to see.
    void update_y();
    /// The dashed line at a step.
    void set_cursor(double step, bool visible);
    void clear_cache() { band_->clear_cache(); }

    const std::string& name() const { return name_; }
    QCPAxis* x() const { return x_; }
    QCPAxis* y() const { return y_; }
    QCPAxisRect* rect() const { return rect_; }
    QString title() const { return title_->text(); }
    /// What stands in place of the curves; empty when there are some.
    QString note() const { return note_->visible() ? note_->text() : QString(); }
    bool draws_band() const { return banded_; }
    /// One line for each value at this step; empty: none.
    QStringList values_at(double step) const;

private:
    std::vector<int> ranks_to_draw(const std::vector<int>& reporting) const;
    void style_lines();
    void update_lines();
    void update_validation();
    void update_note(bool nothing, double x0, double x1);

    QCustomPlot* plot_;
    const LiveModel* live_;
    MetricId metric_;
    std::string name_;
    MetricUnit unit_;
    Look look_;
    bool banded_ = false;
    QCPTextElement* title_;
    QCPAxisRect* rect_;
    QCPAxis* x_;
    QCPAxis* y_;
    BandPlottable* band_;
    QCPGraph* validation_ = nullptr;  ///< of loss and accuracy only
    QCPItemStraightLine* cursor_;
    QCPItemText* note_;
    std::vector<SeriesPlottable*> lines_;
};

}  // namespace rankscope::gui
