// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_model.h>
#include <gui/nccl/pipeline_tab.h>
#include <gui/plain_text.h>
#include <gui/strings.h>
#include <gui/style/theme.h>
#include <gui/widgets/layout_helpers.h>

#include <QEvent>
#include <QHelpEvent>
#include <QLabel>
#include <QMouseEvent>
#include <QPainter>
#include <QScrollArea>
#include <QToolTip>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr int kPad = 8;
constexpr double kLowestRow = 18;
constexpr double kTallestRow = 44;
constexpr double kApart = 3;  ///< passes as wide as this are drawn apart
constexpr int kTicks = 6;     ///< of the time, at most
constexpr double kUsPerMs = 1e3;

QColor pass_color(bool forward, bool dark) {
    return rank_color(forward ? 0 : 1, dark);
}

QString ms_text(double us) {
    return QString::number(us / kUsPerMs, 'f', us < 10 * kUsPerMs ? 2 : 1);
}

/// 1, 2 or 5 times a power of ten: at most kTicks of them.
double tick_of(double length_ms) {
    const double rough = std::max(length_ms, 1e-3) / kTicks;
    const double power = std::pow(10.0, std::floor(std::log10(rough)));
    for (const double factor : {1.0, 2.0, 5.0}) {
        if (factor * power >= rough) {
            return factor * power;
        }
    }
    return 10 * power;
}

QString stage_name(std::size_t stage, int rank) {
    return PipelineBars::tr("stage %1 · rank %2").arg(stage).arg(rank);
}

}  // namespace

PipelineBars::PipelineBars(QWidget* parent) : QWidget(parent) {
    setObjectName(u"pipelineBars"_s);
    setAccessibleName(tr("Passes of the micro-batches"));
}

void PipelineBars::set_step(std::optional<PipelineStep> step) {
    const std::size_t before = step_ ? step_->stages.size() : 0;
    step_ = std::move(step);
    if (before != (step_ ? step_->stages.size() : 0)) {
        updateGeometry();
    }
    update();
}

void PipelineBars::set_selected(const std::vector<int>& ranks) {
    selected_ = ranks;
    update();
}

QSize PipelineBars::sizeHint() const {
    const double rows = step_ ? double(step_->stages.size()) : 1;
    return {300, int(rows * kLowestRow) + fontMetrics().height() + 2 * kPad};
}

int PipelineBars::name_width() const {
    int width = 0;
    for (std::size_t stage = 0; stage < step_->stages.size(); ++stage) {
        width =
            std::max(width, fontMetrics().horizontalAdvance(stage_name(stage, step_->stages[stage].rank)));
    }
    return width + 2 * kPad;
}

double PipelineBars::row_height() const {
    const double room = height() - fontMetrics().height() - 2 * kPad;
    return std::clamp(room / double(std::max<std::size_t>(step_->stages.size(), 1)), kLowestRow, kTallestRow);
}

QRectF PipelineBars::box_of(std::size_t stage, const PlacedPass& pass) const {
    const double left = name_width();
    const double scale = std::max(width() - left - kPad, 10.0) / std::max(step_->length_us, 1.0);
    return {left + pass.begin_us * scale, kPad + double(stage) * row_height() + 2,
            std::max(pass.length_us * scale, 1.0), row_height() - 4};
}

int PipelineBars::stage_at(const QPoint& point) const {
    const int stage = step_ && point.y() >= kPad ? int((point.y() - kPad) / row_height()) : -1;
    return step_ && stage < int(step_->stages.size()) ? stage : -1;
}

QString PipelineBars::tip_at(const QPoint& point) const {
    const int stage = stage_at(point);
    if (stage < 0) {
        return {};
    }
    const PipelineStep::Stage& row = step_->stages[std::size_t(stage)];
    for (const PlacedPass& pass : row.passes) {
        if (box_of(std::size_t(stage), pass).contains(point)) {
            const QString text = pass.forward
                                     ? tr("Forward pass of micro-batch %1 on rank %2: %3 ms, from %4 ms")
                                     : tr("Backward pass of micro-batch %1 on rank %2: %3 ms, from %4 ms");
            return text.arg(pass.micro_batch)
                .arg(row.rank)
                .arg(ms_text(pass.length_us), ms_text(pass.begin_us));
        }
    }
    return tr("Rank %1 waits. It computes for %2 of %3 ms.")
        .arg(row.rank)
        .arg(ms_text(row.busy_us), ms_text(step_->length_us));
}

void PipelineBars::paintEvent(QPaintEvent*) {
    if (!step_) {
        return;
    }
    QPainter painter(this);
    const ThemeColors colors = theme_colors(palette());
    const double left = name_width();
    const double bottom = kPad + row_height() * double(step_->stages.size());
    const double scale = std::max(width() - left - kPad, 10.0) / std::max(step_->length_us, 1.0);
    const double tick_us = tick_of(step_->length_us / kUsPerMs) * kUsPerMs;
    for (int tick = 0; tick * tick_us <= step_->length_us; ++tick) {
        const double at = tick * tick_us;
        const double x = left + at * scale;
        painter.setPen(colors.grid);
        painter.drawLine(QPointF(x, kPad), QPointF(x, bottom));
        const QString text = QString::number(at / kUsPerMs, 'g', 6);
        const QString label = at > 0 ? text : tr("%1 ms").arg(text);
        painter.setPen(colors.muted);
        const double half = fontMetrics().horizontalAdvance(label) / 2.0;
        painter.drawText(QPointF(std::min(x - (at > 0 ? half : 0), width() - 2 * half - 1),
                                 bottom + fontMetrics().ascent() + 4),
                         label);
    }
    for (std::size_t stage = 0; stage < step_->stages.size(); ++stage) {
        const PipelineStep::Stage& row = step_->stages[stage];
        const double top = kPad + double(stage) * row_height();
        if (std::find(selected_.begin(), selected_.end(), row.rank) != selected_.end()) {
            painter.fillRect(QRectF(0, top, left - kPad / 2.0, row_height()), colors.selection);
        }
        painter.setPen(colors.text);
        painter.drawText(QRectF(kPad, top, left - kPad, row_height()), Qt::AlignVCenter | Qt::AlignLeft,
                         stage_name(stage, row.rank));
        for (const PlacedPass& pass : row.passes) {
            const QRectF whole = box_of(stage, pass);
            // Apart from its neighbour.
            const QRectF box = whole.adjusted(0, 0, whole.width() > kApart ? -1 : 0, 0);
            painter.fillRect(box, pass_color(pass.forward, colors.dark));
            painter.setPen(colors.surface);
            const QString number = QString::number(pass.micro_batch);
            if (fontMetrics().horizontalAdvance(number) + 4 < box.width()) {
                painter.drawText(box, Qt::AlignCenter, number);
            }
        }
    }
}

void PipelineBars::mousePressEvent(QMouseEvent* event) {
    if (const int stage = stage_at(event->pos()); stage >= 0) {
        emit chosen(step_->stages[std::size_t(stage)].rank);
    }
}

bool PipelineBars::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    const auto* help = static_cast<QHelpEvent*>(event);
    if (const QString text = tip_at(help->pos()); !text.isEmpty()) {
        QToolTip::showText(help->globalPos(), plain_text(text), this);
    } else {
        QToolTip::hideText();
    }
    return true;
}

PipelineTab::PipelineTab(QWidget* parent)
    : NcclTab(parent),
      summary_(make_label({}, this)),
      legend_(make_label({}, this, "muted")),
      bars_(nullptr) {
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(kPad, kPad, kPad, 0);
    layout->setSpacing(4);
    auto* scroll = new QScrollArea(this);
    bars_ = new PipelineBars(scroll);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidgetResizable(true);
    scroll->setWidget(bars_);
    summary_->setObjectName(u"pipelineSummary"_s);
    summary_->setWordWrap(true);
    legend_->setTextFormat(Qt::RichText);
    layout->addWidget(summary_);
    layout->addWidget(legend_);
    layout->addWidget(scroll, 1);
    setFocusProxy(scroll);
    connect(bars_, &PipelineBars::chosen, this, &NcclTab::rankChosen);
}

void PipelineTab::set_snapshot(const std::shared_ptr<const ReadingSnapshot>& /*snapshot*/) {}

void PipelineTab::set_run(const LiveModel* run) {
    if (run == run_) {
        return;
    }
    for (const QMetaObject::Connection& change : changes_) {
        disconnect(change);
    }
    run_ = run;
    if (run != nullptr) {
        changes_ = {connect(run, &LiveModel::changed, this, &PipelineTab::refresh_if_visible),
                    connect(run, &LiveModel::wasReset, this, &PipelineTab::refresh_if_visible)};
    }
    refresh();
}

void PipelineTab::refresh_if_visible() {
    if (isVisible()) {
        refresh();
    }
}

void PipelineTab::set_selected(const std::vector<int>& ranks) {
    selected_ = ranks;
    bars_->set_selected(ranks);
    refresh_if_visible();
}

bool PipelineTab::has_content() const {
    return run_ && has_passes(run_->state());
}

QString PipelineTab::summary() const {
    return summary_->text();
}

void PipelineTab::refresh() {
    const int rank = selected_.empty() ? 0 : selected_.front();
    auto step = run_ ? newest_step(run_->state(), *run_->mesh(), rank) : std::nullopt;
    if (!step) {
        summary_->setText(tr("No update of this pipeline was reported by all of its ranks yet."));
        bars_->set_step({});
        return;
    }
    const auto percent = [](double share) { return QString::number(100 * share, 'f', 0); };
    QString text = tr("Update %1: %2 ms; the stages wait %3 % of the time.")
                       .arg(QString::number(step->step), ms_text(step->length_us), percent(step->waiting));
    if (const auto& cost = run_->state().plan.cost; cost && cost->pipeline) {
        text += u' ' + tr("With equally long stages it would be %1 %.").arg(percent(cost->pipeline->bubble));
    }
    const PipelineStep::Stage& longest = step->stages[std::size_t(step->longest)];
    text += u' ' +
            tr("Stage %1 (rank %2) computes longest: %3 ms.")
                .arg(QString::number(step->longest), QString::number(longest.rank), ms_text(longest.busy_us));
    summary_->setText(text);
    color_legend();
    bars_->set_step(std::move(step));
}

void PipelineTab::color_legend() {
    const bool dark = is_dark(palette());
    const auto sign = [&](bool forward, const QString& text) {
        return QString(u"<span style=\"color:"_s % pass_color(forward, dark).name() % u"\">■</span>&nbsp;"_s %
                       text);
    };
    legend_->setText(sign(true, tr("forward")) % u"&nbsp;&nbsp; "_s % sign(false, tr("backward")) %
                     u"&nbsp;&nbsp; "_s % tr("numbers: micro-batches"));
}

void PipelineTab::showEvent(QShowEvent* event) {
    NcclTab::showEvent(event);
    refresh();
}

void PipelineTab::changeEvent(QEvent* event) {
    if (event->type() == QEvent::PaletteChange) {
        color_legend();
    }
    NcclTab::changeEvent(event);
}

}  // namespace rankscope::gui
