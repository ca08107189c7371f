// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_model.h>
#include <gui/data/panel_sections.h>
#include <gui/data/run_place.h>
#include <gui/plot/metric_panel.h>
#include <gui/plot/qcustomplot_include.h>

#include <QThreadPool>
#include <QWidget>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QScrollArea;

namespace rankscope::gui {

class LinesOffer;
class PlotHand;
class PlotMoment;
class PlotSections;

/// The chosen metrics over one common x axis, a panel each. Dragging zooms into a rectangle, the wheel zooms, with
/// Shift dragging pans, a double click shows all again and follows; + − ← → 0 do the same from the keyboard, ↑ ↓
/// choose a panel, H and L switch its heat map and log scale, Shift+L that of the
/// x axis. Panels stand in sections, which can be folded.
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
    double smoothing() const { return smoothing_; }
    void set_x_unit(XUnit unit);
    XUnit x_unit() const { return x_unit_; }
    /// A logarithmic x axis, where the unit can have one.
    void set_x_log(bool log);
    bool x_log() const { return x_log_; }
    void set_following(bool follow);
    bool following() const { return follow_; }
    PanelSettings settings(const std::string& name) const;
    void set_settings(const std::string& name, const PanelSettings& settings);
    /// Of all panels at once, without a signal.
    void set_all_settings(std::map<std::string, PanelSettings> settings);
    const std::map<std::string, PanelSettings>& all_settings() const { return settings_; }
    void set_sections(const PanelSections& sections);
    PlotSections* sections() const { return sections_; }
    /// Draws the formulas that another plot of the same run has computed.
    void share_formulas(const MetricPlot& other) { formulas_ = other.formulas_; }
    /// New samples, or another run.
    void refresh();
    /// Any panel draws a band now.
    bool draws_band() const;
    /// The range of the x axis now.
    QCPRange x_range() const;
    const XScale& scale() const { return scale_; }
    LiveModel* live() const { return live_; }
    QCustomPlot* plot() const { return plot_; }
    PlotMoment* moment() const { return moment_; }
    const std::vector<std::unique_ptr<MetricPanel>>& panels() const { return panels_; }
    /// The panel with its title under a place of plot(); null: none.
    MetricPanel* panel_at(const QPoint& place) const;
    /// What is written instead of panels; empty when there are some.
    QString message() const;
    /// Shown where the program prints lines that no reader knows.
    LinesOffer* offer() const { return offer_; }

    /// Values of the x axis; from the user: stops following.
    void show_x(double lower, double upper);
    void zoom_x(double factor, double center);
    void zoom_y(MetricPanel* panel, double factor, double center);
    void pan(double share);
    /// Where the user is, and back there.
    PlotPlace place() const;
    void return_to(const PlotPlace& place);
    /// Moves a panel beside another one, into the section of that one.
    void move_panel(const std::string& name, const std::string& other, bool behind);
    /// Pictures that are made once wait for no worker.
    void set_at_once(bool on);
    bool at_once() const { return at_once_; }

signals:
    void followingChanged(bool follow);
    /// The user has asked for another scale of the x axis.
    void xLogChanged(bool log);
    void rankClicked(int rank);
    void settingsChanged(const std::string& name);
    /// The user has folded a section, moved a panel to one, or changed their names.
    void sectionsChanged();
    /// The user has put the panels into this order.
    void arranged(const std::vector<std::string>& names);
    /// `moment`: of the place, for the log.
    void menuRequested(const std::string& name, const QPoint& global,
                       const std::optional<rankscope::gui::RunMoment>& moment);

protected:
    void changeEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    friend class PlotHand;
    friend class PlotMoment;

    std::vector<std::string> reported_metrics() const;
    int columns_for(std::size_t panels) const;
    std::vector<int> columns_for(const std::vector<PanelSection>& sections) const;
    void update_panels();
    void make_panels(const std::vector<PanelSection>& sections, const std::vector<int>& columns);
    void connect_panel(MetricPanel& panel);
    std::shared_ptr<FormulaSeries> formula_for(const std::string& name);
    void forget_formulas();
    void style_panels();
    void update_message();
    void place_message();
    void set_x_axis(XUnit unit, bool log);
    void update_x();
    /// Positions that are as far apart as so many steps there.
    double length_of(double steps, double position) const;
    void set_x(double lower, double upper);
    void set_current(const MetricPanel* panel);
    void step_current(int by);
    bool change_current(int key);
    void show_cursor(double x, bool visible);
    void open_menu(const QPoint& place);
    void hover(const QPoint& place, const QPoint& global);
    void redraw();
    void redraw(MetricPanel* panel);

    QThreadPool pool_;          ///< counts and paints; ends before the panels' data
    QThreadPool formula_pool_;  ///< computes for seconds: pictures do not wait for it
    LiveModel* live_ = nullptr;
    QScrollArea* scroll_;
    QCustomPlot* plot_;
    QLabel* message_;
    LinesOffer* offer_;
    PlotHand* hand_;
    PlotMoment* moment_;
    PlotSections* sections_;
    std::vector<std::string> wanted_;
    std::vector<PanelSection> shown_;  ///< the panels that there are, and those that are folded
    std::vector<int> columns_;         ///< by section
    std::map<std::string, std::shared_ptr<FormulaSeries>>
        formulas_;  ///< kept while their panels are made again
    std::vector<std::unique_ptr<MetricPanel>> panels_;
    std::map<std::string, PanelSettings> settings_;  ///< by metric
    std::string current_;                            ///< the panel that keys are for
    QCPRange x_range_{0, 1};
    XScale scale_;
    XUnit x_unit_ = XUnit::Step;
    bool x_log_ = false;
    std::vector<int> selected_;
    bool follow_ = true;
    bool at_once_ = false;
    double smoothing_ = 0;
    std::uint64_t rewinds_ = 0;
};

}  // namespace rankscope::gui
