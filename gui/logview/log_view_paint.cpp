// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logview/log_view.h>
#include <gui/strings.h>

#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr int kPad = 6;
constexpr int kFoldedColumns = 11;         ///< of "[0-6,8-12]"
constexpr int kLongLine = 512;             ///< characters; of longer plain ones only a part is laid out
constexpr std::size_t kMostLaidOut = 600;  ///< kept
constexpr int kMostWrappedLines = 2000;
constexpr double kUnbounded = 1e6;  ///< width of a line that is not wrapped

}  // namespace

LogView::Gutter LogView::gutter() const {
    Gutter gutter;
    const auto columns = [this](int count) { return int(std::ceil(count * char_width_)); };
    int x = kPad;
    gutter.time = x;
    if (time_ != TimeColumn::None) {
        x += columns(time_ == TimeColumn::SinceStart ? 11 : 8) + kPad + 2;
    }
    gutter.rank = x;
    if (label_) {
        x += columns(label_width_) + kPad;
    } else if (shows_rank_) {
        const int digits = int(QString::number(most_rank_).size());
        x += columns(rows_->folded() ? kFoldedColumns : digits + 2) + kPad;
    }
    gutter.sign = x;
    gutter.width = x + columns(2);
    return gutter;
}

LogView::Laid& LogView::laid(std::uint32_t line) const {
    if (laid_.size() > kMostLaidOut) {
        laid_.clear();
    }
    std::unique_ptr<Laid>& slot = laid_[line];
    if (!slot) {
        slot = lay_out(line);
    }
    // A part of a long line is laid out where the view is.
    if (!wraps_ && slot->text.is_ascii && slot->text.text.size() > kLongLine) {
        const int size = int(slot->text.text.size());
        const int from = std::clamp(int(horizontalScrollBar()->value() / char_width_) - 1, 0, size);
        if (!slot->layout || slot->from != from) {
            const int count = std::min(int(text_width() / char_width_) + 4, size - from);
            QList<QTextLayout::FormatRange> formats;
            for (QTextLayout::FormatRange range : slot->text.formats) {
                const int begin = std::max(range.start - from, 0);
                const int end = std::min(range.start + range.length - from, count);
                if (end > begin) {
                    formats += QTextLayout::FormatRange{begin, end - begin, range.format};
                }
            }
            slot->from = from;
            slot->layout = std::make_unique<QTextLayout>(slot->text.text.mid(from, count), font());
            slot->layout->setFormats(formats);
            lay_out_wrapped(*slot);
        }
    }
    return *slot;
}

std::unique_ptr<LogView::Laid> LogView::lay_out(std::uint32_t line) const {
    auto laid = std::make_unique<Laid>();
    laid->text = line_text(rows_->store(), line, rows_->pattern(), theme_colors(palette()),
                           rows_->folded() ? varying_parts(line) : std::vector<logs::TextPart>());
    const LineText& text = laid->text;
    if (!wraps_ && text.is_ascii && text.text.size() > kLongLine) {
        widest_ = std::max(widest_, double(text.text.size()) * char_width_);
        return laid;
    }
    laid->layout = std::make_unique<QTextLayout>(text.text, font());
    laid->layout->setFormats(text.formats);
    lay_out_wrapped(*laid);
    return laid;
}

void LogView::lay_out_wrapped(Laid& laid) const {
    QTextOption option;
    option.setWrapMode(wraps_ ? QTextOption::WrapAtWordBoundaryOrAnywhere : QTextOption::NoWrap);
    laid.layout->setTextOption(option);
    laid.layout->setCacheEnabled(true);
    laid.layout->beginLayout();
    int count = 0;
    for (QTextLine line = laid.layout->createLine(); line.isValid() && count < kMostWrappedLines;
         line = laid.layout->createLine()) {
        line.setLineWidth(wraps_ ? text_width() : kUnbounded);
        // All lines are equally high, also where another font draws some characters.
        line.setPosition(QPointF(0, count * line_height_ + ascent_ - line.ascent()));
        ++count;
        if (!wraps_) {
            widest_ = std::max(widest_, line.naturalTextWidth() + laid.from * char_width_);
        }
    }
    laid.layout->endLayout();
    laid.lines = std::max(count, 1);
}

void LogView::paintEvent(QPaintEvent* /*event*/) {
    const double widest = widest_;
    const ThemeColors colors = theme_colors(palette());
    QPainter painter(viewport());
    painter.setFont(font());
    const Gutter at = gutter();
    painter.fillRect(0, 0, at.sign - 2, viewport()->height(), colors.chrome);
    int y = -top_sub_ * line_height_;
    for (std::uint32_t row = top_row_; row < rows_->count() && y < viewport()->height(); ++row) {
        draw_row(painter, row, y, colors);
        y += lines_of(row) * line_height_;
    }
    if (const QString text = message(); !text.isEmpty()) {
        painter.setPen(colors.muted);
        painter.drawText(viewport()->rect(), Qt::AlignCenter, text);
    }
    if (widest_ > widest) {
        // Not while painting: a scroll bar that appears changes the size of the view.
        QMetaObject::invokeMethod(
            this, [this] { update_bars(); }, Qt::QueuedConnection);
    }
}

void LogView::draw_row(QPainter& painter, std::uint32_t row, int y, const ThemeColors& colors) const {
    const std::uint32_t line = rows_->line(row);
    const Laid& of_row = laid(line);
    const Gutter at = gutter();
    const int height = of_row.lines * line_height_;
    if (caret_ && caret_->line == line && hasFocus() && !has_selection()) {
        painter.fillRect(at.sign - 2, y, viewport()->width(), height, palette().alternateBase());
    }
    const int shift = horizontalScrollBar()->value();
    const QPointF origin(at.width - shift + of_row.from * char_width_, y);
    painter.save();
    painter.setClipRect(at.width - 2, y, viewport()->width(), height);
    const auto selected = selection_in(row, of_row, colors);
    if (is_selected_to_end(row)) {
        const QTextLine last = of_row.layout->lineAt(of_row.layout->lineCount() - 1);
        const int end = int(origin.x() + last.naturalTextWidth());
        painter.fillRect(end, y + height - line_height_, viewport()->width(), line_height_, colors.selection);
    }
    painter.setPen(colors.text);
    of_row.layout->draw(&painter, origin, selected);
    if (caret_ && caret_->line == line && hasFocus()) {
        of_row.layout->drawCursor(&painter, origin, std::max(caret_->column - of_row.from, 0));
    }
    painter.restore();
    if (shows_rank_ && is_of_selected_rank(line)) {
        painter.fillRect(at.rank - kPad / 2, y, at.sign - at.rank, height, colors.selection);
    }
    draw_gutter(painter, line, y, colors);
}

void LogView::draw_gutter(QPainter& painter, std::uint32_t line, int y, const ThemeColors& colors) const {
    const Gutter at = gutter();
    const LineSource& store = rows_->store();
    const int base = y + ascent_;
    if (time_ != TimeColumn::None) {
        painter.setPen(colors.muted);
        const QString time = time_text(line);
        const int right = at.rank - kPad - 2;
        painter.drawText(QPointF(right - double(time.size()) * char_width_, base), time);
    }
    const int rank = store.rank(line);
    if (label_) {
        painter.setPen(colors.muted);
        const QString text = label_(line);
        painter.drawText(QPointF(at.sign - kPad - double(text.size()) * char_width_, base), text);
    } else if (shows_rank_ && rows_->folded()) {
        draw_ranks(painter, line, at.sign - kPad, base, colors);
    } else if (shows_rank_ && rank >= 0) {
        painter.setPen(rank_color(rank, colors.dark));
        const QString text = u"[%1]"_s.arg(rank);
        painter.drawText(QPointF(at.sign - kPad - double(text.size()) * char_width_, base), text);
    }
    // stderr has a sign as well as a colour.
    const LogKind kind = store.kind(line);
    if (kind != LogKind::Out) {
        painter.setPen(kind == LogKind::Err ? colors.bad : colors.accent);
        painter.drawText(QPointF(at.sign, base), kind == LogKind::Err ? u"!"_s : u"•"_s);
    }
}

QList<QTextLayout::FormatRange> LogView::selection_in(std::uint32_t row, const Laid& laid,
                                                      const ThemeColors& colors) const {
    if (!has_selection()) {
        return {};
    }
    const auto [first, last] = selection();
    const std::uint32_t first_row = rows_->row_of(first.line);
    const std::uint32_t last_row = rows_->row_of(last.line);
    if (row < first_row || row > last_row) {
        return {};
    }
    const int begin = row == first_row ? first.column : 0;
    const int end = row == last_row ? last.column : int(laid.text.text.size());
    QTextLayout::FormatRange range;
    range.start = std::max(begin - laid.from, 0);
    range.length = std::min(end - laid.from, int(laid.layout->text().size())) - range.start;
    range.format.setBackground(colors.selection);
    return range.length > 0 ? QList<QTextLayout::FormatRange>{range} : QList<QTextLayout::FormatRange>();
}

bool LogView::is_selected_to_end(std::uint32_t row) const {
    if (!has_selection()) {
        return false;
    }
    const auto [first, last] = selection();
    return row >= rows_->row_of(first.line) && row < rows_->row_of(last.line);
}

std::uint32_t LogView::row_at(int y, int* sub) const {
    int top = -top_sub_ * line_height_;
    std::uint32_t row = top_row_;
    *sub = 0;
    while (row + 1 < rows_->count() && y >= top + lines_of(row) * line_height_) {
        top += lines_of(row++) * line_height_;
    }
    *sub = std::clamp((y - top) / line_height_, 0, row < rows_->count() ? lines_of(row) - 1 : 0);
    return row;
}

std::optional<LogView::Place> LogView::place_at(QPoint point) const {
    if (rows_->count() == 0) {
        return std::nullopt;
    }
    int sub = 0;
    const std::uint32_t row = row_at(point.y(), &sub);
    const std::uint32_t line = rows_->line(row);
    const Laid& of_row = laid(line);
    const double x = point.x() - gutter().width + horizontalScrollBar()->value() - of_row.from * char_width_;
    const int column = of_row.layout->lineAt(std::min(sub, of_row.layout->lineCount() - 1)).xToCursor(x);
    return Place{line, std::clamp(column + of_row.from, 0, of_row.text.of_line)};
}

std::uint32_t LogView::last_visible_row() const {
    int sub = 0;
    return rows_->count() == 0 ? 0 : row_at(viewport()->height() - 1, &sub);
}

QRect LogView::row_rect(std::uint32_t row) const {
    int y = -top_sub_ * line_height_;
    for (std::uint32_t at = top_row_; at < row && y < viewport()->height(); ++at) {
        y += lines_of(at) * line_height_;
    }
    return row < top_row_ || row >= rows_->count()
               ? QRect()
               : QRect(gutter().width, y, viewport()->width() - gutter().width, lines_of(row) * line_height_);
}

}  // namespace rankscope::gui
