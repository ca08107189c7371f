// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plain_text.h>
#include <gui/widgets/square_grid.h>

#include <QHelpEvent>
#include <QToolTip>
#include <algorithm>
#include <array>

namespace rankscope::gui {

namespace {

constexpr int kEdge = 2;      ///< room for the frame of a selected square
constexpr int kTallest = 84;  ///< squares shrink before the strip gets taller than this
constexpr std::size_t kGapsUpTo = 512;

struct Size {
    int cell;
    int gap;
    int group_gap;
};
constexpr std::array<Size, 5> kSizes{{{16, 3, 6}, {12, 3, 5}, {9, 2, 4}, {7, 1, 2}, {5, 1, 0}}};

const Size& size_for(std::size_t count, int width) {
    const int squares = std::max(int(count), 1);
    const auto* const fits = std::find_if(kSizes.begin(), kSizes.end() - 1, [&](const Size& size) {
        const int columns = std::max(width / (size.cell + size.gap), 1);
        const int rows = (squares + columns - 1) / columns;
        return rows * (size.cell + size.gap) <= kTallest;
    });
    return *fits;
}

}  // namespace

SquareGrid::SquareGrid(QWidget* parent) : QWidget(parent) {
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

QRect SquareGrid::square(int index) const {
    if (index < 0 || index >= placed()) {
        return {};
    }
    return {layout_.places[std::size_t(index)], QSize(layout_.cell, layout_.cell)};
}

int SquareGrid::at(const QPoint& point) const {
    for (int index = 0; index < placed(); ++index) {
        if (square(index).adjusted(-1, -1, 1, 1).contains(point)) {
            return index;
        }
    }
    return -1;
}

int SquareGrid::columns() const {
    return int(std::count_if(layout_.places.begin(), layout_.places.end(),
                             [this](const QPoint& at) { return at.y() == layout_.places.front().y(); }));
}

SquareGrid::Layout SquareGrid::layout_for(int width) const {
    const std::size_t all = count();
    const Size& size = size_for(all, width);
    const int pitch = size.cell + size.gap;
    Layout layout{size.cell};
    int x = kEdge;
    int y = kEdge;
    for (std::size_t i = 0; i < all; ++i) {
        x += i > 0 && all <= kGapsUpTo && begins_group(i) ? size.group_gap : 0;
        if (x + size.cell + kEdge > width && x > kEdge) {
            x = kEdge;
            y += pitch;
        }
        layout.places.push_back({x, y});
        x += pitch;
    }
    layout.height = y + size.cell + kEdge;
    return layout;
}

QSize SquareGrid::sizeHint() const {
    return {600, heightForWidth(std::max(width(), 200))};
}

void SquareGrid::lay_out() {
    layout_ = layout_for(width());
    updateGeometry();
}

void SquareGrid::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    lay_out();
}

bool SquareGrid::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) {
        return QWidget::event(event);
    }
    auto* help = static_cast<QHelpEvent*>(event);
    const QString text = tip(at(help->pos()));
    if (text.isEmpty()) {
        QToolTip::hideText();
    } else {
        QToolTip::showText(help->globalPos(), plain_text(text), this);
    }
    return true;
}

}  // namespace rankscope::gui
