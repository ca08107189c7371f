// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/logview/mark_bar.h>
#include <gui/style/theme.h>

#include <QPainter>
#include <QStyleOptionSlider>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kThick = 2;

}  // namespace

MarkBar::MarkBar(QWidget* parent) : QScrollBar(Qt::Vertical, parent) {}

void MarkBar::set_marks(std::vector<bool> marks) {
    if (marks != marks_) {
        marks_ = std::move(marks);
        update();
    }
}

void MarkBar::paintEvent(QPaintEvent* event) {
    QScrollBar::paintEvent(event);
    if (marks_.empty()) {
        return;
    }
    QStyleOptionSlider option;
    initStyleOption(&option);
    const QRect groove =
        style()->subControlRect(QStyle::CC_ScrollBar, &option, QStyle::SC_ScrollBarGroove, this);
    QPainter painter(this);
    const QColor color = theme_colors(palette()).warning;
    int drawn_to = -1;
    for (std::size_t i = 0; i < marks_.size(); ++i) {
        const int y = groove.top() + int(i) * (groove.height() - kThick) / int(marks_.size() - 1);
        if (marks_[i] && y > drawn_to) {
            painter.fillRect(width() / 2, y, width() - width() / 2 - 1, kThick, color);
            drawn_to = y + kThick - 1;
        }
    }
}

}  // namespace rankscope::gui
