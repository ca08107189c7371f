// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <gui/plot/qcustomplot_include.h>
#include <gui/plot/series_plottables.h>

#include <QWidget>
#include <array>
#include <optional>
#include <vector>

class QLabel;

namespace rankscope::gui {

/// Up to this many ranks have a curve each; more are drawn as one band, plus the selected ranks.
inline constexpr int kMaxCurves = 32;

/// Loss, accuracy and throughput over one common step axis. Wheel zooms, dragging pans, a double click shows
/// all again and follows; + − ← → 0 do the same from the keyboard.
class MetricPlot : public QWidget {
    Q_OBJECT

public:
    explicit MetricPlot(QWidget* parent = nullptr);
    ~MetricPlot() override;

    void set_live(LiveModel* live);
    /// Ranks to show by themselves; empty: all alike.
    void set_selected_ranks(const std::vector<int>& ranks);
    void set_smoothing(double alpha);
    void set_following(bool follow);
    bool following() const { return follow_; }
    /// New samples, or another run.
    void refresh();
    bool draws_band() const { return band_mode_; }
    /// The range of steps shown now.
    QCPRange x_range() const;
    QCustomPlot* plot() const { return plot_; }

signals:
    void followingChanged(bool follow);

protected:
    void changeEvent(QEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Panel {
        Metric metric = Metric::Loss;
        QCPAxisRect* rect = nullptr;
        QCPAxis* x = nullptr;
        QCPAxis* y = nullptr;
        QCPTextElement* title = nullptr;
        BandPlottable* band = nullptr;
        QCPGraph* validation = nullptr;
        QCPItemStraightLine* cursor = nullptr;
        QCPItemText* absent = nullptr;  ///< instead of curves that this program does not report
        std::vector<SeriesPlottable*> lines;
    };

    void make_panels();
    void style_panels();
    void style_lines();
    void rebuild_lines();
    std::vector<int> ranks_to_draw() const;
    void show_nothing(bool nothing);
    void update_x();
    void update_y(Panel& panel);
    void update_absent(Panel& panel, bool nothing);
    void update_validation();
    void set_x(double lower, double upper);
    void user_moved_x(const QCPRange& range);
    void zoom(double factor, double center);
    void pan(double share);
    void hover(QMouseEvent* event);
    QString hover_text(const Panel& panel, double step) const;
    QString value_text(Metric metric, double value) const;

    LiveModel* live_ = nullptr;
    QCustomPlot* plot_;
    QLabel* empty_;
    std::array<Panel, kMetricCount> panels_;
    std::vector<int> selected_;
    bool follow_ = true;
    bool band_mode_ = false;
    bool setting_range_ = false;
    double smoothing_ = 0;
    std::uint64_t went_back_ = 0;
    int known_ranks_ = -1;
};

}  // namespace rankscope::gui
