// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/doctor/pair_matrix.h>
#include <gui/plain_text.h>
#include <gui/strings.h>

#include <QEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace rankscope::gui {

namespace {

constexpr int kSmallest = 6;
constexpr int kLargest = 46;
constexpr int kShapeFrom = 12;       ///< smaller squares show fill and outline only
constexpr int kTwoLinesFrom = 30;    ///< names with their address below
constexpr int kWidestRowName = 190;  ///< of a row
constexpr int kTallestColumnName = 96;
constexpr int kUprightFrom = 44;
constexpr int kPad = 6;
constexpr int kEdge = 2;  ///< right of and below the squares: room for the frame of the current one

QPen pen_of(const QColor& color, double width) {
    return QPen(color, width, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
}

QColor faint(const QColor& color, double share) {
    QColor result = color;
    result.setAlphaF(float(share));
    return result;
}

}  // namespace

void draw_pair_sign(QPainter& painter, const QRectF& box, PairState state, const ThemeColors& colors) {
    painter.save();
    const bool shapes = box.width() >= kShapeFrom;
    painter.setRenderHint(QPainter::Antialiasing, shapes);
    const double side = box.width();
    switch (state) {
        case PairState::Self:
            painter.fillRect(box, colors.grid);
            break;
        case PairState::Untested:
            if (!shapes) {
                painter.fillRect(QRectF(std::floor(box.center().x()), std::floor(box.center().y()), 1, 1),
                                 colors.muted);
            } else {
                painter.setPen(QPen(colors.line, 1));
                painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5));
                painter.setPen(QPen(colors.muted, 1));
                painter.drawLine(QPointF(box.center().x() - side * 0.16, box.center().y()),
                                 QPointF(box.center().x() + side * 0.16, box.center().y()));
            }
            break;
        case PairState::Fine:
            painter.fillRect(box, faint(colors.good, shapes ? 0.18 : 0.38));
            if (shapes) {
                painter.setPen(Qt::NoPen);
                painter.setBrush(colors.good);
                const double radius = std::clamp(side * 0.14, 1.8, 4.5);
                painter.drawEllipse(box.center(), radius, radius);
            }
            break;
        case PairState::Warned: {
            painter.fillRect(box, faint(colors.warning, 0.28));
            QPainterPath triangle;
            const double edge = shapes ? side * 0.22 : 0;
            triangle.moveTo(box.center().x(), box.top() + edge);
            triangle.lineTo(box.right() - edge, box.bottom() - edge);
            triangle.lineTo(box.left() + edge, box.bottom() - edge);
            triangle.closeSubpath();
            painter.fillPath(triangle, colors.warning);
            break;
        }
        case PairState::Failed: {
            painter.fillRect(box, colors.bad);
            if (shapes) {
                const double edge = std::max(side * 0.30, 3.5);
                const QRectF cross = box.adjusted(edge, edge, -edge, -edge);
                painter.setPen(pen_of(colors.surface, std::clamp(side * 0.09, 1.6, 2.6)));
                painter.drawLine(cross.topLeft(), cross.bottomRight());
                painter.drawLine(cross.topRight(), cross.bottomLeft());
            }
            break;
        }
    }
    painter.restore();
}

QIcon pair_icon(PairState state, const ThemeColors& colors) {
    QIcon icon;
    for (const int scale : {1, 2}) {
        QPixmap pixmap(14 * scale, 14 * scale);
        pixmap.setDevicePixelRatio(scale);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        draw_pair_sign(painter, QRectF(0, 0, 14, 14), state, colors);
        painter.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

PairMatrix::PairMatrix(QWidget* parent) : QAbstractScrollArea(parent) {
    setObjectName(u"pairMatrix"_s);
    setAccessibleName(tr("Connections between the nodes"));
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::StrongFocus);
    viewport()->setMouseTracking(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
}

QSize PairMatrix::sizeHint() const {
    return {480, 420};
}

void PairMatrix::set_grid(PairGrid grid) {
    const bool other = grid.size() != grid_.size();
    grid_ = std::move(grid);
    hover_from_ = hover_to_ = -1;
    if (other) {
        horizontalScrollBar()->setValue(0);
        verticalScrollBar()->setValue(0);
    }
    if (from_ >= count() || to_ >= count()) {
        from_ = to_ = -1;
    }
    lay_out();
    viewport()->update();
}

bool PairMatrix::two_lines() const {
    return cell_ >= kTwoLinesFrom;
}

void PairMatrix::lay_out() {
    if (count() == 0) {
        return;
    }
    const QFontMetrics metrics = fontMetrics();
    int name = 0;
    int address = 0;
    for (std::size_t i = 0; i < grid_.size(); ++i) {
        name = std::max(name, metrics.horizontalAdvance(qs(grid_.name(i))));
        address = std::max(address, metrics.horizontalAdvance(grid_.address_text(i)));
    }
    const auto fit = [&](int row_header, int column_header) {
        const int room = std::min((viewport()->width() - row_header - kEdge) / count(),
                                  (viewport()->height() - column_header - kEdge) / count());
        return std::clamp(room, kSmallest, kLargest);
    };
    const int most = std::min(kWidestRowName, std::max(viewport()->width() / 3, 60));
    row_header_ = std::min(std::max(name, address) + 3 * kPad, most);
    column_header_ = metrics.height() + 2 * kPad;
    cell_ = fit(row_header_, column_header_);
    upright_ = cell_ >= kUprightFrom && name <= cell_ - 4;
    if (!upright_) {
        column_header_ = std::min(name + 2 * kPad, kTallestColumnName);
        cell_ = fit(row_header_, column_header_);
    }
    if (!two_lines()) {
        row_header_ = std::min(name + 3 * kPad, most);
        cell_ = std::min(fit(row_header_, column_header_), kTwoLinesFrom - 1);
    }
    const int side = cell_ * count();
    horizontalScrollBar()->setRange(0, std::max(row_header_ + side + kEdge - viewport()->width(), 0));
    horizontalScrollBar()->setPageStep(viewport()->width());
    horizontalScrollBar()->setSingleStep(cell_);
    verticalScrollBar()->setRange(0, std::max(column_header_ + side + kEdge - viewport()->height(), 0));
    verticalScrollBar()->setPageStep(viewport()->height());
    verticalScrollBar()->setSingleStep(cell_);
}

QRect PairMatrix::square(int from, int to) const {
    const int gap = cell_ >= kShapeFrom ? 2 : 1;
    return {row_header_ + to * cell_ - horizontalScrollBar()->value(),
            column_header_ + from * cell_ - verticalScrollBar()->value(), cell_ - gap, cell_ - gap};
}

std::pair<int, int> PairMatrix::at(const QPoint& point) const {
    if (cell_ == 0 || point.x() < row_header_ || point.y() < column_header_) {
        return {-1, -1};
    }
    const int to = (point.x() - row_header_ + horizontalScrollBar()->value()) / cell_;
    const int from = (point.y() - column_header_ + verticalScrollBar()->value()) / cell_;
    return from < count() && to < count() ? std::pair{from, to} : std::pair{-1, -1};
}

void PairMatrix::set_current(int from, int to) {
    const bool valid = from >= 0 && to >= 0 && from < count() && to < count();
    from = valid ? from : -1;
    to = valid ? to : -1;
    if (from == from_ && to == to_) {
        return;
    }
    from_ = from;
    to_ = to;
    if (valid) {
        const QRect box = square(from, to);
        const auto reveal = [](QScrollBar* bar, int begin, int end, int least, int most) {
            if (begin < least) {
                bar->setValue(bar->value() + begin - least);
            } else if (end > most) {
                bar->setValue(bar->value() + end - most);
            }
        };
        reveal(horizontalScrollBar(), box.left(), box.right() + 2, row_header_, viewport()->width());
        reveal(verticalScrollBar(), box.top(), box.bottom() + 2, column_header_, viewport()->height());
        setAccessibleDescription(grid_.title(std::size_t(from), std::size_t(to)));
    } else {
        setAccessibleDescription({});
    }
    viewport()->update();
    emit currentChanged(from_, to_);
}

void PairMatrix::paintEvent(QPaintEvent*) {
    if (count() == 0) {
        return;
    }
    QPainter painter(viewport());
    const ThemeColors colors = theme_colors(palette());
    paint_squares(painter, colors);
    paint_row_names(painter, colors);
    paint_column_names(painter, colors);
    if (row_header_ > 70 && column_header_ >= 2 * fontMetrics().height()) {
        painter.setPen(colors.muted);
        painter.drawText(QRect(kPad, 0, row_header_ - 2 * kPad, column_header_ - kPad / 2),
                         Qt::AlignRight | Qt::AlignBottom, tr("from ↓  to →"));
    }
}

void PairMatrix::paint_squares(QPainter& painter, const ThemeColors& colors) const {
    painter.save();
    painter.setClipRect(
        QRect(row_header_ - kEdge, column_header_ - kEdge, viewport()->width(), viewport()->height()));
    const QRect seen = viewport()->rect();
    for (int from = 0; from < count(); ++from) {
        for (int to = 0; to < count(); ++to) {
            const QRect box = square(from, to);
            if (box.intersects(seen)) {
                draw_pair_sign(painter, QRectF(box), grid_.state(std::size_t(from), std::size_t(to)), colors);
            }
        }
    }
    painter.setBrush(Qt::NoBrush);
    if (hover_from_ >= 0) {
        painter.setPen(QPen(colors.muted, 1));
        painter.drawRect(square(hover_from_, hover_to_).adjusted(-1, -1, 0, 0));
    }
    if (from_ >= 0) {
        painter.setPen(QPen(hasFocus() ? colors.accent : colors.text, 2));
        painter.drawRect(square(from_, to_).adjusted(-1, -1, 1, 1));
    }
    painter.restore();
}

// Where squares are smaller than a line of text: the pointed and current one, then those with most faults, then the others,
// as far as there is room.
std::vector<int> PairMatrix::names_to_draw(int step) const {
    std::vector<int> order;
    for (const int first : {hover_from_, hover_to_, from_, to_}) {
        if (first >= 0) {
            order.push_back(first);
        }
    }
    std::vector<int> all(grid_.size());
    std::iota(all.begin(), all.end(), 0);
    std::stable_sort(all.begin(), all.end(), [&](int left, int right) {
        return grid_.faults(std::size_t(left)) > grid_.faults(std::size_t(right));
    });
    order.insert(order.end(), all.begin(), all.end());
    std::vector<int> drawn;
    for (const int i : order) {
        const bool free = std::none_of(drawn.begin(), drawn.end(),
                                       [&](int other) { return std::abs(other - i) * cell_ < step; });
        if (free) {
            drawn.push_back(i);
        }
    }
    return drawn;
}

void PairMatrix::paint_row_names(QPainter& painter, const ThemeColors& colors) const {
    painter.save();
    painter.setClipRect(QRect(0, column_header_ - 2, row_header_, viewport()->height()));
    const QFontMetrics metrics = fontMetrics();
    const int width = row_header_ - 2 * kPad;
    for (const int i : names_to_draw(metrics.height() - 3)) {
        const QRect box = square(i, 0);
        const bool marked = i == from_ || i == hover_from_;
        painter.setPen(grid_.failed(std::size_t(i)) ? colors.bad : marked ? colors.accent : colors.text);
        const QString name = metrics.elidedText(qs(grid_.name(std::size_t(i))), Qt::ElideMiddle, width);
        const QString address = two_lines() ? grid_.address_text(std::size_t(i)) : QString();
        QRect line(kPad, box.center().y() - metrics.height() / 2, width, metrics.height());
        if (!address.isEmpty()) {
            line.moveTop(box.center().y() - metrics.height() + 1);
        }
        painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter, name);
        if (!address.isEmpty()) {
            painter.setPen(colors.muted);
            line.translate(0, metrics.height() - 1);
            painter.drawText(line, Qt::AlignRight | Qt::AlignVCenter,
                             metrics.elidedText(address, Qt::ElideMiddle, width));
        }
    }
    painter.restore();
}

void PairMatrix::paint_column_names(QPainter& painter, const ThemeColors& colors) const {
    painter.save();
    painter.setClipRect(QRect(row_header_ - 2, 0, viewport()->width(), column_header_));
    const QFontMetrics metrics = fontMetrics();
    for (const int i : names_to_draw(metrics.height() - 3)) {
        const QRect box = square(0, i);
        const bool marked = i == to_ || i == hover_to_;
        painter.setPen(grid_.failed(std::size_t(i)) ? colors.bad : marked ? colors.accent : colors.text);
        const QString whole = qs(grid_.name(std::size_t(i)));
        if (upright_) {
            painter.drawText(QRect(box.left(), 0, box.width(), column_header_ - kPad / 2),
                             Qt::AlignHCenter | Qt::AlignBottom, whole);
            continue;
        }
        const int length = column_header_ - kPad;
        painter.save();
        painter.translate(box.center().x(), column_header_ - kPad / 2);
        painter.rotate(-90);
        painter.drawText(QRect(0, -metrics.height() / 2, length, metrics.height()),
                         Qt::AlignLeft | Qt::AlignVCenter,
                         metrics.elidedText(whole, Qt::ElideMiddle, length));
        painter.restore();
    }
    painter.restore();
}

void PairMatrix::resizeEvent(QResizeEvent* event) {
    QAbstractScrollArea::resizeEvent(event);
    lay_out();
}

void PairMatrix::changeEvent(QEvent* event) {
    QAbstractScrollArea::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        lay_out();
    }
}

void PairMatrix::focusInEvent(QFocusEvent* event) {
    QAbstractScrollArea::focusInEvent(event);
    if (from_ < 0 && count() > 1 && event->reason() != Qt::MouseFocusReason) {
        set_current(0, 1);
    }
    viewport()->update();
}

void PairMatrix::mousePressEvent(QMouseEvent* event) {
    const auto [from, to] = at(event->pos());
    set_current(from, to);
    emit chosen(from, to);
}

void PairMatrix::mouseMoveEvent(QMouseEvent* event) {
    const auto [from, to] = at(event->pos());
    if (from != hover_from_ || to != hover_to_) {
        hover_from_ = from;
        hover_to_ = to;
        viewport()->update();
    }
}

void PairMatrix::keyPressEvent(QKeyEvent* event) {
    const auto move = [&](int down, int right) {
        set_current(std::clamp(std::max(from_, 0) + down, 0, count() - 1),
                    std::clamp(std::max(to_, 0) + right, 0, count() - 1));
    };
    if (count() == 0) {
        QAbstractScrollArea::keyPressEvent(event);
        return;
    }
    switch (event->key()) {
        case Qt::Key_Up:
            move(-1, 0);
            break;
        case Qt::Key_Down:
            move(1, 0);
            break;
        case Qt::Key_Left:
            move(0, -1);
            break;
        case Qt::Key_Right:
            move(0, 1);
            break;
        case Qt::Key_Return:
        case Qt::Key_Enter:
        case Qt::Key_Space:
            emit chosen(from_, to_);
            break;
        case Qt::Key_Escape:
            set_current(-1, -1);
            emit chosen(-1, -1);
            break;
        default:
            QAbstractScrollArea::keyPressEvent(event);
    }
}

bool PairMatrix::viewportEvent(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const auto [from, to] = at(help->pos());
        if (from < 0) {
            QToolTip::hideText();
        } else {
            QStringList text{grid_.title(std::size_t(from), std::size_t(to))};
            text += grid_.lines(std::size_t(from), std::size_t(to));
            QToolTip::showText(help->globalPos(), plain_text(text.join(u'\n')), viewport());
        }
        return true;
    }
    if (event->type() == QEvent::Leave && hover_from_ >= 0) {
        hover_from_ = hover_to_ = -1;
        viewport()->update();
    }
    return QAbstractScrollArea::viewportEvent(event);
}

}  // namespace rankscope::gui
