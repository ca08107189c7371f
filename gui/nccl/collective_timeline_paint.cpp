// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// How the timeline is drawn.

#include <gui/nccl/collective_format.h>
#include <gui/nccl/collective_timeline.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QPainter>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr int kPaintPad = 6;

/// "2 s", "500 ms", "20 µs": of a round number of µs.
QString tick_text(double us) {
    return us >= 1e6   ? QString(QString::number(us * 1e-6) % u" s"_s)
           : us >= 1e3 ? QString(QString::number(us * 1e-3) % u" ms"_s)
                       : QString(QString::number(us) % u" µs"_s);
}

/// 1, 2 or 5 times a power of ten, so that about `count` fit into the span.
double step_for(double span, double count) {
    const double raw = std::max(span / count, 1.0);
    const double power = std::pow(10.0, std::floor(std::log10(raw)));
    for (const double digit : {1.0, 2.0, 5.0}) {
        if (digit * power >= raw) {
            return digit * power;
        }
    }
    return 10 * power;
}

}  // namespace

void CollectiveTimeline::paint_axis(QPainter& painter, const ThemeColors& colors) const {
    const QRect inside = area();
    const double span = end_us_ - begin_us_;
    const double step = step_for(span, std::max(inside.width() / 90, 1));
    painter.setFont(font());
    // Times before the newest: what was when is a question of the log.
    const auto newest = double(report_->last_us);
    for (double tick = std::floor((end_us_ - newest) / step) * step; newest + tick >= begin_us_;
         tick -= step) {
        const double x = x_of(newest + tick);
        if (x < inside.left() || x > inside.right()) {
            continue;
        }
        painter.setPen(colors.grid);
        painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()));
        painter.setPen(colors.muted);
        const QString text =
            tick == 0 ? tr("now") : QString((tick < 0 ? u"−"_s : u"+"_s) % tick_text(std::abs(tick)));
        painter.drawText(QRectF(x - 50, inside.bottom() + 3, 100, fontMetrics().height()),
                         Qt::AlignHCenter | Qt::AlignTop, text);
    }
}

// Pixels of a row: which function is there. Several operations of one pixel are one.
void CollectiveTimeline::paint_bars(QPainter& painter, const Row& row, const ThemeColors& colors) const {
    const QRect inside = area();
    const double per_us = inside.width() / std::max(end_us_ - begin_us_, 1.0);
    std::vector<std::uint8_t> pixels(std::size_t(inside.width()) + 1, 0);
    for (int i = row.first; i < row.first + row.count; ++i) {
        const ReportRank* of_rank = rank(i);
        if (of_rank == nullptr) {
            continue;
        }
        for (const RecentOperation& operation : of_rank->recent) {
            const double begin = (double(operation.start_us) - begin_us_) * per_us;
            const double end = begin + operation.seconds * 1e6 * per_us;
            if (begin > inside.width()) {
                break;
            }
            if (!wanted(operation.communicator) || end < 0) {
                continue;
            }
            const auto from = std::size_t(std::clamp(begin, 0.0, double(inside.width())));
            auto to = std::size_t(std::clamp(end, 0.0, double(inside.width())));
            to = to > from + 3 ? to - 1 : to;  // a gap between bars that are wide enough
            std::fill(pixels.begin() + std::ptrdiff_t(from), pixels.begin() + std::ptrdiff_t(to) + 1,
                      std::uint8_t(std::min<std::size_t>(operation.function, 200) + 1));
        }
    }
    const double gap = row.height >= 6 ? 1 : 0;
    for (std::size_t from = 0; from < pixels.size();) {
        std::size_t to = from;
        while (to < pixels.size() && pixels[to] == pixels[from]) {
            ++to;
        }
        if (pixels[from] != 0) {
            painter.fillRect(QRectF(inside.left() + double(from), row.top + gap, double(to - from),
                                    std::max(row.height - 2 * gap, 1.0)),
                             function_color(report_->functions[pixels[from] - 1U], colors.dark));
        }
        from = to;
    }
}

void CollectiveTimeline::paint_open(QPainter& painter, const Row& row, const ReportRank& of_rank,
                                    const ThemeColors& colors) const {
    const QRect inside = area();
    const double gap = row.height >= 6 ? 1 : 0;
    for (const RecentOperation& open : of_rank.open) {
        if (!wanted(open.communicator)) {
            continue;
        }
        const double left = std::max(x_of(double(open.start_us)), double(inside.left()));
        const double right = std::min(x_of(open_end(of_rank, open)), double(inside.right()));
        if (left > inside.right()) {
            continue;
        }
        const QRectF box(left, row.top + gap, std::max(right - left, 2.0),
                         std::max(row.height - 2 * gap, 1.0));
        QColor color = function_color(report_->functions[open.function], colors.dark);
        QColor pale = color;
        pale.setAlphaF(0.25F);
        painter.fillRect(box, pale);
        painter.fillRect(box, QBrush(color, Qt::BDiagPattern));
        const QString text = open_age_text((open_end(of_rank, open) - double(open.start_us)) * 1e-6);
        if (row.height >= fontMetrics().height() &&
            box.width() > fontMetrics().horizontalAdvance(text) + 2 * kPaintPad) {
            const QRectF label(box.left() + kPaintPad, box.top() + 1,
                               fontMetrics().horizontalAdvance(text) + 4, box.height() - 2);
            painter.fillRect(label, colors.surface);
            painter.setPen(colors.text);
            painter.drawText(label, Qt::AlignCenter, text);
        }
    }
}

// From the end of its last operation on there is nothing: that is what is wrong.
void CollectiveTimeline::paint_behind(QPainter& painter, const Row& row, const ReportRank& of_rank,
                                      const ThemeColors& colors) const {
    const QRect inside = area();
    const double since = std::max(begin_us_, double(of_rank.last_end_us));
    const double left = std::clamp(x_of(since) + 2, double(inside.left()), double(inside.right()) - 4);
    const double right = std::clamp(x_of(double(report_->last_us)), left + 4, double(inside.right()));
    const QRectF box(left, row.top + 0.5, right - left, std::max(row.height - 1, 1.0));
    const QString text = behind_text(*report_, of_rank.behind.front());
    if (row.height < fontMetrics().height()) {
        painter.fillRect(box, colors.bad);
        return;
    }
    painter.fillRect(box, colors.bad_surface);
    painter.setPen(QPen(colors.bad, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(box.adjusted(0, 0, -0.5, -0.5));
    painter.setPen(colors.bad);
    painter.drawText(box.adjusted(kPaintPad, 0, -kPaintPad, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text, Qt::ElideRight, int(box.width()) - 2 * kPaintPad));
}

void CollectiveTimeline::paint_row(QPainter& painter, const Row& row, const ThemeColors& colors) const {
    const QRect inside = area();
    paint_bars(painter, row, colors);
    const ReportRank* behind = nullptr;
    bool open = false;
    for (int i = row.first; i < row.first + row.count; ++i) {
        const ReportRank* of_rank = rank(i);
        if (of_rank == nullptr) {
            continue;
        }
        if (!open) {  // one on top of another one would be no hatch any more
            paint_open(painter, row, *of_rank, colors);
        }
        open = open || !of_rank->open.empty();
        behind = is_behind(*of_rank) ? of_rank : behind;
        const bool mute = row.count == 1 && of_rank->recent.empty() && of_rank->open.empty();
        if (mute && !of_rank->unavailable.empty() && row.height >= fontMetrics().height()) {
            painter.setPen(colors.muted);
            painter.drawText(
                QRectF(inside.left() + kPaintPad, row.top, inside.width() - kPaintPad, row.height),
                Qt::AlignLeft | Qt::AlignVCenter, unavailable_text(of_rank->unavailable));
        }
    }
    if (behind != nullptr) {
        paint_behind(painter, row, *behind, colors);
    }
}

// The time inside NCCL of the time observed; of it what the rank waited for others.
void CollectiveTimeline::paint_share(QPainter& painter, const Row& row, const ThemeColors& colors) const {
    const ReportRank* of_rank = row.count == 1 ? rank(row.first) : nullptr;
    if (of_rank == nullptr || of_rank->observed_s <= 0 || of_rank->inside_s <= 0) {
        return;
    }
    const double share = std::min(of_rank->inside_s / of_rank->observed_s, 1.0);
    const double waits = share * std::min(of_rank->waited_s / of_rank->inside_s, 1.0);
    const QRect inside = area();
    const int line = fontMetrics().height();
    const double left = inside.right() + kPaintPad;
    const double room = width() - left - kPaintPad;
    if (row.height >= line) {
        painter.setPen(colors.muted);
        painter.drawText(QRectF(left, row.top, room, row.height), Qt::AlignLeft | Qt::AlignVCenter,
                         QString(share_text(share) % u" · "_s % share_text(waits)));
        return;
    }
    const double gap = row.height >= 6 ? 1 : 0;
    const QRectF bar(left, row.top + gap, room * share, std::max(row.height - 2 * gap, 1.0));
    painter.fillRect(bar, colors.line);
    painter.fillRect(QRectF(bar.left(), bar.top(), room * waits, bar.height()), colors.warning);
}

void CollectiveTimeline::paint_selection(QPainter& painter, const std::vector<Row>& rows,
                                         const ThemeColors& colors) const {
    for (const Row& row : rows) {
        if (selected_in(row) >= 0) {
            painter.fillRect(QRectF(0, row.top, width(), row.height), colors.selection);
        }
    }
}

// Of the ranks that are behind first, then of the selected ones, of the others where there is room.
void CollectiveTimeline::paint_labels(QPainter& painter, const std::vector<Row>& rows,
                                      const ThemeColors& colors) const {
    const QRect inside = area();
    const int line = fontMetrics().height();
    painter.setPen(colors.muted);
    painter.drawText(QRect(inside.right() + kPaintPad, 0, width() - inside.right() - kPaintPad, line),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("in NCCL · waits"));
    enum class Label { Behind, Selected, Other };
    std::vector<double> tops;
    for (const Label wanted : {Label::Behind, Label::Selected, Label::Other}) {
        for (const Row& row : rows) {
            int behind = -1;
            for (int i = row.first; i < row.first + row.count; ++i) {
                behind = rank(i) != nullptr && is_behind(*rank(i)) ? ranks_[std::size_t(i)] : behind;
            }
            const int chosen = selected_in(row);
            const Label label = behind >= 0 ? Label::Behind : chosen >= 0 ? Label::Selected : Label::Other;
            const double top = row.top + (row.height - line) / 2;
            const bool taken = std::any_of(tops.begin(), tops.end(),
                                           [&](double other) { return std::abs(other - top) < line; });
            if (label != wanted || taken) {
                continue;
            }
            tops.push_back(top);
            painter.setPen(label == Label::Behind ? colors.bad : colors.text);
            const int shown = behind >= 0 ? behind : chosen >= 0 ? chosen : ranks_[std::size_t(row.first)];
            painter.drawText(QRectF(0, top, inside.left() - kPaintPad, line),
                             Qt::AlignRight | Qt::AlignVCenter, tr("rank %1").arg(shown));
        }
    }
    for (const Row& row : rows) {
        paint_share(painter, row, colors);
    }
}

void CollectiveTimeline::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColors colors = theme_colors(palette());
    painter.fillRect(rect(), colors.surface);
    if (!report_ || ranks_.empty()) {
        return;
    }
    const std::vector<Row> rows = lay_out();
    paint_selection(painter, rows, colors);
    paint_axis(painter, colors);
    painter.save();
    painter.setClipRect(area());
    for (const Row& row : rows) {
        paint_row(painter, row, colors);
    }
    paint_range(painter, colors);
    painter.restore();
    paint_labels(painter, rows, colors);
    if (hasFocus()) {
        painter.setPen(QPen(colors.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

// What lies outside the chosen times is pale; what is being chosen is tinted.
void CollectiveTimeline::paint_range(QPainter& painter, const ThemeColors& colors) const {
    const QRect inside = area();
    if (range_ != TimeSpan()) {
        QColor pale = colors.surface;
        pale.setAlphaF(0.7F);
        const double left =
            range_.from_us == TimeSpan::kOpenBegin ? inside.left() : x_of(double(range_.from_us));
        const double right =
            range_.until_us == TimeSpan::kOpenEnd ? inside.right() + 1 : x_of(double(range_.until_us));
        painter.fillRect(QRectF(QPointF(inside.left(), inside.top()), QPointF(left, inside.bottom() + 1)),
                         pale);
        painter.fillRect(
            QRectF(QPointF(right, inside.top()), QPointF(inside.right() + 1, inside.bottom() + 1)), pale);
        if (!has_operations_in_view()) {
            painter.setPen(colors.muted);
            painter.drawText(inside.adjusted(kPaintPad, kPaintPad, -kPaintPad, -kPaintPad),
                             Qt::AlignCenter | Qt::TextWordWrap,
                             tr("No operation of these times is kept: only the newest of each rank are."));
        }
    }
    if (choosing_ && dragging_) {
        QColor tint = colors.accent;
        tint.setAlphaF(0.25F);
        painter.fillRect(QRect(QPoint(std::min(pressed_.x(), chosen_to_), inside.top()),
                               QPoint(std::max(pressed_.x(), chosen_to_), inside.bottom())),
                         tint);
    }
}

}  // namespace rankscope::gui
