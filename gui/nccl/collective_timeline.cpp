// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/nccl/collective_format.h>
#include <gui/nccl/collective_timeline.h>
#include <gui/plain_text.h>
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

}  // namespace

QString open_age_text(double seconds) {
    return seconds < 60 ? CollectiveTimeline::tr("open for %1 s").arg(seconds, 0, 'f', seconds < 10 ? 1 : 0)
                        : CollectiveTimeline::tr("open for %1 min %2 s")
                              .arg(int(seconds / 60))
                              .arg(int(seconds) % 60, 2, 10, QChar(u'0'));
}

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
    if (range_waits_) {
        range_waits_ = !show_range();
    } else if (following_) {
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

void CollectiveTimeline::set_range(const TimeSpan& span) {
    if (span == range_) {
        return;
    }
    range_ = span;
    range_waits_ = false;
    if (range_ == TimeSpan()) {
        following_ = true;
        fit_time();
    } else {
        range_waits_ = !show_range();
    }
    update();
}

// An open end: the oldest and the newest that is known.
bool CollectiveTimeline::show_range() {
    if (!report_) {
        return false;
    }
    auto earliest = double(report_->last_us);
    for (const ReportRank& rank : report_->ranks) {
        if (!rank.recent.empty()) {
            earliest = std::min(earliest, double(rank.recent.begin()->start_us));
        }
    }
    const double begin = range_.from_us == TimeSpan::kOpenBegin ? earliest : double(range_.from_us);
    const double end =
        range_.until_us == TimeSpan::kOpenEnd ? double(report_->last_us) : double(range_.until_us);
    begin_us_ = begin;
    end_us_ = std::max(end, begin + kShortestSpan);
    following_ = false;
    return true;
}

bool CollectiveTimeline::has_operations_in_view() const {
    return std::any_of(report_->ranks.begin(), report_->ranks.end(), [this](const ReportRank& rank) {
        const bool recent =
            std::any_of(rank.recent.begin(), rank.recent.end(), [this](const RecentOperation& operation) {
                return double(operation.start_us) <= end_us_ &&
                       double(operation.start_us) + operation.seconds * 1e6 >= begin_us_;
            });
        return recent || std::any_of(rank.open.begin(), rank.open.end(), [this](const RecentOperation& open) {
                   return double(open.start_us) <= end_us_;
               });
    });
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

double CollectiveTimeline::time_of(double x) const {
    const QRect inside = area();
    return begin_us_ + (end_us_ - begin_us_) * (x - inside.left()) / std::max(inside.width(), 1);
}

// Of an open operation: the newest that is known of it.
double CollectiveTimeline::open_end(const ReportRank& rank, const RecentOperation& open) const {
    const double known = double(open.start_us) + open.seconds * 1e6;
    return std::max({known, double(rank.seen_us), double(report_->last_us)});
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
    text +=
        u"\n"_s % (open ? open_age_text((open_end(of_rank, operation) - double(operation.start_us)) * 1e-6)
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
        const double at = time_of(point.x());
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
        text.isEmpty() ? QToolTip::hideText() : QToolTip::showText(help->globalPos(), plain_text(text), this);
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
    choosing_ = event->button() == Qt::LeftButton && event->modifiers().testFlag(Qt::ControlModifier);
}

void CollectiveTimeline::mouseMoveEvent(QMouseEvent* event) {
    const QPoint by = event->pos() - pressed_;
    if (!event->buttons().testFlag(Qt::LeftButton) || (!dragging_ && by.manhattanLength() < 4)) {
        return;
    }
    dragging_ = true;
    if (choosing_) {
        chosen_to_ = event->pos().x();
        update();
        return;
    }
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
    const auto [from, until] = std::minmax({time_of(pressed_.x()), time_of(event->pos().x())});
    if (!dragging_ && rank >= 0) {
        emit rankChosen(rank);
    } else if (dragging_ && choosing_ && from < until) {
        emit rangeChosen({std::llround(from), std::llround(until)});
    }
    dragging_ = false;
    choosing_ = false;
    update();
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
