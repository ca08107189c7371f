// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/runs/run_legend.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QPainter>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kSwatch = 14;
constexpr int kGap = 6;
constexpr int kApart = 16;
constexpr int kMostLines = 3;
constexpr int kWidest = 280;

}  // namespace

RunLegend::RunLegend(QWidget* parent) : QWidget(parent) {
    setObjectName(u"runLegend"_s);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
}

void RunLegend::set_titles(const QStringList& titles) {
    titles_ = titles;
    setAccessibleName(tr("Runs: %1").arg(titles.join(u", "_s)));
    setToolTip(titles.join(u'\n'));
    updateGeometry();
    update();
}

int RunLegend::lay_out(int width, QPainter* painter) const {
    const QFontMetrics metrics = fontMetrics();
    const int line = metrics.height() + 4;
    const ThemeColors colors = theme_colors(palette());
    int x = 0;
    int y = 0;
    for (qsizetype i = 0; i < titles_.size(); ++i) {
        const QString text = metrics.elidedText(titles_[i], Qt::ElideMiddle, kWidest);
        const int needed = kSwatch + kGap + metrics.horizontalAdvance(text);
        if (x > 0 && x + needed > width) {
            x = 0;
            y += line;
        }
        if (y / line >= kMostLines) {
            return kMostLines * line;
        }
        if (painter) {
            painter->fillRect(QRect(x, y + line / 2 - 1, kSwatch, 3), rank_color(int(i), colors.dark));
            painter->setPen(colors.text);
            painter->drawText(QRect(x + kSwatch + kGap, y, needed, line), Qt::AlignVCenter | Qt::AlignLeft,
                              text);
        }
        x += needed + kApart;
    }
    return y + line;
}

int RunLegend::heightForWidth(int width) const {
    return titles_.isEmpty() ? 0 : lay_out(width, nullptr);
}

QSize RunLegend::sizeHint() const {
    return {400, heightForWidth(std::max(400, width()))};
}

void RunLegend::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    lay_out(width(), &painter);
}

}  // namespace rankscope::gui
