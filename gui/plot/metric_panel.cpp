// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/metric_format.h>
#include <gui/plot/axis_look.h>
#include <gui/plot/metric_panel.h>
#include <gui/plot/plot_tickers.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QCoreApplication>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kTallPad = 0.06;      ///< of the value range, above and below
constexpr double kSmoothedPad = 0.18;  ///< room for a part of the values around their average
constexpr double kFlat = 1e-6;         ///< a range below this share of the value is a constant
constexpr double kLogSpan = 1e-12;     ///< smallest value on a log axis, as a share of the largest
constexpr qsizetype kTitle = 60;       ///< characters

struct Words {
    Q_DECLARE_TR_FUNCTIONS(MetricPlot)
};

struct AxisRange {
    double lower = 0;
    double upper = 1;
};

/// A range that shows min to max with some room, and a constant in the middle.
AxisRange padded(const MinMax& values, double pad_share) {
    if (values.empty()) {
        return {};
    }
    const auto lower = double(values.min);
    const auto upper = double(values.max);
    const double size = std::max(std::abs(lower), std::abs(upper));
    if (size == 0) {
        return {};
    }
    const double pad = upper - lower > size * kFlat ? (upper - lower) * pad_share : size * 0.1;
    return {lower - pad, upper + pad};
}

/// Rounded outwards by at most 3 % of the range on either side: a new value then seldom moves all that is painted.
AxisRange snapped(const AxisRange& range) {
    const double unit = std::exp2(std::floor(std::log2(range.upper - range.lower))) / 32;
    const AxisRange wide{std::floor(range.lower / unit) * unit, std::ceil(range.upper / unit) * unit};
    return std::isfinite(wide.lower) && std::isfinite(wide.upper) && wide.lower < wide.upper ? wide : range;
}

PanelValues values_of(const LiveModel& live, const std::string& name) {
    const MetricId metric = live.state().metrics.find(name).value_or(MetricId{0});
    return {&live.data().series, metric, &live.data().events, live.gate()};
}

/// A title that no program can make arbitrarily wide.
QString cut(QString title) {
    title.replace(u'\n', u' ');
    return title.size() <= kTitle ? title : QString(title.left(kTitle - 1) % u'…');
}

/// Lines of at most so many pixels.
QString wrapped(const QString& text, const QFont& font, int width) {
    const QFontMetrics metrics(font);
    QStringList lines{QString()};
    for (const QString& word : text.split(u' ', Qt::SkipEmptyParts)) {
        const QString longer = lines.last().isEmpty() ? word : QString(lines.last() % u' ' % word);
        if (lines.last().isEmpty() || metrics.horizontalAdvance(longer) <= width) {
            lines.last() = longer;
        } else {
            lines += word;
        }
    }
    return lines.join(u'\n');
}

}  // namespace

MetricPanel::MetricPanel(const Place& place, const std::string& name)
    : plot_(place.plot),
      grid_(place.grid),
      live_(place.live),
      scale_(place.scale),
      name_(name),
      formula_(place.formula),
      unit_(formula_ ? MetricUnit::Number : metric_unit(name)),
      values_(formula_ ? formula_->values() : values_of(*live_, name)),
      view_(&values_, place.pool),
      title_(new QCPTextElement(plot_, shown_title())),
      rect_(new QCPAxisRect(plot_, true)),
      x_(rect_->axis(QCPAxis::atBottom)),
      y_(rect_->axis(QCPAxis::atLeft)) {
    place_panel(grid_, place.row, place.column, title_, rect_);
    x_->setTicker(x_ticker(XUnit::Step));
    make_parts(place);
    update_axes();
}

void MetricPanel::make_parts(const Place& place) {
    band_ = new BandPlottable(x_, y_, &values_, scale_, &view_);
    band_->setVisible(false);
    picture_ = new CurvePicture(x_, y_, scale_, place.pool);
    heat_ = new HeatMap(x_, y_, scale_, &view_, place.pool);
    heat_->setVisible(false);
    marks_ = new MarkLines(plot_, x_, &live_->data().marks, scale_);
    marks_->setLayer(u"events"_s);
    range_ = new RangeFade(plot_, x_, place.range, &live_->data(), scale_);
    range_->setLayer(u"overlay"_s);
    moment_ = new MomentLine(plot_, x_, place.moment, &live_->data(), scale_);
    moment_->setLayer(u"overlay"_s);
    chips_ = new ChipRow(plot_, x_, title_);
    chips_->setLayer(u"marks"_s);
    if (name_ == "loss" || name_ == "acc1") {
        validation_ = plot_->addGraph(x_, y_);
        validation_->setLayer(u"marks"_s);
        validation_->setAntialiasedScatters(true);
        validation_->setLineStyle(QCPGraph::lsNone);
    }
    cursor_ = new CursorLine(plot_, x_);
    cursor_->setLayer(u"overlay"_s);
    note_ = new QCPItemText(plot_);
    note_->setLayer(u"overlay"_s);  // it changes while a formula is computed, the curves do not
    note_->setClipAxisRect(rect_);  // by default an item is clipped to the first panel
    note_->position->setAxisRect(rect_);
    note_->position->setType(QCPItemPosition::ptAxisRectRatio);
    note_->position->setCoords(0.5, 0.5);
    note_->setVisible(false);
}

MetricPanel::~MetricPanel() {
    for (SeriesPlottable* line : lines_) {
        plot_->removePlottable(line);
    }
    plot_->removePlottable(picture_);
    plot_->removePlottable(band_);
    plot_->removePlottable(heat_);
    if (validation_) {
        plot_->removeGraph(validation_);
    }
    for (QCPAbstractItem* item :
         std::initializer_list<QCPAbstractItem*>{cursor_, marks_, moment_, range_, chips_, note_}) {
        plot_->removeItem(item);
    }
    grid_->remove(title_);
    grid_->remove(rect_);
}

void MetricPanel::set_look(const Look& look) {
    look_ = look;
    const QFont small = axis_font(look_.font);
    const ThemeColors& colors = look_.colors;
    note_->setFont(look_.font);
    note_->setColor(colors.muted);
    set_panel_look(title_, rect_, colors, look_.font);
    title_->setTextColor(look_.current ? colors.text : colors.muted);
    for (QCPAxis* axis : {x_, y_}) {
        axis->setTickLength(0, 3);
        axis->grid()->setZeroLinePen(axis->grid()->pen());
    }
    QColor wide = colors.accent;
    QColor narrow = colors.accent;
    wide.setAlphaF(0.16F);
    narrow.setAlphaF(0.30F);
    band_->set_colors({wide, narrow, colors.accent, colors.bad});
    if (validation_) {
        validation_->setScatterStyle(
            QCPScatterStyle(QCPScatterStyle::ssDiamond, QPen(colors.surface, 1), QBrush(colors.text), 9));
    }
    heat_->set_colors(colors);
    heat_->set_selected(look_.selected);
    for (PanelItem* item : std::initializer_list<PanelItem*>{cursor_, marks_, moment_, range_, chips_}) {
        item->set_look(colors, small);
    }
    update_lines();
    style_lines();
}

void MetricPanel::set_settings(const PanelSettings& settings) {
    settings_ = settings;
    if (formula_) {
        unit_ = settings.unit;
    }
    update_title();
    update_axes();
    style_lines();
}

void MetricPanel::update_axes() {
    const bool heat = draws_heat_map();
    const bool log = settings_.log && !heat;
    y_->setScaleType(log ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    y_->setRangeReversed(heat);  // rank 0 on top, as in the table
    if (heat) {
        y_->setTicker(QSharedPointer<StepTicker>::create());
    } else if (log) {
        y_->setTicker(QSharedPointer<LogTicker>::create(unit_));
    } else {
        y_->setTicker(QSharedPointer<ValueTicker>::create(unit_));
    }
    if (unit_shown_ != scale_->unit() || log_shown_ != scale_->is_log()) {
        unit_shown_ = scale_->unit();
        log_shown_ = scale_->is_log();
        x_->setTicker(x_ticker(unit_shown_, log_shown_));
    }
}

void MetricPanel::style_lines() {
    const std::vector<int>& selected = look_.selected;
    band_->set_smoothing(smoothing());
    for (SeriesPlottable* line : lines_) {
        QColor color = values_.single ? look_.colors.accent : rank_color(line->rank(), look_.colors.dark);
        const bool chosen = std::find(selected.begin(), selected.end(), line->rank()) != selected.end();
        if (!selected.empty() && !chosen && !values_.single) {
            color.setAlphaF(0.22F);
        }
        line->setPen(QPen(color, 1));
        line->setLayer(chosen ? u"points"_s : u"main"_s);
        line->set_smoothing(smoothing());
        line->set_mark_color(look_.colors.bad);
    }
    update_picture();
}

// The chosen lines on top of the others.
void MetricPanel::update_picture() {
    std::vector<CurvePart*> parts;
    if (band_->visible()) {
        parts.push_back(band_);
    }
    const auto is_chosen = [](const SeriesPlottable* line) { return line->layer()->name() == u"points"_s; };
    for (const bool chosen : {false, true}) {
        std::copy_if(lines_.begin(), lines_.end(), std::back_inserter(parts),
                     [&](const SeriesPlottable* line) { return is_chosen(line) == chosen; });
    }
    picture_->set_parts(std::move(parts));
}

void MetricPanel::set_at_once(bool on) {
    view_.set_at_once(on);
    picture_->set_at_once(on);
    heat_->set_at_once(on);
}

std::vector<int> MetricPanel::ranks_to_draw(const std::vector<int>& reporting) const {
    if (draws_heat_map()) {
        return {};
    }
    if (!banded_) {
        return reporting;
    }
    std::vector<int> ranks = look_.selected;
    ranks.resize(std::min<std::size_t>(ranks.size(), kMaxCurves));
    for (const RankOutlier& outlier : view_.outliers()) {
        if (std::find(ranks.begin(), ranks.end(), outlier.rank) == ranks.end()) {
            ranks.push_back(outlier.rank);
        }
    }
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

std::vector<int> MetricPanel::line_ranks() const {
    std::vector<int> ranks;
    for (const SeriesPlottable* line : lines_) {
        ranks.push_back(line->rank());
    }
    return ranks;
}

void MetricPanel::update_lines() {
    std::vector<int> reporting;
    const auto& series = *values_.ranks;
    for (std::size_t rank = 0; rank < series.size(); ++rank) {
        if (!series[rank].column(values_.metric).empty()) {
            reporting.push_back(int(rank));
        }
    }
    reporting_ = int(reporting.size());
    banded_ = reporting_ > kMaxCurves;
    heat_->setVisible(draws_heat_map());
    heat_->set_ranks(int(series.size()));
    band_->setVisible(banded_ && !draws_heat_map());
    if (banded_ || draws_heat_map()) {
        const auto [first, last] = steps_in_view(x_, *scale_);
        view_.update(first, last, scale_->is_log_over(first, last));
    }
    const std::vector<int> ranks = ranks_to_draw(reporting);
    if (std::equal(ranks.begin(), ranks.end(), lines_.begin(), lines_.end(),
                   [](int rank, const SeriesPlottable* line) { return rank == line->rank(); })) {
        update_picture();
        return;
    }
    picture_->set_parts({});
    for (SeriesPlottable* line : lines_) {
        plot_->removePlottable(line);
    }
    lines_.clear();
    for (const int rank : ranks) {
        lines_.push_back(new SeriesPlottable(x_, y_, &values_, scale_, rank));
    }
    style_lines();
}

void MetricPanel::update_chips() {
    std::vector<ChipRow::Chip> chips;
    if (banded_) {
        for (const RankOutlier& outlier : view_.outliers()) {
            chips.push_back(
                {outlier_text(name_, outlier), rank_color(outlier.rank, look_.colors.dark), outlier.rank});
        }
    }
    chips_->set_chips(std::move(chips));
}

QString MetricPanel::shown_title() const {
    if (!formula_) {
        return cut(metric_title(name_));
    }
    return cut(qs(settings_.title.empty() ? name_.substr(1) : settings_.title));
}

void MetricPanel::update_title() {
    QString text = shown_title();
    if (draws_heat_map()) {
        const double end_value = double(heat_->scale_end());
        const QString end = unit_ == MetricUnit::Share
                                ? percent_axis_text(end_value, percent_digits(end_value))
                                : axis_text(unit_, end_value);
        text = heat_->scale_end() > 0 ? Words::tr("%1: from the median ±%2").arg(text, end)
                                      : Words::tr("%1: from the median").arg(text);
    } else if (validation_ && !validation_->data()->isEmpty()) {
        text = Words::tr("%1 (◆ validation)").arg(text);
    }
    title_->setText(text);
    chips_->set_free(QFontMetrics(title_->font()).horizontalAdvance(text) + 20);
}

void MetricPanel::refresh() {
    if (formula_) {
        formula_->update();
    }
    update_axes();
    update_validation();
    update_y();
}

void MetricPanel::update_validation() {
    const RunState& state = live_->state();
    if (!validation_ || state.steps_per_epoch <= 0) {
        return;
    }
    validation_->setVisible(!draws_heat_map());
    validation_->data()->clear();
    for (const ValidationPoint& point : state.validations) {
        validation_->addData(scale_->of_step(point.epoch * double(state.steps_per_epoch)),
                             name_ == "loss" ? point.loss : point.acc1);
    }
}

void MetricPanel::update_y() {
    update_lines();
    update_chips();
    const auto [first, last] = steps_in_view(x_, *scale_);
    const bool log = y_->scaleType() == QCPAxis::stLogarithmic;
    MinMax range;
    if (banded_) {
        range = band_->range(log);
    }
    for (SeriesPlottable* line : lines_) {
        const auto [from, to] = steps_in_view(x_, *scale_, values_.single ? -1 : line->rank());
        range.add(line->range(from, to, log));
    }
    if (validation_) {
        for (const QCPGraphData& point : *validation_->data()) {
            if (x_->range().contains(point.key) && (point.value > 0 || !log)) {
                range.add(float(point.value));
            }
        }
    }
    const bool empty = draws_heat_map() ? view_.points().empty() : range.empty();
    fit_y(range);
    update_title();
    update_note(empty, first, last);
}

void MetricPanel::fit_y(const MinMax& range) {
    if (settings_.y) {
        y_->setRange(settings_.y->lower, settings_.y->upper);
        return;
    }
    if (draws_heat_map()) {
        y_->setRange(-0.5, double(values_.ranks->size()) - 0.5);
        return;
    }
    if (y_->scaleType() == QCPAxis::stLogarithmic) {
        const double lower = range.empty() ? 1 : std::max(double(range.min), double(range.max) * kLogSpan);
        const double upper = range.empty() ? 10 : double(range.max);
        const double pad = std::max(std::pow(upper / lower, kTallPad), 1.05);
        const AxisRange powers = snapped({std::log2(lower / pad), std::log2(upper * pad)});
        y_->setRange(std::exp2(powers.lower), std::exp2(powers.upper));
        return;
    }
    AxisRange axis = snapped(padded(range, smoothed() && !banded_ ? kSmoothedPad : kTallPad));
    const bool positive = !range.empty() && range.min >= 0;
    if (unit_ == MetricUnit::Rate && positive) {
        axis.lower = 0;
    }
    if (positive) {
        axis.lower = std::max(axis.lower, 0.0);
    }
    if (unit_ == MetricUnit::Share && !range.empty() && range.max <= 1) {
        axis.upper = std::min(axis.upper, 1.02);
    }
    y_->setRange(axis.lower, axis.upper);
}

QString MetricPanel::reason(double first, double last) const {
    if (formula_) {
        if (const QString problem = formula_->problem(); !problem.isEmpty()) {
            return problem;
        }
        if (computing()) {
            return Words::tr("Computing: %1").arg(percent_text(formula_->done(), 0));
        }
    }
    bool any = false;
    for (const MetricSeries& rank : *values_.ranks) {
        const StepAxis& steps = rank.column(values_.metric).steps();
        any = any || steps.lower_bound(first) < steps.lower_bound(std::nextafter(last, INFINITY));
    }
    if (any && view_.counting()) {
        return Words::tr("Reading %1 ranks…").arg(reporting_);
    }
    if (any && y_->scaleType() == QCPAxis::stLogarithmic) {
        return Words::tr("A log scale shows values above 0; there are none here.");
    }
    return any ? Words::tr("All values here are NaN or infinite.")
               : Words::tr("No values between these steps.");
}

void MetricPanel::update_note(bool nothing, double first, double last) {
    if (nothing) {
        note_text_ = reason(first, last);
        wrap_note();
    }
    note_->setVisible(nothing);
    y_->setTickLabels(!nothing);
    y_->grid()->setVisible(!nothing);
}

void MetricPanel::wrap_note() {
    constexpr int kNarrow = 80;
    note_->setText(wrapped(note_text_, note_->font(), std::max(rect_->width() - 8, kNarrow)));
}

void MetricPanel::update_progress() {
    if (note_->visible()) {
        const auto [first, last] = steps_in_view(x_, *scale_);
        update_note(true, first, last);
    }
}

}  // namespace rankscope::gui
