// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <gui/plot/metric_panel.h>
#include <gui/plot/qcustomplot_include.h>

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

class QLabel;
class QScrollArea;

namespace rankscope::gui {

/// The chosen metrics over one common step axis, a panel each. Wheel zooms, dragging pans, a double click
/// shows all again and follows; + − ← → 0 do the same from the keyboard.
class MetricPlot : public QWidget {
    Q_OBJECT

public:
    explicit MetricPlot(QWidget* parent = nullptr);
    ~MetricPlot() override;

    void set_live(LiveModel* live);
    /// Which metrics to show, in this order. Those that the run does not report take no room until it does.
    void set_metrics(const std::vector<std::string>& names);
    /// The metrics that have a panel now.
    std::vector<std::string> shown_metrics() const;
    /// Ranks to show by themselves; empty: all alike.
    void set_selected_ranks(const std::vector<int>& ranks);
    void set_smoothing(double alpha);
    void set_following(bool follow);
    bool following() const { return follow_; }
    /// New samples, or another run.
    void refresh();
    bool draws_band() const;
    /// The range of steps shown now.
    QCPRange x_range() const;
    QCustomPlot* plot() const { return plot_; }
    const std::vector<std::unique_ptr<MetricPanel>>& panels() const { return panels_; }
    /// What is written instead of panels; empty when there are some.
    QString message() const;

signals:
    void followingChanged(bool follow);

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    std::vector<MetricId> reported_metrics() const;
    int columns_for(std::size_t panels) const;
    void update_panels();
    void make_panels(const std::vector<MetricId>& metrics, int columns);
    void style_panels();
    void update_message();
    void update_x();
    void set_x(double lower, double upper);
    void user_moved_x(const QCPRange& range);
    void zoom(double factor, double center);
    void pan(double share);
    void hover(QMouseEvent* event);

    LiveModel* live_ = nullptr;
    QScrollArea* scroll_;
    QCustomPlot* plot_;
    QLabel* message_;
    std::vector<std::string> wanted_;
    std::vector<MetricId> metrics_;  ///< of the panels
    std::vector<std::unique_ptr<MetricPanel>> panels_;
    int columns_ = 0;
    QCPRange x_range_{0, 1};
    std::vector<int> selected_;
    bool follow_ = true;
    bool setting_range_ = false;
    double smoothing_ = 0;
    std::uint64_t rewinds_ = 0;
};

}  // namespace rankscope::gui
