// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plain_text.h>
#include <gui/runs/run_legend.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QEvent>
#include <QMenu>
#include <QPainter>
#include <QPixmap>
#include <QToolButton>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kMostLines = 3;
constexpr int kWidest = 280;
constexpr int kButtonEdges = 20;  ///< beside the text of the button

}  // namespace

RunLegend::RunLegend(QWidget* parent)
    : QWidget(parent), more_(new QToolButton(this)), list_(new QMenu(more_)) {
    setObjectName(u"runLegend"_s);
    QSizePolicy policy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    policy.setHeightForWidth(true);
    setSizePolicy(policy);
    more_->setObjectName(u"runLegendMore"_s);
    more_->setAutoRaise(true);
    more_->setToolTip(tr("Lists the runs that do not fit here"));
    more_->hide();
    list_->setObjectName(u"runLegendList"_s);
    connect(list_, &QMenu::aboutToShow, this, &RunLegend::fill_list);
    connect(more_, &QToolButton::clicked, this,
            [this] { list_->popup(more_->mapToGlobal(QPoint(0, more_->height()))); });
}

void RunLegend::set_titles(const QStringList& titles) {
    titles_ = titles;
    setAccessibleName(tr("Runs: %1").arg(titles.join(u", "_s)));
    setToolTip(plain_text(titles.join(u'\n')));
    place_button();
    updateGeometry();
    update();
}

QString RunLegend::more_text(qsizetype count) const {
    return tr("and %1 more…").arg(count);
}

RunLegend::Layout RunLegend::lay_out(int width) const {
    const QFontMetrics metrics = fontMetrics();
    const int line = metrics.height() + 4;
    Layout layout;
    layout.places = legend_places(titles_, metrics, width, kWidest, kMostLines);
    layout.height = layout.places.empty() ? line : layout.places.back().rect.bottom() + 1;
    if (layout.places.size() == std::size_t(titles_.size())) {
        return layout;
    }
    // The button takes the place of the last ones on the last line.
    const int last = (kMostLines - 1) * line;
    const int needed = metrics.horizontalAdvance(more_text(titles_.size())) + kButtonEdges;
    int x = 0;
    while (!layout.places.empty() && layout.places.back().rect.top() == last) {
        const int end = layout.places.back().rect.x() + layout.places.back().rect.width() + kLegendApart;
        if (end + needed <= width) {
            x = end;
            break;
        }
        layout.places.pop_back();
    }
    layout.more = QRect(x, last, needed, line);
    return layout;
}

int RunLegend::shown() const {
    return int(lay_out(width()).places.size());
}

void RunLegend::place_button() {
    const Layout layout = lay_out(width());
    const qsizetype left = titles_.size() - qsizetype(layout.places.size());
    more_->setVisible(left > 0);
    if (left > 0) {
        more_->setText(more_text(left));
        more_->setAccessibleName(tr("%1 more runs").arg(left));
        more_->setGeometry(layout.more);
    }
}

void RunLegend::fill_list() {
    list_->clear();
    const bool dark = theme_colors(palette()).dark;
    for (qsizetype i = shown(); i < titles_.size(); ++i) {
        QPixmap swatch(kLegendSwatch, kLegendSwatch);
        swatch.fill(Qt::transparent);
        QPainter(&swatch).fillRect(QRect(0, kLegendSwatch / 2 - 1, kLegendSwatch, 3),
                                   rank_color(int(i), dark));
        list_->addAction(QIcon(swatch), QString(titles_[i]).replace(u'&', u"&&"_s));
    }
}

int RunLegend::heightForWidth(int width) const {
    return titles_.isEmpty() ? 0 : lay_out(width).height;
}

QSize RunLegend::sizeHint() const {
    return {400, heightForWidth(std::max(400, width()))};
}

void RunLegend::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place_button();
}

void RunLegend::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
        place_button();
    }
}

void RunLegend::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    const ThemeColors colors = theme_colors(palette());
    const Layout layout = lay_out(width());
    for (std::size_t i = 0; i < layout.places.size(); ++i) {
        draw_legend_place(painter, layout.places[i], rank_color(int(i), colors.dark), colors.text);
    }
}

}  // namespace rankscope::gui
