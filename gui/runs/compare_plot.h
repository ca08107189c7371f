// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/qcustomplot_include.h>
#include <remote/desk/archive/compare/curve_axis.h>

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

class QMenu;
class QScrollArea;

namespace rankscope::inline archive {
struct RunComparison;
}  // namespace rankscope::inline archive

namespace rankscope::gui {

class PlotFiles;

/// The curves of several runs, one panel for each metric and one colour for each run, over one common axis. Wheel zooms,
/// dragging pans, a double click shows all again; + and − and 0 do the same from the keyboard, Shift+L asks
/// for a logarithmic x axis.
class ComparePlot : public QWidget {
    Q_OBJECT

public:
    explicit ComparePlot(QWidget* parent = nullptr);

    /// `titles`: of the runs.
    void set_comparison(std::shared_ptr<const RunComparison> comparison, const QStringList& titles);
    void set_metrics(const std::vector<std::string>& names);
    void set_axis(CurveAxis axis);
    /// A logarithmic x axis: what is not above 0 has no place there.
    void set_x_log(bool log);
    bool x_log() const { return x_log_; }
    /// Instead of a curve for each run: mean ± deviation of each group of two or more.
    void set_bands(bool bands);
    /// Says in the plot which colour is which run: for pictures, which have no legend beside them.
    void set_legend(bool legend);
    QCustomPlot* plot() const { return plot_; }
    const std::shared_ptr<const RunComparison>& comparison() const { return comparison_; }
    const QStringList& titles() const { return titles_; }
    const std::vector<std::string>& metrics() const { return metrics_; }
    CurveAxis axis() const { return axis_; }
    bool bands() const { return bands_; }
    /// Of all panels; decimal logarithms on a logarithmic axis.
    QCPRange x_range() const;
    void show_x(const QCPRange& range);
    /// As a file, "Export" in the menu.
    PlotFiles* files() const { return files_; }
    /// Curves and bands drawn now.
    int curve_count() const { return plot_->graphCount(); }

signals:
    /// The user has asked for another scale of the x axis.
    void xLogChanged(bool log);

protected:
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Panel {
        std::string metric;
        QCPAxisRect* rect = nullptr;
        QCPTextElement* title = nullptr;
    };
    void rebuild();
    void add_panel(const std::string& metric, int place, int columns);
    void add_legend();
    int columns() const;
    double position(double x) const;
    void add_curve(const Panel& panel, const std::vector<CurvePoint>& points, const QColor& color,
                   const QString& name);
    void add_band(const Panel& panel, const std::vector<const std::vector<CurvePoint>*>& curves,
                  const QColor& color, const QString& name);
    void style(const Panel& panel);
    /// Of the panel's curves and a little more.
    static QCPRange value_range(const Panel& panel);
    void show_all();
    void fit_height();
    void link_axes(QCPAxis* moved, const QCPRange& range);
    void hover(QMouseEvent* event);

    QScrollArea* scroll_;
    QCustomPlot* plot_;
    QCPLayoutGrid* grid_ = nullptr;  ///< of the panels
    PlotFiles* files_;
    std::shared_ptr<const RunComparison> comparison_;
    QStringList titles_;
    std::vector<std::string> metrics_;
    CurveAxis axis_ = CurveAxis::Step;
    bool x_log_ = false;
    bool bands_ = false;
    bool legend_ = false;
    int legend_height_ = 0;
    bool linking_ = false;
    std::vector<Panel> panels_;
};

}  // namespace rankscope::gui
