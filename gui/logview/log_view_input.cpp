// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logview/log_view.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QTextBoundaryFinder>
#include <algorithm>
#include <limits>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kDragScrollMs = 30;
constexpr int kToEnd = std::numeric_limits<int>::max();

}  // namespace

std::pair<LogView::Place, LogView::Place> LogView::selection() const {
    if (anchor_->line == caret_->line) {
        return anchor_->column <= caret_->column ? std::pair(*anchor_, *caret_)
                                                 : std::pair(*caret_, *anchor_);
    }
    return stands_before(rows_->store(), anchor_->line, caret_->line) ? std::pair(*anchor_, *caret_)
                                                                      : std::pair(*caret_, *anchor_);
}

void LogView::set_caret(Place place, bool keep_anchor) {
    const bool other_line = !caret_ || caret_->line != place.line;
    caret_ = place;
    if (!keep_anchor || !anchor_) {
        anchor_ = place;
    }
    viewport()->update();
    if (other_line) {
        emit currentLineChanged();
    }
}

void LogView::select_all() {
    const std::uint32_t count = rows_->count();
    if (count > 0) {
        anchor_ = Place{rows_->line(0), 0};
        const std::uint32_t last = rows_->line(count - 1);
        set_caret({last, laid(last).text.of_line}, true);
    }
}

void LogView::select_line(std::uint32_t row) {
    const std::uint32_t line = rows_->line(row);
    anchor_ = Place{line, laid(line).text.of_line};
    set_caret({line, 0}, true);
}

void LogView::show_row(std::uint32_t row) {
    if (row < rows_->count()) {
        set_following(false);
        const auto half = std::uint32_t(page_lines() / 2);
        set_top(row - std::min(row, half), 0);
        if (!viewport()->rect().contains(row_rect(row).topLeft())) {
            set_top(row, 0);
        }
    }
}

bool LogView::show_line(std::uint32_t line) {
    if (!rows_->has(line)) {
        return false;
    }
    const std::uint32_t row = rows_->row_of(line);
    show_row(row);
    select_line(row);
    return true;
}

void LogView::ensure_visible(Place place) {
    const std::uint32_t row = rows_->row_of(place.line);
    if (row < top_row_ || (row == top_row_ && top_sub_ > 0)) {
        set_top(row, 0);
    } else {
        // Up to the row whose end is still in view.
        while (top_row_ < row && row_rect(row).bottom() >= viewport()->height()) {
            set_top(top_row_ + std::max<std::uint32_t>((row - top_row_) / 64, 1), 0);
            if (row - top_row_ > std::uint32_t(page_lines())) {
                set_top(row - std::uint32_t(page_lines()), 0);
            }
        }
    }
    if (!wraps_) {
        QScrollBar* across = horizontalScrollBar();
        const Laid& of_line = laid(place.line);
        const int column = std::max(place.column - of_line.from, 0);
        const double x =
            of_line.text.is_ascii ? place.column * char_width_ : of_line.layout->lineAt(0).cursorToX(column);
        if (x < across->value()) {
            across->setValue(std::max(int(x) - text_width() / 4, 0));
        } else if (x > across->value() + text_width()) {
            across->setMaximum(std::max(across->maximum(), int(x) - text_width() + 8));
            across->setValue(int(x) - text_width() * 3 / 4);
        }
    }
    user_scrolled();
}

LogView::Place LogView::moved_by_rows(Place from, std::int64_t rows) const {
    const std::int64_t last = std::int64_t(rows_->count()) - 1;
    const std::int64_t row = std::clamp<std::int64_t>(std::int64_t(rows_->row_of(from.line)) + rows, 0, last);
    const std::uint32_t line = rows_->line(std::uint32_t(row));
    return {line, std::min(from.column, laid(line).text.of_line)};
}

int LogView::next_column(const Place& from, bool forward) const {
    const LineText& text = laid(from.line).text;
    QTextBoundaryFinder finder(QTextBoundaryFinder::Grapheme, text.text);
    finder.setPosition(from.column);
    const auto next = int(forward ? finder.toNextBoundary() : finder.toPreviousBoundary());
    return next < 0 ? from.column : std::min(next, text.of_line);
}

void LogView::move_caret(int key, bool control, bool keep_anchor) {
    if (rows_->count() == 0) {
        return;
    }
    if (!caret_ || !rows_->has(caret_->line)) {
        caret_ = Place{rows_->line(follows_ ? last_visible_row() : top_row_), 0};
        anchor_ = caret_;
    }
    Place to = *caret_;
    const std::int64_t page = std::max(page_lines() - 1, 1);
    const std::int64_t all = rows_->count();
    switch (key) {
        case Qt::Key_Up:
            to = moved_by_rows(to, -1);
            break;
        case Qt::Key_Down:
            to = moved_by_rows(to, 1);
            break;
        case Qt::Key_PageUp:
            scroll_lines(int(-page));
            to = moved_by_rows(to, -page);
            break;
        case Qt::Key_PageDown:
            scroll_lines(int(page));
            to = moved_by_rows(to, page);
            break;
        case Qt::Key_Left:
            to.column = next_column(to, false);
            break;
        case Qt::Key_Right:
            to.column = next_column(to, true);
            break;
        case Qt::Key_Home:
            to = control ? Place{rows_->line(0), 0} : Place{to.line, 0};
            break;
        default:
            to = control ? moved_by_rows({to.line, kToEnd}, all) : Place{to.line, laid(to.line).text.of_line};
            break;
    }
    set_caret(to, keep_anchor);
    ensure_visible(to);
    if (key == Qt::Key_End && control) {
        set_following(true);
    }
}

bool LogView::event(QEvent* event) {
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (key->matches(QKeySequence::Copy) || key->matches(QKeySequence::SelectAll)) {
            event->accept();
            return true;
        }
    }
    return QAbstractScrollArea::event(event);
}

void LogView::keyPressEvent(QKeyEvent* event) {
    const bool control = event->modifiers().testFlag(Qt::ControlModifier);
    if (event->matches(QKeySequence::Copy)) {
        copy();
    } else if (event->matches(QKeySequence::SelectAll)) {
        select_all();
    } else if (event->key() == Qt::Key_Escape && has_selection()) {
        set_caret(*caret_, false);
    } else if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && caret_) {
        emit lineActivated(caret_->line);
    } else if (control && (event->key() == Qt::Key_Up || event->key() == Qt::Key_Down)) {
        scroll_lines(event->key() == Qt::Key_Up ? -1 : 1);
    } else if (const int key = event->key(); key == Qt::Key_Up || key == Qt::Key_Down ||
                                             key == Qt::Key_Left || key == Qt::Key_Right ||
                                             key == Qt::Key_PageUp || key == Qt::Key_PageDown ||
                                             key == Qt::Key_Home || key == Qt::Key_End) {
        move_caret(key, control, event->modifiers().testFlag(Qt::ShiftModifier));
    } else {
        QAbstractScrollArea::keyPressEvent(event);
    }
}

void LogView::mousePressEvent(QMouseEvent* event) {
    const std::optional<Place> place = place_at(event->position().toPoint());
    if (event->button() != Qt::LeftButton || !place) {
        return;
    }
    if (event->position().x() < gutter().sign) {
        select_line(rows_->row_of(place->line));
    } else {
        set_caret(*place, event->modifiers().testFlag(Qt::ShiftModifier));
    }
    dragging_ = true;
    last_mouse_ = event->position().toPoint();
}

void LogView::mouseMoveEvent(QMouseEvent* event) {
    if (!dragging_) {
        return;
    }
    last_mouse_ = event->position().toPoint();
    const bool outside = last_mouse_.y() < 0 || last_mouse_.y() >= viewport()->height();
    if (outside && !drag_timer_.isActive()) {
        drag_timer_.start(kDragScrollMs, this);
    } else if (!outside) {
        drag_timer_.stop();
    }
    if (const auto place = place_at(last_mouse_)) {
        set_caret(*place, true);
    }
}

void LogView::timerEvent(QTimerEvent* event) {
    if (event->timerId() != drag_timer_.timerId()) {
        QAbstractScrollArea::timerEvent(event);
        return;
    }
    const int beyond = last_mouse_.y() < 0 ? last_mouse_.y() : last_mouse_.y() - viewport()->height();
    scroll_lines(std::clamp(beyond / 8, -20, 20) + (beyond < 0 ? -1 : 1));
    const int inside = std::clamp(last_mouse_.y(), 0, viewport()->height() - 1);
    if (const auto place = place_at({last_mouse_.x(), inside})) {
        set_caret(*place, true);
    }
}

void LogView::mouseReleaseEvent(QMouseEvent* event) {
    dragging_ = false;
    drag_timer_.stop();
    if (event->button() == Qt::LeftButton && has_selection() &&
        QApplication::clipboard()->supportsSelection() && selected_bytes() <= kMostCopied) {
        QApplication::clipboard()->setText(selected_text(), QClipboard::Selection);
    }
}

void LogView::mouseDoubleClickEvent(QMouseEvent* event) {
    const std::optional<Place> place = place_at(event->position().toPoint());
    if (event->button() != Qt::LeftButton || !place) {
        return;
    }
    if (event->position().x() < gutter().sign) {
        select_line(rows_->row_of(place->line));
    } else {
        select_word(*place);
    }
    emit lineActivated(place->line);
}

void LogView::select_word(const Place& place) {
    const QString& text = laid(place.line).text.text;
    const auto is_of_word = [&](int at) {
        return at >= 0 && at < text.size() && (text[at].isLetterOrNumber() || text[at] == u'_');
    };
    int begin = place.column;
    int end = place.column;
    while (is_of_word(begin - 1)) {
        --begin;
    }
    while (is_of_word(end)) {
        ++end;
    }
    anchor_ = Place{place.line, begin};
    set_caret({place.line, end}, true);
}

void LogView::contextMenuEvent(QContextMenuEvent* event) {
    const bool by_key = event->reason() == QContextMenuEvent::Keyboard;
    std::optional<Place> place = by_key ? caret_ : place_at(event->pos());
    if (!place) {
        place = place_at({gutter().width, 0});
    }
    if (!place) {
        return;
    }
    if (!has_selection()) {
        set_caret(*place, false);
    }
    auto* menu = new QMenu(this);
    menu->setObjectName(u"logMenu"_s);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    QAction* copying = menu->addAction(tr("&Copy"), this, &LogView::copy);
    copying->setShortcut(QKeySequence::Copy);
    copying->setEnabled(has_selection());
    menu->addAction(tr("Select &all"), this, &LogView::select_all)->setShortcut(QKeySequence::SelectAll);
    emit menuRequested(menu, place->line);
    menu->popup(by_key ? viewport()->mapToGlobal(row_rect(rows_->row_of(place->line)).bottomLeft())
                       : event->globalPos());
}

void LogView::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    viewport()->update();
}

void LogView::focusOutEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusOutEvent(event);
    viewport()->update();
}

qint64 LogView::selected_bytes() const {
    if (!has_selection()) {
        return 0;
    }
    const auto [first, last] = selection();
    const std::uint32_t end = std::min(rows_->row_of(last.line) + 1, rows_->count());
    qint64 bytes = 0;
    for (std::uint32_t row = rows_->row_of(first.line); row < end && bytes <= kMostCopied; ++row) {
        bytes += qint64(rows_->store().text(rows_->line(row)).size()) + 1;
    }
    return bytes;
}

void LogView::append_selected(QString& text, std::uint32_t row, const Place& first, const Place& last,
                              bool whole_lines) const {
    const std::uint32_t line = rows_->line(row);
    const LineText drawn = line_text(rows_->store(), line, nullptr, {});
    const int begin = line == first.line ? first.column : 0;
    const bool to_end = line != last.line || last.column >= drawn.of_line;
    if (whole_lines && begin == 0 && shows_rank_) {
        text += qs(rows_->rings().rank_label(rows_->store(), line));
    }
    text += QStringView(drawn.text).mid(begin, (to_end ? drawn.of_line : last.column) - begin);
    if (to_end && drawn.is_cut) {
        const KeptText whole = rows_->store().text(line);
        const std::string_view rest = whole.view().substr(std::min(drawn.bytes, whole.size()));
        text += QString::fromUtf8(rest.data(), qsizetype(rest.size()));
    }
}

QString LogView::selected_text() const {
    if (!has_selection()) {
        return {};
    }
    const auto [first, last] = selection();
    const std::uint32_t begin = rows_->row_of(first.line);
    const std::uint32_t end = std::min(rows_->row_of(last.line) + 1, rows_->count());
    const bool one_whole =
        first.line == last.line && first.column == 0 && last.column >= laid(last.line).text.of_line;
    QString text;
    qint64 bytes = 0;
    for (std::uint32_t row = begin; row < end && bytes <= kMostCopied; ++row) {
        append_selected(text, row, first, last, one_whole || first.line != last.line);
        bytes += qint64(rows_->store().text(rows_->line(row)).size()) + 1;
        text += row + 1 < end ? u"\n"_s : QString();
    }
    return text;
}

void LogView::copy() {
    if (!has_selection()) {
        return;
    }
    const qint64 bytes = selected_bytes();
    if (bytes > kMostCopied) {
        emit tooMuchToCopy(bytes);
        return;
    }
    QApplication::clipboard()->setText(selected_text());
}

std::optional<std::uint32_t> LogView::current_match() const {
    if (!caret_ || rows_->matches() == 0 || !rows_->has(caret_->line)) {
        return std::nullopt;
    }
    const std::uint32_t row = rows_->row_of(caret_->line);
    const std::uint32_t match = rows_->match_from(row);
    return match < rows_->matches() && rows_->match_row(match) == row ? std::optional(match) : std::nullopt;
}

// From the line of the cursor, or from what is in view; lines are what is counted, the first match in each is selected.
bool LogView::find_next(bool backward, bool from_here) {
    const std::uint32_t matches = rows_->matches();
    wrapped_around_ = false;
    if (matches == 0) {
        return false;
    }
    const bool has_caret = caret_ && rows_->has(caret_->line);
    const std::uint32_t row = has_caret ? rows_->row_of(caret_->line) : top_row_;
    std::uint32_t match = rows_->match_from(row);
    if (backward) {
        wrapped_around_ = match == 0;
        match = (match == 0 ? matches : match) - 1;
    } else {
        const bool is_here = match < matches && rows_->match_row(match) == row;
        match += is_here && !from_here && has_caret ? 1 : 0;
        wrapped_around_ = match >= matches;
        match = wrapped_around_ ? 0 : match;
    }
    select_match(match);
    return true;
}

void LogView::select_match(std::uint32_t match) {
    const std::uint32_t row = rows_->match_row(match);
    const std::uint32_t line = rows_->line(row);
    if (row < top_row_ || row > last_visible_row()) {
        show_row(row);
    }
    set_following(false);
    const KeptText kept = rows_->store().text(line);
    const std::string_view text = kept.view();
    const auto found = rows_->pattern() == nullptr ? std::nullopt : rows_->pattern()->find(text, 0);
    const auto columns = [&](std::size_t bytes) {
        return int(QString::fromUtf8(text.data(), qsizetype(bytes)).size());
    };
    if (!found || found->begin + found->size > laid(line).text.bytes) {
        select_line(row);
        return;
    }
    anchor_ = Place{line, columns(found->begin)};
    set_caret({line, columns(found->begin + found->size)}, true);
    ensure_visible(*caret_);
    set_following(false);
}

}  // namespace rankscope::gui
