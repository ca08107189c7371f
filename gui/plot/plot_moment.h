// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/run_moment.h>

#include <QObject>
#include <optional>

class QKeyEvent;
class QPoint;

namespace rankscope::gui {

class MetricPlot;

/// The moment and the range that are marked on all curves, and which part of the log is asked for from there. Ctrl+← and Ctrl+→ move
/// the mark, Enter asks for the log, Escape removes the mark.
class PlotMoment : public QObject {
    Q_OBJECT

public:
    explicit PlotMoment(MetricPlot* plot);

    const std::optional<RunMoment>& marked() const { return marked_; }
    /// The part of the run that all panes show.
    const TimeSpan& range() const { return range_; }
    void set_range(const TimeSpan& range);
    /// Marks it, and brings it into view.
    void show(const RunMoment& moment);
    /// False: nothing was marked.
    bool clear();
    /// Under a place of the plot; of the curve there, or of the selected rank.
    std::optional<RunMoment> at(const QPoint& place) const;
    /// For keys: what is marked in view, else the middle.
    std::optional<RunMoment> for_keys() const;
    /// The times in view; nothing: all are.
    std::optional<TimeSpan> in_view() const;
    /// Marks it too.
    void ask_log(const RunMoment& moment);
    void ask_range(double lower, double upper);
    bool take_key(const QKeyEvent& event);

signals:
    void changed();
    void logRequested(const rankscope::gui::RunMoment& moment);
    void rangeRequested(const rankscope::gui::TimeSpan& span);

private:
    bool is_in_view(const RunMoment& moment) const;
    int selected_rank() const;
    void move(int by);

    MetricPlot* plot_;
    std::optional<RunMoment> marked_;
    TimeSpan range_;
};

}  // namespace rankscope::gui
