// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/collective_format.h>
#include <gui/nccl/collective_timeline.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kPad = 6;
constexpr int kLowestRow = 3;    ///< pixels: below, ranks share a row
constexpr int kHighestRow = 26;  ///< few ranks do not fill the widget
constexpr double kUsualSpan = 10e6;
constexpr double kShortestSpan = 50;  ///< µs
constexpr double kRoom = 0.02;        ///< of the span, at the right edge

QString age_text(double seconds) {
    return seconds < 60 ? CollectiveTimeline::tr("open for %1 s").arg(seconds, 0, 'f', seconds < 10 ? 1 : 0)
                        : CollectiveTimeline::tr("open for %1 min %2 s")
                              .arg(int(seconds / 60))
                              .arg(int(seconds) % 60, 2, 10, QChar(u'0'));
}

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

QString behind_text(const CollectiveReport& report, const BehindOf& behind) {
    return CollectiveTimeline::tr("has not entered %1 %2 (it entered %3)")
        .arg(qs(report.functions[behind.function]))
        .arg(behind.wanted)
        .arg(behind.entered);
}

CollectiveTimeline::CollectiveTimeline(QWidget* parent) : QWidget(parent) {
    setObjectName(u"collectiveTimeline"_s);
    setAccessibleName(tr("Operations of each rank over time"));
    setFocusPolicy(Qt::StrongFocus);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Expanding);
}

void CollectiveTimeline::set_report(const std::shared_ptr<const CollectiveReport>& report, int ranks,
                                    int communicator) {
    report_ = report;
    communicator_ = communicator;
    const std::size_t before = ranks_.size();
    ranks_.clear();
    of_report_.clear();
    for (std::size_t i = 0; report_ && i < report_->ranks.size(); ++i) {
        of_report_[report_->ranks[i].rank] = i;
    }
    for (int rank = 0; rank < ranks; ++rank) {
        ranks_.push_back(rank);
    }
    for (const auto& [rank, at] : of_report_) {
        if (rank >= ranks) {
            ranks_.push_back(rank);
        }
    }
    if (ranks_.size() != before) {
        first_row_ = shown_rows_ = 0;
    }
    if (following_) {
        fit_time();
    }
    update();
}

void CollectiveTimeline::set_selected(const std::vector<int>& ranks) {
    std::vector<int> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != selected_) {
        selected_ = std::move(sorted);
        update();
    }
}

int CollectiveTimeline::selected_in(const Row& row) const {
    for (int i = row.first; i < row.first + row.count; ++i) {
        if (std::binary_search(selected_.begin(), selected_.end(), ranks_[std::size_t(i)])) {
            return ranks_[std::size_t(i)];
        }
    }
    return -1;
}

bool CollectiveTimeline::wanted(std::size_t communicator) const {
    return communicator_ < 0 || communicator == std::size_t(communicator_);
}

bool CollectiveTimeline::is_behind(const ReportRank& rank) const {
    return std::any_of(rank.behind.begin(), rank.behind.end(),
                       [&](const BehindOf& behind) { return wanted(behind.communicator); });
}

const ReportRank* CollectiveTimeline::rank(int index) const {
    const auto at = of_report_.find(ranks_[std::size_t(index)]);
    return at == of_report_.end() ? nullptr : &report_->ranks[at->second];
}

// The newest seconds, or more where an operation is open for longer.
void CollectiveTimeline::fit_time() {
    if (!report_ || report_->ranks.empty()) {
        return;
    }
    auto last = double(report_->last_us);
    double earliest = last;
    double oldest_open = last;
    for (const ReportRank& rank : report_->ranks) {
        if (!rank.recent.empty()) {
            earliest = std::min(earliest, double(rank.recent.begin()->start_us));
            last = std::max(last, double(rank.last_end_us));
        }
        for (const RecentOperation& open : rank.open) {
            oldest_open = std::min(oldest_open, double(open.start_us));
        }
    }
    const double open_for = last - oldest_open;
    end_us_ = last;
    begin_us_ = std::min(oldest_open - std::max(open_for * 0.4, 1e6),
                         std::max(earliest, last - kUsualSpan - open_for));
    begin_us_ = oldest_open < last ? begin_us_ : std::max(earliest, last - kUsualSpan);
    const double span = std::max(end_us_ - begin_us_, kShortestSpan);
    begin_us_ = end_us_ - span;
    end_us_ += span * kRoom;
}

void CollectiveTimeline::fit() {
    following_ = true;
    first_row_ = shown_rows_ = 0;
    fit_time();
    update();
}

QRect CollectiveTimeline::area() const {
    const QFontMetrics metrics = fontMetrics();
    const QString longest =
        ranks_.empty() ? u"0"_s : QString(QString::number(ranks_.back()).size(), QChar(u'8'));
    const int left = kPad + metrics.horizontalAdvance(tr("rank %1").arg(longest)) + kPad;
    const int right = metrics.horizontalAdvance(u"100 % · 100 %"_s) + 2 * kPad;
    return rect().adjusted(left, metrics.height() + 2, -right, -metrics.height() - 4);
}

std::vector<CollectiveTimeline::Row> CollectiveTimeline::lay_out() const {
    std::vector<Row> rows;
    const QRect inside = area();
    const auto all = double(ranks_.size());
    if (ranks_.empty() || inside.height() < kLowestRow) {
        return rows;
    }
    const double shown = shown_rows_ > 0 ? std::min(shown_rows_, all) : all;
    const double first = std::clamp(first_row_, 0.0, all - shown);
    const double most = double(inside.height()) / kLowestRow;
    const int shared = std::max(int(std::ceil(shown / most)), 1);
    const double height = std::min(double(inside.height()) / std::ceil(shown / shared), double(kHighestRow));
    double top = inside.top();
    for (int at = int(first); at < int(std::ceil(first + shown)) && at < int(ranks_.size()); at += shared) {
        rows.push_back({at, std::min(shared, int(ranks_.size()) - at), top, height});
        top += height;
    }
    return rows;
}

int CollectiveTimeline::rank_at(const QPoint& point) const {
    for (const Row& row : lay_out()) {
        if (point.y() >= row.top && point.y() < row.top + row.height) {
            return ranks_[std::size_t(row.first)];
        }
    }
    return -1;
}

QRect CollectiveTimeline::row_of(int rank) const {
    const QRect inside = area();
    for (const Row& row : lay_out()) {
        const auto begin = ranks_.begin() + row.first;
        if (std::find(begin, begin + row.count, rank) != begin + row.count) {
            return QRectF(inside.left(), row.top, inside.width(), row.height).toRect();
        }
    }
    return {};
}

double CollectiveTimeline::x_of(double t_us) const {
    const QRect inside = area();
    return inside.left() + inside.width() * (t_us - begin_us_) / std::max(end_us_ - begin_us_, 1.0);
}

// Of an open operation: the newest that is known of it.
double CollectiveTimeline::open_end(const ReportRank& rank, const RecentOperation& open) const {
    const double known = double(open.start_us) + open.seconds * 1e6;
    return std::max({known, double(rank.seen_us), double(report_->last_us)});
}

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
        const QRectF box(left, row.top + gap, std::max(right - left, 2.0),
                         std::max(row.height - 2 * gap, 1.0));
        QColor color = function_color(report_->functions[open.function], colors.dark);
        QColor pale = color;
        pale.setAlphaF(0.25F);
        painter.fillRect(box, pale);
        painter.fillRect(box, QBrush(color, Qt::BDiagPattern));
        const QString text = age_text((open_end(of_rank, open) - double(open.start_us)) * 1e-6);
        if (row.height >= fontMetrics().height() &&
            box.width() > fontMetrics().horizontalAdvance(text) + 2 * kPad) {
            const QRectF label(box.left() + kPad, box.top() + 1, fontMetrics().horizontalAdvance(text) + 4,
                               box.height() - 2);
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
    painter.drawText(box.adjusted(kPad, 0, -kPad, 0), Qt::AlignLeft | Qt::AlignVCenter,
                     fontMetrics().elidedText(text, Qt::ElideRight, int(box.width()) - 2 * kPad));
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
            painter.drawText(QRectF(inside.left() + kPad, row.top, inside.width() - kPad, row.height),
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
    const double left = inside.right() + kPad;
    const double room = width() - left - kPad;
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
    painter.drawText(QRect(inside.right() + kPad, 0, width() - inside.right() - kPad, line),
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
            painter.drawText(QRectF(0, top, inside.left() - kPad, line), Qt::AlignRight | Qt::AlignVCenter,
                             tr("rank %1").arg(shown));
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
    painter.restore();
    paint_labels(painter, rows, colors);
    if (hasFocus()) {
        painter.setPen(QPen(colors.accent, 1));
        painter.setBrush(Qt::NoBrush);
        painter.drawRect(rect().adjusted(0, 0, -1, -1));
    }
}

QString CollectiveTimeline::operation_text(const ReportRank& of_rank, const RecentOperation& operation,
                                           bool open) const {
    QString text = tr("%1 %2, %3")
                       .arg(qs(report_->functions[operation.function]))
                       .arg(operation.sequence)
                       .arg(size_text(double(operation.bytes)));
    if (operation.point_to_point && operation.peer >= 0) {
        text += tr(", peer %1").arg(operation.peer);
    }
    text += u"\n"_s % (open ? age_text((open_end(of_rank, operation) - double(operation.start_us)) * 1e-6)
                            : latency_text(operation.seconds));
    return text + u"\n"_s + communicator_text(report_->communicators[operation.communicator]);
}

QString CollectiveTimeline::describe(const QPoint& point) const {
    const QRect inside = area();
    for (const Row& row : lay_out()) {
        if (point.y() < row.top || point.y() >= row.top + row.height) {
            continue;
        }
        const ReportRank* of_rank = rank(row.first);
        for (int i = row.first; i < row.first + row.count; ++i) {
            of_rank = rank(i) != nullptr && is_behind(*rank(i)) ? rank(i) : of_rank;
        }
        const int shown = of_rank != nullptr ? of_rank->rank : ranks_[std::size_t(row.first)];
        QStringList lines{row.count == 1 || (of_rank != nullptr && is_behind(*of_rank))
                              ? tr("Rank %1").arg(shown)
                              : tr("Ranks %1–%2")
                                    .arg(ranks_[std::size_t(row.first)])
                                    .arg(ranks_[std::size_t(row.first + row.count - 1)])};
        if (of_rank == nullptr) {
            return QString(lines.front() % u'\n' % tr("nothing was heard of its NCCL"));
        }
        for (const BehindOf& behind : of_rank->behind) {
            lines += behind_text(*report_, behind);
        }
        if (!of_rank->unavailable.empty()) {
            lines += unavailable_text(of_rank->unavailable);
        }
        const double at = begin_us_ + (end_us_ - begin_us_) * (point.x() - inside.left()) / inside.width();
        const double slack = 2 * (end_us_ - begin_us_) / inside.width();
        for (const RecentOperation& open : of_rank->open) {
            if (at >= double(open.start_us) - slack && at <= open_end(*of_rank, open) + slack) {
                lines += operation_text(*of_rank, open, true);
                return lines.join(u'\n');
            }
        }
        for (const RecentOperation& operation : of_rank->recent) {
            const auto start = double(operation.start_us);
            if (at >= start - slack && at <= start + operation.seconds * 1e6 + slack) {
                lines += operation_text(*of_rank, operation, false);
                break;
            }
        }
        return lines.join(u'\n');
    }
    return {};
}

bool CollectiveTimeline::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const QString text = report_ ? describe(help->pos()) : QString();
        text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), text, this);
        return true;
    }
    return QWidget::event(event);
}

void CollectiveTimeline::zoom_time(double factor, double x) {
    const QRect inside = area();
    const double share = std::clamp((x - inside.left()) / std::max(inside.width(), 1), 0.0, 1.0);
    const double at = begin_us_ + (end_us_ - begin_us_) * share;
    const double span = std::clamp((end_us_ - begin_us_) * factor, kShortestSpan, 1e12);
    begin_us_ = at - span * share;
    end_us_ = begin_us_ + span;
    following_ = false;
    update();
}

void CollectiveTimeline::zoom_ranks(double factor, double y) {
    const auto all = double(ranks_.size());
    const QRect inside = area();
    const double before = shown_rows_ > 0 ? shown_rows_ : all;
    const double share = std::clamp((y - inside.top()) / std::max(inside.height(), 1), 0.0, 1.0);
    const double at = first_row_ + before * share;
    const double shown = std::clamp(before * factor, std::min(4.0, all), all);
    shown_rows_ = shown;
    first_row_ = std::clamp(at - shown * share, 0.0, all - shown);
    update();
}

void CollectiveTimeline::move(double pixels) {
    const double by = pixels * (end_us_ - begin_us_) / std::max(area().width(), 1);
    begin_us_ += by;
    end_us_ += by;
    following_ = false;
    update();
}

void CollectiveTimeline::move_ranks(double rows) {
    const auto all = double(ranks_.size());
    first_row_ = std::clamp(first_row_ + rows, 0.0, shown_rows_ > 0 ? all - shown_rows_ : 0.0);
    update();
}

void CollectiveTimeline::wheelEvent(QWheelEvent* event) {
    const double factor = std::pow(0.998, event->angleDelta().y());
    if (event->modifiers().testFlag(Qt::ControlModifier)) {
        zoom_ranks(factor, event->position().y());
    } else {
        zoom_time(factor, event->position().x());
    }
    event->accept();
}

void CollectiveTimeline::mousePressEvent(QMouseEvent* event) {
    pressed_ = event->pos();
    dragging_ = false;
}

void CollectiveTimeline::mouseMoveEvent(QMouseEvent* event) {
    const QPoint by = event->pos() - pressed_;
    if (!event->buttons().testFlag(Qt::LeftButton) || (!dragging_ && by.manhattanLength() < 4)) {
        return;
    }
    dragging_ = true;
    if (by.x() != 0) {
        move(-by.x());
    }
    const std::vector<Row> rows = lay_out();
    if (by.y() != 0 && !rows.empty()) {
        move_ranks(-by.y() / rows.front().height * rows.front().count);
    }
    pressed_ = event->pos();
}

void CollectiveTimeline::mouseReleaseEvent(QMouseEvent* event) {
    const int rank = rank_at(event->pos());
    if (!dragging_ && rank >= 0) {
        emit rankChosen(rank);
    }
    dragging_ = false;
}

void CollectiveTimeline::mouseDoubleClickEvent(QMouseEvent*) {
    fit();
}

void CollectiveTimeline::keyPressEvent(QKeyEvent* event) {
    const QRect inside = area();
    switch (event->key()) {
        case Qt::Key_Plus:
            return zoom_time(0.7, inside.center().x());
        case Qt::Key_Minus:
            return zoom_time(1 / 0.7, inside.center().x());
        case Qt::Key_Left:
            return move(-0.2 * inside.width());
        case Qt::Key_Right:
            return move(0.2 * inside.width());
        case Qt::Key_Up:
            return move_ranks(-1);
        case Qt::Key_Down:
            return move_ranks(1);
        case Qt::Key_0:
            return fit();
        default:
            QWidget::keyPressEvent(event);
    }
}

}  // namespace rankscope::gui
