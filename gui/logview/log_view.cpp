// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/actions/page_command.h>
#include <gui/logview/log_view.h>
#include <gui/logview/log_view_accessible.h>
#include <gui/logview/mark_bar.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QAccessible>
#include <QDateTime>
#include <QFontDatabase>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::uint32_t kShownTextRows = 20000;
constexpr int kWheelNotch = 120;
constexpr int kWantedLines = 13;

/// "14:03:22". Many lines share a second, and the calendar is slow.
QString clock_text(std::int64_t t_us, Qt::TimeSpec zone) {
    thread_local std::int64_t second = -1;
    thread_local Qt::TimeSpec of = Qt::LocalTime;
    thread_local QString text;
    if (t_us / 1'000'000 != second || zone != of) {
        second = t_us / 1'000'000;
        of = zone;
        text = QDateTime::fromSecsSinceEpoch(second, zone).toString(u"HH:mm:ss"_s);
    }
    return text;
}

}  // namespace

LogView::LogView(LogRows* rows, QWidget* parent)
    : QAbstractScrollArea(parent), rows_(rows), bar_(new MarkBar(this)) {
    setFont(QFontDatabase::systemFont(QFontDatabase::FixedFont));
    setVerticalScrollBar(bar_);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setCursor(Qt::IBeamCursor);
    viewport()->setBackgroundRole(QPalette::Base);
    make_log_views_accessible();
    measure();
    connect(this, &LogView::currentLineChanged, this, [this] {
        QAccessibleValueChangeEvent event(this, QVariant());
        QAccessible::updateAccessibility(&event);
    });
    connect(rows_, &LogRows::wasReset, this, &LogView::rows_reset);
    connect(rows_, &LogRows::changed, this, &LogView::rows_changed);
    on_command(
        this, PageCommand::Copy, [this] { copy(); }, [this] { return has_selection(); });
}

LogView::~LogView() = default;

void LogView::measure() {
    const QFontMetricsF metrics(font());
    // The baseline is on a whole pixel, so each part is rounded up by itself; the last pixel is for smoothed edges.
    ascent_ = int(std::ceil(metrics.ascent()));
    line_height_ = ascent_ + int(std::ceil(metrics.descent())) + 1;
    char_width_ = std::max(metrics.horizontalAdvance(QString(64, u'0')) / 64, 1.0);
    forget_layouts();
}

QSize LogView::sizeHint() const {
    return {QAbstractScrollArea::sizeHint().width(), kWantedLines * line_height_ + 2 * frameWidth()};
}

void LogView::forget_layouts() {
    laid_.clear();
    viewport()->update();
}

void LogView::set_time_column(TimeColumn time) {
    time_ = time;
    forget_layouts();
    update_bars();
}

void LogView::set_start(std::int64_t start_us) {
    if (start_us != start_us_) {
        start_us_ = start_us;
        viewport()->update();
    }
}

void LogView::set_rank_column(int most_rank, bool on) {
    if (most_rank != most_rank_ || on != shows_rank_) {
        most_rank_ = most_rank;
        shows_rank_ = on;
        forget_layouts();
        update_bars();
    }
}

void LogView::set_labels(std::function<QString(std::uint32_t line)> label, int width) {
    label_ = std::move(label);
    shows_rank_ = !label_;
    label_width_ = width;
    forget_layouts();
    update_bars();
}

void LogView::set_label_width(int width) {
    if (width != label_width_) {
        label_width_ = width;
        forget_layouts();
        update_bars();
    }
}

void LogView::set_selected_ranks(const std::vector<int>& ranks) {
    std::vector<int> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    if (sorted != selected_ranks_) {
        selected_ranks_ = std::move(sorted);
        viewport()->update();
    }
}

bool LogView::is_of_selected_rank(std::uint32_t line) const {
    const auto selected = [this](int rank) {
        return std::binary_search(selected_ranks_.begin(), selected_ranks_.end(), rank);
    };
    if (selected_ranks_.empty() || !rows_->folded()) {
        return selected(rows_->store().rank(line));
    }
    const std::vector<int> ranks = rows_->rings().ranks_of(rows_->store(), line);
    return std::any_of(ranks.begin(), ranks.end(), selected);
}

std::optional<std::pair<std::uint32_t, std::uint32_t>> LogView::selected_lines() const {
    if (!has_selection()) {
        return {};
    }
    const auto [first, last] = selection();
    return std::pair(first.line, last.line);
}

void LogView::set_wrapping(bool on) {
    wraps_ = on;
    top_sub_ = 0;
    forget_layouts();
    setHorizontalScrollBarPolicy(on ? Qt::ScrollBarAlwaysOff : Qt::ScrollBarAsNeeded);
    update_bars();
    set_top(top_row_, 0);
    if (follows_) {
        to_end();
    }
}

void LogView::set_following(bool on) {
    if (on != follows_) {
        follows_ = on;
        emit followingChanged(on);
    }
    if (on) {
        to_end();
    }
}

void LogView::rows_reset() {
    anchor_.reset();
    caret_.reset();
    widest_ = 0;
    top_row_ = 0;
    top_sub_ = 0;
    top_line_ = 0;
    drawn_search_ = rows_->wanted();
    forget_layouts();
    update_bars();
    set_following(true);
    update_marks();
    emit currentLineChanged();
}

QString LogView::message() const {
    const std::optional<double> ordered = rows_->ordered();
    if (!ordered || *ordered <= 0) {
        return {};
    }
    return (rows_->folded() ? tr("Folding the lines: %1") : tr("Sorting the lines: %1"))
        .arg(percent_text(*ordered, 0));
}

void LogView::rows_changed() {
    if (drawn_search_ != rows_->wanted()) {
        drawn_search_ = rows_->wanted();
        laid_.clear();
    }
    if (rows_->folded()) {
        laid_.clear();  // more ranks may have printed what is there
    }
    update_bars();
    if (follows_) {
        to_end();
    } else if (rows_->count() > 0) {
        set_top(rows_->row_of(top_line_), top_sub_);
    }
    update_marks();
    viewport()->update();
}

void LogView::update_marks() {
    const std::uint32_t matches = rows_->matches();
    std::vector<bool> marks;
    if (matches > 0 && !rows_->shows_only_matches()) {
        marks.assign(MarkBar::kPlaces, false);
        const auto rows = std::max<std::uint64_t>(rows_->count(), 1);
        // By places where there are many matches: each is looked up once.
        for (std::uint64_t place = 0; place < MarkBar::kPlaces; ++place) {
            const auto begin = std::uint32_t(place * rows / MarkBar::kPlaces);
            const std::uint32_t match = rows_->match_from(begin);
            marks[place] = match < matches &&
                           rows_->match_row(match) <
                               std::max((place + 1) * rows / MarkBar::kPlaces, std::uint64_t(begin) + 1);
        }
    }
    bar_->set_marks(std::move(marks));
}

int LogView::page_lines() const {
    return std::max(viewport()->height() / line_height_, 1);
}

int LogView::text_width() const {
    return std::max(viewport()->width() - gutter().width - 4, 40);
}

int LogView::lines_of(std::uint32_t row) const {
    return wraps_ ? laid(rows_->line(row)).lines : 1;
}

// The top row, and what is above the view of it, with which the last row is at the bottom.
std::uint32_t LogView::last_top_row(int* sub) const {
    *sub = 0;
    const std::uint32_t count = rows_->count();
    int left = page_lines();
    if (!wraps_) {
        return count - std::min(count, std::uint32_t(left));
    }
    std::uint32_t row = count;
    while (row > 0 && left > 0) {
        --row;
        left -= lines_of(row);
    }
    *sub = std::max(-left, 0);
    return row;
}

// A scroll bar counts to 2^31.
int LogView::bar_shift() const {
    return rows_->count() > std::uint32_t(std::numeric_limits<int>::max()) ? 1 : 0;
}

void LogView::update_bars() {
    moving_bars_ = true;
    int sub = 0;
    const std::uint32_t last = last_top_row(&sub);
    bar_->setRange(0, int(last >> bar_shift()) + (wraps_ && sub > 0 ? 1 : 0));
    bar_->setPageStep(page_lines());
    bar_->setSingleStep(1);
    bar_->setValue(int(top_row_ >> bar_shift()));
    QScrollBar* across = horizontalScrollBar();
    across->setRange(0, wraps_ ? 0 : std::max(int(widest_) + 8 - text_width(), 0));
    across->setPageStep(text_width());
    across->setSingleStep(int(char_width_ * 4));
    moving_bars_ = false;
}

void LogView::set_top(std::uint32_t row, int sub) {
    int last_sub = 0;
    const std::uint32_t last = last_top_row(&last_sub);
    if (row > last || (row == last && sub > last_sub)) {
        row = last;
        sub = last_sub;
    }
    top_row_ = row;
    top_sub_ = sub;
    top_line_ = row < rows_->count() ? rows_->line(row) : 0;
    moving_bars_ = true;
    const bool at_end = row == last && sub == last_sub;
    bar_->setValue(at_end ? bar_->maximum() : int(row >> bar_shift()));
    moving_bars_ = false;
    viewport()->update();
}

void LogView::to_end() {
    int sub = 0;
    const std::uint32_t row = last_top_row(&sub);
    set_top(row, sub);
    moving_bars_ = true;
    horizontalScrollBar()->setValue(0);
    moving_bars_ = false;
}

void LogView::user_scrolled() {
    int sub = 0;
    const std::uint32_t last = last_top_row(&sub);
    const bool at_end = top_row_ > last || (top_row_ == last && top_sub_ >= sub);
    if (at_end != follows_) {
        follows_ = at_end;
        emit followingChanged(at_end);
    }
}

void LogView::scrollContentsBy(int /*dx*/, int dy) {
    viewport()->update();
    if (moving_bars_ || dy == 0) {
        return;
    }
    if (bar_->value() >= bar_->maximum()) {
        int sub = 0;
        const std::uint32_t row = last_top_row(&sub);
        set_top(row, sub);
    } else {
        set_top(std::uint32_t(bar_->value()) << bar_shift(), 0);
    }
    user_scrolled();
}

void LogView::scroll_lines(int lines) {
    if (!wraps_) {
        const std::int64_t row = std::int64_t(top_row_) + lines;
        set_top(std::uint32_t(std::clamp<std::int64_t>(row, 0, rows_->count())), 0);
    } else {
        std::uint32_t row = top_row_;
        int sub = top_sub_ + lines;
        while (sub < 0 && row > 0) {
            sub += lines_of(--row);
        }
        while (row < rows_->count() && sub >= lines_of(row)) {
            sub -= lines_of(row++);
        }
        set_top(row, std::max(sub, 0));
    }
    user_scrolled();
}

void LogView::wheelEvent(QWheelEvent* event) {
    if (event->modifiers().testFlag(Qt::ShiftModifier) || event->angleDelta().y() == 0) {
        QAbstractScrollArea::wheelEvent(event);
        return;
    }
    const QPoint pixels = event->pixelDelta();
    constexpr int kLinesPerNotch = 3;
    wheel_rest_ +=
        pixels.isNull() ? event->angleDelta().y() * kLinesPerNotch * line_height_ / kWheelNotch : pixels.y();
    const int lines = wheel_rest_ / line_height_;
    wheel_rest_ -= lines * line_height_;
    if (lines != 0) {
        scroll_lines(-lines);
    }
    event->accept();
}

void LogView::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    if (wraps_) {
        laid_.clear();
    }
    update_bars();
    if (follows_) {
        to_end();
    } else {
        set_top(top_row_, top_sub_);
        keep_caret_in_view(event->oldSize().height());
    }
}

// The scroll bar below comes when a wide line was drawn: the line that the user asked for must not be behind it.
void LogView::keep_caret_in_view(int old_height) {
    if (!caret_ || !rows_->has(caret_->line)) {
        return;
    }
    const std::uint32_t row = rows_->row_of(caret_->line);
    int bottom = -top_sub_ * line_height_;
    for (std::uint32_t at = top_row_; at <= row && bottom <= old_height; ++at) {
        bottom += lines_of(at) * line_height_;
    }
    if (row < top_row_ || bottom > old_height) {
        return;  // it was not in view
    }
    for (; bottom > viewport()->height() && top_row_ < row; set_top(top_row_ + 1, 0)) {
        bottom -= lines_of(top_row_) * line_height_;
    }
}

void LogView::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange) {
        measure();
        update_bars();
    } else if (event->type() == QEvent::PaletteChange) {
        forget_layouts();
    }
}

QString LogView::time_text(std::uint32_t line) const {
    const std::int64_t t_us = rows_->store().t_us(line);
    if (t_us <= 0 || time_ == TimeColumn::None) {
        return {};
    }
    if (time_ != TimeColumn::SinceStart) {
        return clock_text(t_us, time_ == TimeColumn::Printed ? Qt::UTC : Qt::LocalTime);
    }
    const std::int64_t ms = (t_us - start_us_) / 1000;
    return u"%1%2.%3"_s.arg(ms < 0 ? u"-"_s : u"+"_s)
        .arg(qlonglong(std::abs(ms) / 1000))
        .arg(qlonglong(std::abs(ms) % 1000), 3, 10, QChar(u'0'));
}

QString LogView::row_text(std::uint32_t row) const {
    const std::uint32_t line = rows_->line(row);
    const LineSource& store = rows_->store();
    QString text = time_text(line);
    text += text.isEmpty() ? QString() : u"  "_s;
    if (label_) {
        text += label_(line) + u"  "_s;
    } else if (shows_rank_) {
        text += qs(rows_->rings().rank_label(store, line));
    }
    const LogKind kind = store.kind(line);
    text += kind == LogKind::Err ? u"! "_s : kind == LogKind::Event ? u"• "_s : QString();
    return text + line_text(store, line, nullptr, {}).text;
}

QString LogView::shown_text() const {
    QString text;
    const std::uint32_t count = rows_->count();
    for (std::uint32_t row = count - std::min(count, kShownTextRows); row < count; ++row) {
        text += row_text(row) + u'\n';
    }
    return text;
}

std::optional<std::uint32_t> LogView::current_line() const {
    return caret_ ? std::optional(caret_->line) : std::nullopt;
}

}  // namespace rankscope::gui
