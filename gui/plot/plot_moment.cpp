// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/metric_plot.h>
#include <gui/plot/plot_moment.h>
#include <gui/strings.h>

#include <QKeyEvent>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kKeyShare = 1.0 / 50;  ///< of the range in view that a key moves the mark; at least one step

}  // namespace

PlotMoment::PlotMoment(MetricPlot* plot) : QObject(plot), plot_(plot) {}

void PlotMoment::show(const RunMoment& moment) {
    marked_ = moment;
    if (plot_->live() && !is_in_view(moment)) {
        const double x = x_of_moment(plot_->live()->data(), plot_->scale(), moment);
        const double half = plot_->x_range().size() / 2;
        plot_->show_x(x - half, x + half);
    }
    plot_->plot()->replot(QCustomPlot::rpQueuedReplot);
    plot_->setAccessibleDescription(tr("Marked: %1").arg(moment_text(moment)));
    emit changed();
}

void PlotMoment::set_range(const TimeSpan& range) {
    if (range != range_) {
        range_ = range;
        plot_->plot()->replot(QCustomPlot::rpQueuedReplot);
    }
}

bool PlotMoment::clear() {
    if (!marked_) {
        return false;
    }
    marked_.reset();
    plot_->plot()->replot(QCustomPlot::rpQueuedReplot);
    plot_->setAccessibleDescription({});
    emit changed();
    return true;
}

bool PlotMoment::is_in_view(const RunMoment& moment) const {
    return plot_->x_range().contains(x_of_moment(plot_->live()->data(), plot_->scale(), moment));
}

int PlotMoment::selected_rank() const {
    return plot_->selected_.size() == 1 ? plot_->selected_.front() : -1;
}

std::optional<RunMoment> PlotMoment::at(const QPoint& place) const {
    const MetricPanel* panel = plot_->panel_at(place);
    if (!panel || !panel->rect()->rect().contains(place)) {
        return {};
    }
    const int rank = panel->rank_at(place).value_or(selected_rank());
    return moment_of_x(plot_->live()->data(), plot_->scale(), panel->x()->pixelToCoord(place.x()), rank);
}

std::optional<RunMoment> PlotMoment::for_keys() const {
    if (!plot_->live() || plot_->panels().empty()) {
        return {};
    }
    if (marked_ && is_in_view(*marked_)) {
        return marked_;
    }
    return moment_of_x(plot_->live()->data(), plot_->scale(), plot_->x_range().center(), selected_rank());
}

std::optional<TimeSpan> PlotMoment::in_view() const {
    if (!plot_->live() || plot_->following()) {
        return {};
    }
    const QCPRange range = plot_->x_range();
    return span_of_x(plot_->live()->data(), plot_->scale(), range.lower, range.upper);
}

void PlotMoment::ask_log(const RunMoment& moment) {
    show(moment);
    emit logRequested(moment);
}

void PlotMoment::ask_range(double lower, double upper) {
    if (const auto span = span_of_x(plot_->live()->data(), plot_->scale(), lower, upper)) {
        emit rangeRequested(*span);
    }
}

void PlotMoment::move(int by) {
    const auto from = for_keys();
    if (!from) {
        return;
    }
    const LiveData& run = plot_->live()->data();
    const XScale& scale = plot_->scale();
    const double first = scale.step_at(plot_->x_range().lower);
    const double last = scale.step_at(plot_->x_range().upper);
    double steps = std::max(std::round((last - first) * kKeyShare), 1.0);
    if (scale.is_log()) {  // as far for the eye, whatever the step
        const double away = scale.of_step(from->step) + by * plot_->x_range().size() * kKeyShare;
        steps = std::max(std::round(std::abs(scale.step_at(away) - from->step)), 1.0);
    }
    const double step =
        std::clamp(from->step + by * steps, run.first_step(), std::max(run.last_step(), run.first_step()));
    // The first press only shows where the mark is.
    const bool is_new = !marked_ || !is_in_view(*marked_);
    if (const auto moment =
            is_new ? from
                   : moment_of_x(run, scale, scale.of_step(step), std::max(from->rank, selected_rank()))) {
        show(*moment);
    }
}

bool PlotMoment::take_key(const QKeyEvent& event) {
    const bool control = event.modifiers().testFlag(Qt::ControlModifier);
    switch (event.key()) {
        case Qt::Key_Left:
        case Qt::Key_Right:
            if (control) {
                move(event.key() == Qt::Key_Left ? -1 : 1);
            }
            return control;
        case Qt::Key_Return:
        case Qt::Key_Enter:
            if (const auto moment = for_keys()) {
                ask_log(*moment);
                return true;
            }
            return false;
        case Qt::Key_Escape:
            return clear();
        default:
            return false;
    }
}

}  // namespace rankscope::gui
