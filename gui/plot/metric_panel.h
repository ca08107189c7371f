// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/formula_series.h>
#include <gui/data/live_model.h>
#include <gui/data/metric_format.h>
#include <gui/data/panel_settings.h>
#include <gui/plot/chip_row.h>
#include <gui/plot/cursor_line.h>
#include <gui/plot/curve_picture.h>
#include <gui/plot/heat_map.h>
#include <gui/plot/mark_lines.h>
#include <gui/plot/moment_line.h>
#include <gui/plot/series_plottables.h>
#include <gui/style/theme.h>

#include <QFont>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::gui {

/// Up to this many ranks have a curve each; more are drawn as one band, plus outliers and the selected ranks.
inline constexpr int kMaxCurves = 16;

/// The axes and the curves of one metric. Lives inside a QCustomPlot, which owns the parts; the panel removes
/// them from it when it goes.
class MetricPanel {
public:
    /// What a panel draws into and from.
    struct Place {
        QCustomPlot* plot = nullptr;
        const LiveModel* live = nullptr;
        const XScale* scale = nullptr;
        QThreadPool* pool = nullptr;
        const std::optional<RunMoment>* moment = nullptr;  ///< what is marked
        const TimeSpan* range = nullptr;                   ///< what all panes show
        std::shared_ptr<FormulaSeries> formula;            ///< null: a metric that the run reports
        QCPLayoutGrid* grid = nullptr;
        int row = 0;
        int column = 0;
    };
    /// The name of a metric, or a formula (kFormulaSign).
    MetricPanel(const Place& place, const std::string& name);
    ~MetricPanel();
    MetricPanel(const MetricPanel&) = delete;
    MetricPanel& operator=(const MetricPanel&) = delete;

    struct Look {
        ThemeColors colors;
        QFont font;
        double smoothing = 0;
        std::vector<int> selected;  ///< ranks; empty: all alike
        bool current = false;       ///< the one that keys are for
    };
    /// Colours, fonts, smoothing and which ranks stand out.
    void set_look(const Look& look);
    void set_settings(const PanelSettings& settings);
    const PanelSettings& settings() const { return settings_; }
    /// New values: curves for new ranks, validation, range and note.
    void refresh();
    /// The y axis for the steps that x shows now, and the note when there is nothing to see.
    void update_y();
    /// A worker has computed more of the formula: note alone.
    void update_progress();
    /// The cross-hair at a place on the x axis, with the values there.
    void set_cursor(double x, bool visible);
    const CursorLine& cursor() const { return *cursor_; }
    void clear_cache() { view_.clear(); }
    void set_at_once(bool on);
    /// Workers count or paint what is missing: an earlier picture is seen.
    bool busy() const { return view_.counting() || picture_->painting() || heat_->painting() || computing(); }

    const std::string& name() const { return name_; }
    QCPAxis* x() const { return x_; }
    QCPAxis* y() const { return y_; }
    QCPAxisRect* rect() const { return rect_; }
    QRect title_rect() const { return title_->outerRect(); }
    QString title() const { return title_->text(); }
    /// What stands in place of the curves; empty when there are some.
    QString note() const { return note_->visible() ? note_text_ : QString(); }
    /// The note in lines that fit; after the layout.
    void wrap_note();
    bool draws_band() const { return banded_; }
    /// A worker computes the formula: values are those of before.
    bool computing() const { return formula_ && formula_->computing(); }
    const FormulaSeries* formula() const { return formula_.get(); }
    bool draws_heat_map() const { return banded_or_many() && settings_.heat; }
    /// Two ranks or more report it: there is something to compare.
    bool banded_or_many() const { return reporting_ > 1; }
    const RankView& view() const { return view_; }
    const PanelValues& values() const { return values_; }
    const ChipRow& chips() const { return *chips_; }
    HeatMap* heat_map() const { return heat_; }
    CurvePicture* picture() const { return picture_; }
    /// The ranks that have a line.
    std::vector<int> line_ranks() const;
    /// One line for each value at this step; empty: none.
    QStringList values_at(double step) const;
    /// What is under the mouse: of the heat map, marks, chips that do not fit.
    QStringList texts_at(const QPointF& place) const;
    /// The rank under a place: of a chip, a line, the heat map.
    std::optional<int> rank_at(const QPointF& place) const;

private:
    void make_parts(const Place& place);
    std::vector<int> ranks_to_draw(const std::vector<int>& reporting) const;
    void style_lines();
    void update_lines();
    void update_picture();
    void update_chips();
    void update_title();
    void update_validation();
    void update_axes();
    void update_note(bool nothing, double first, double last);
    QString reason(double first, double last) const;
    void fit_y(const MinMax& range);
    QString shown_title() const;
    QString value_text(double value) const { return metric_value_text(unit_, value); }
    std::vector<CursorLine::Value> values_beside_cursor(double x) const;
    std::optional<double> median_at(double step) const;
    bool smoothed() const { return smoothing() > 0; }
    double smoothing() const { return settings_.smoothing.value_or(look_.smoothing); }

    QCustomPlot* plot_;
    QCPLayoutGrid* grid_;
    const LiveModel* live_;
    const XScale* scale_;
    std::string name_;
    std::shared_ptr<FormulaSeries> formula_;  ///< null: a metric of the run
    MetricUnit unit_;
    PanelValues values_;
    RankView view_;
    Look look_;
    PanelSettings settings_;
    bool banded_ = false;
    int reporting_ = 0;  ///< ranks
    XUnit unit_shown_ = XUnit::Step;
    bool log_shown_ = false;
    QCPTextElement* title_;
    QCPAxisRect* rect_;
    QCPAxis* x_;
    QCPAxis* y_;
    BandPlottable* band_;
    CurvePicture* picture_;  ///< of the band and the lines
    HeatMap* heat_;
    MarkLines* marks_;
    RangeFade* range_;
    MomentLine* moment_;
    ChipRow* chips_;
    QCPGraph* validation_ = nullptr;  ///< of loss and accuracy only
    CursorLine* cursor_;
    QCPItemText* note_;
    QString note_text_;
    std::vector<SeriesPlottable*> lines_;
};

}  // namespace rankscope::gui
