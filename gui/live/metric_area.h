// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <gui/data/metric_choice.h>
#include <gui/data/run_moment.h>
#include <gui/data/run_place.h>

#include <QFrame>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QSlider;
class QToolButton;

namespace rankscope::gui {

class ComboBox;
class LegendStrip;
class MetricChooser;
class MetricPlot;
class PanelMenu;

/// The curves of a run with what is chosen about them: which metrics, in which order, over what, how smooth. Choices
/// are kept by the name of the job.
class MetricArea : public QFrame {
    Q_OBJECT

public:
    explicit MetricArea(QWidget* parent = nullptr);

    void set_live(LiveModel* live);
    /// New values; the first ones bring the first curves.
    void refresh();
    /// New names, or another choice. Emits metricsShown().
    void refresh_choice();
    /// Marks the moment of a log line on all curves.
    void show_moment(std::int64_t t_us, int rank);
    /// Where the user is, and back there.
    PlotPlace place() const;
    void return_to(const PlotPlace& place);
    /// The part of the run that all panes show: the rest fades.
    void set_range(const TimeSpan& range);
    void set_selected_ranks(const std::vector<int>& ranks);
    MetricPlot* plot() const { return plot_; }
    MetricChooser* chooser() const { return chooser_; }

signals:
    /// The metrics that are wanted, for other views of the same run.
    void metricsShown(const std::vector<std::string>& names);
    void rankClicked(int rank);
    void logRequested(const rankscope::gui::RunMoment& moment);
    void logRangeRequested(const rankscope::gui::TimeSpan& span);

private:
    void make_bar();
    void connect_parts();
    void read_lines(const std::string& pattern);
    void read_lines_as_before();
    void ask_lines();
    void ask_formula(const std::string& changed);
    void remove_panel(const std::string& name);
    void choose(std::optional<std::vector<std::string>> names);
    void update_legend();
    void update_units();
    void update_steps_note();
    void set_x_log(bool log);

    LiveModel* live_ = nullptr;
    MetricChoice choice_;
    std::vector<int> selected_;
    LegendStrip* legend_;
    MetricChooser* chooser_;
    ComboBox* unit_;
    QToolButton* log_;  ///< of the x axis
    QSlider* smoothing_;
    QToolButton* follow_;
    MetricPlot* plot_;
    PanelMenu* menu_;
    QLabel* steps_;   ///< where steps stand that began again
    QLabel* notice_;  ///< what became of an export
};

}  // namespace rankscope::gui
