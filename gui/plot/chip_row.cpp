// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/chip_row.h>
#include <gui/strings.h>

#include <QFontMetricsF>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr double kPad = 5;
constexpr double kGap = 4;
constexpr double kDot = 6;  ///< of the rank's colour

}  // namespace

ChipRow::ChipRow(QCustomPlot* plot, QCPAxis* x, const QCPLayoutElement* place)
    : PanelItem(plot, x), place_(place) {
    setClipToAxisRect(false);
}

ChipRow::Layout ChipRow::layout() const {
    Layout layout;
    const QFontMetricsF metrics(font_);
    const QRectF box(place_->outerRect());
    const double height = std::min(metrics.height() + 2, box.height());
    const double top = box.center().y() - height / 2;
    const auto width_of = [&](const QString& text) { return metrics.horizontalAdvance(text) + 2 * kPad; };
    const double room = box.width() - free_ - kGap;
    std::size_t fit = 0;
    double used = 0;
    for (; fit < chips_.size(); ++fit) {
        const double width = width_of(chips_[fit].text) + kDot + 3 + kGap;
        const std::size_t rest = chips_.size() - fit - 1;
        const double reserve = rest > 0 ? width_of(u"+%1"_s.arg(rest)) : 0;
        if (used + width + reserve > room) {
            break;
        }
        used += width;
    }
    const QString more = fit < chips_.size() ? u"+%1"_s.arg(chips_.size() - fit) : QString();
    double x = box.right() - kGap - used - (more.isEmpty() ? 0 : width_of(more));
    for (std::size_t i = 0; i < fit; ++i) {
        const double width = width_of(chips_[i].text) + kDot + 3;
        layout.chips.emplace_back(x, top, width, height);
        x += width + kGap;
    }
    if (!more.isEmpty() && x + width_of(more) <= box.right() + 1) {
        layout.more = QRectF(x, top, width_of(more), height);
    }
    return layout;
}

QRectF ChipRow::chip_rect(std::size_t index) const {
    const Layout at = layout();
    return index < at.chips.size() ? at.chips[index] : QRectF();
}

int ChipRow::rank_at(const QPointF& place) const {
    const Layout at = layout();
    for (std::size_t i = 0; i < at.chips.size(); ++i) {
        if (at.chips[i].contains(place)) {
            return chips_[i].rank;
        }
    }
    return -1;
}

QStringList ChipRow::hidden_at(const QPointF& place) const {
    const Layout at = layout();
    QStringList texts;
    if (at.more.contains(place)) {
        for (std::size_t i = at.chips.size(); i < chips_.size(); ++i) {
            texts += chips_[i].text;
        }
    }
    return texts;
}

void ChipRow::draw(QCPPainter* painter) {
    const Layout at = layout();
    painter->setAntialiasing(true);
    painter->setFont(font_);
    for (std::size_t i = 0; i < at.chips.size(); ++i) {
        const QRectF& box = at.chips[i];
        painter->setPen(QPen(colors_.line, 1));
        painter->setBrush(colors_.chrome);
        painter->drawRoundedRect(box, 4, 4);
        painter->setPen(Qt::NoPen);
        painter->setBrush(chips_[i].color);
        painter->drawEllipse(QRectF(box.left() + kPad, box.center().y() - kDot / 2, kDot, kDot));
        painter->setPen(colors_.text);
        painter->drawText(box.adjusted(kPad + kDot + 3, 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft,
                          chips_[i].text);
    }
    if (!at.more.isEmpty()) {
        painter->setPen(colors_.muted);
        painter->drawText(at.more, Qt::AlignCenter, u"+%1"_s.arg(chips_.size() - at.chips.size()));
    }
}

}  // namespace rankscope::gui
