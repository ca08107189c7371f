// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/legend_strip.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kMostRanks = 16;
constexpr int kSample = 14;
constexpr int kGap = 14;
constexpr int kLeft = 8;
constexpr int kBesideSample = 5;

QString rest_text(std::size_t count) {
    return u"+%1"_s.arg(count);
}

}  // namespace

LegendStrip::LegendStrip(QWidget* parent) : QWidget(parent) {
    setObjectName(u"legendStrip"_s);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    setMouseTracking(true);
}

void LegendStrip::set_ranks(int count, bool band, const std::vector<int>& selected) {
    if (count == count_ && band == band_ && selected == selected_) {
        return;
    }
    count_ = count;
    band_ = band;
    selected_ = selected;
    QStringList words;
    for (const Entry& entry : entries()) {
        words += entry.text;
    }
    setAccessibleName(tr("Legend: %1").arg(words.join(u", "_s)));
    update();
}

std::vector<LegendStrip::Entry> LegendStrip::entries() const {
    const ThemeColors colors = theme_colors(palette());
    std::vector<Entry> all;
    if (band_) {
        QColor wide = colors.accent;
        wide.setAlphaF(0.18F);
        QColor narrow = colors.accent;
        narrow.setAlphaF(0.40F);
        all = {{tr("median of %1 ranks").arg(count_), colors.accent, 2},
               {tr("p10–p90"), narrow, 10},
               {tr("min–max"), wide, 10}};
        for (std::size_t i = 0; i < selected_.size() && i < kMostRanks; ++i) {
            all.push_back(
                {tr("rank %1").arg(selected_[i]), rank_color(selected_[i], colors.dark), 2, selected_[i]});
        }
    } else {
        for (int rank = 0; rank < std::min(count_, kMostRanks); ++rank) {
            const bool faded =
                !selected_.empty() && std::find(selected_.begin(), selected_.end(), rank) == selected_.end();
            QColor color = rank_color(rank, colors.dark);
            color.setAlphaF(faded ? 0.3F : 1.0F);
            all.push_back({tr("rank %1").arg(rank), color, 3, rank});
        }
    }
    return all;
}

QSize LegendStrip::sizeHint() const {
    return {300, fontMetrics().height() + 6};
}

QSize LegendStrip::minimumSizeHint() const {
    return {80, sizeHint().height()};
}

std::vector<LegendStrip::Entry> LegendStrip::laid_out() const {
    std::vector<Entry> all = entries();
    int x = kLeft;
    for (std::size_t i = 0; i < all.size(); ++i) {
        // One more: widths of texts are fractions, and a text that is too wide by one is elided.
        const int width = kSample + kBesideSample + fontMetrics().horizontalAdvance(all[i].text) + 1;
        const int reserve =
            i + 1 < all.size() ? fontMetrics().horizontalAdvance(rest_text(all.size() - i)) + kGap : 0;
        if (x + width + reserve > this->width() && i > 0) {
            break;
        }
        all[i].box = QRect(x, 0, std::min(width, this->width() - x), height());
        x += width + kGap;
    }
    return all;
}

int LegendStrip::rank_at(const QPoint& point) const {
    for (const Entry& entry : laid_out()) {
        if (entry.box.contains(point)) {
            return entry.rank;
        }
    }
    return -1;
}

QRect LegendStrip::entry_of(int rank) const {
    for (const Entry& entry : laid_out()) {
        if (entry.rank == rank) {
            return entry.box;
        }
    }
    return {};
}

bool LegendStrip::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip) {
        auto* help = static_cast<QHelpEvent*>(event);
        const int rank = rank_at(help->pos());
        rank < 0 ? QToolTip::hideText()
                 : QToolTip::showText(help->globalPos(), tr("Select rank %1").arg(rank), this);
        return true;
    }
    return QWidget::event(event);
}

void LegendStrip::mousePressEvent(QMouseEvent* event) {
    const int rank = event->button() == Qt::LeftButton ? rank_at(event->pos()) : -1;
    if (rank >= 0) {
        emit rankClicked(rank);
    } else {
        QWidget::mousePressEvent(event);
    }
}

void LegendStrip::mouseMoveEvent(QMouseEvent* event) {
    setCursor(rank_at(event->pos()) >= 0 ? Qt::PointingHandCursor : Qt::ArrowCursor);
}

void LegendStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColors colors = theme_colors(palette());
    const std::vector<Entry> all = laid_out();
    int end = kLeft;
    painter.setPen(colors.text);
    for (std::size_t i = 0; i < all.size(); ++i) {
        const QRect box = all[i].box;
        if (box.isEmpty()) {
            painter.drawText(QRect(end, 0, width() - end, height()), Qt::AlignVCenter,
                             rest_text(all.size() - i));
            return;
        }
        painter.fillRect(QRectF(box.left(), (height() - all[i].height) / 2, kSample, all[i].height),
                         all[i].color);
        const QRect text = box.adjusted(kSample + kBesideSample, 0, 0, 0);
        painter.drawText(text, Qt::AlignVCenter,
                         fontMetrics().elidedText(all[i].text, Qt::ElideRight, text.width()));
        end = box.right() + 1 + kGap;
    }
}

}  // namespace rankscope::gui
