// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/live/legend_strip.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QPainter>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kMostRanks = 16;
constexpr int kSample = 14;
constexpr int kGap = 14;

}  // namespace

LegendStrip::LegendStrip(QWidget* parent) : QWidget(parent) {
    setObjectName(u"legendStrip"_s);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
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
            all.push_back({tr("rank %1").arg(selected_[i]), rank_color(selected_[i], colors.dark), 2});
        }
    } else {
        for (int rank = 0; rank < std::min(count_, kMostRanks); ++rank) {
            const bool faded =
                !selected_.empty() && std::find(selected_.begin(), selected_.end(), rank) == selected_.end();
            QColor color = rank_color(rank, colors.dark);
            color.setAlphaF(faded ? 0.3F : 1.0F);
            all.push_back({tr("rank %1").arg(rank), color, 3});
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

void LegendStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const ThemeColors colors = theme_colors(palette());
    const std::vector<Entry> all = entries();
    int x = 8;
    for (std::size_t i = 0; i < all.size(); ++i) {
        const int width = kSample + 5 + fontMetrics().horizontalAdvance(all[i].text);
        const QString rest = u"+%1"_s.arg(all.size() - i);
        const int reserve = i + 1 < all.size() ? fontMetrics().horizontalAdvance(rest) + kGap : 0;
        painter.setPen(colors.text);
        if (x + width + reserve > this->width() && i > 0) {
            painter.drawText(QRect(x, 0, this->width() - x, height()), Qt::AlignVCenter, rest);
            return;
        }
        painter.fillRect(QRectF(x, (height() - all[i].height) / 2, kSample, all[i].height), all[i].color);
        const QString text =
            fontMetrics().elidedText(all[i].text, Qt::ElideRight, this->width() - x - kSample - 5);
        painter.drawText(QRect(x + kSample + 5, 0, width, height()), Qt::AlignVCenter, text);
        x += width + kGap;
    }
}

}  // namespace rankscope::gui
