// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/rate_curve.h>
#include <gui/strings.h>
#include <gui/style/theme.h>

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr int kHeight = 84;

QString rate_text(double rate) {
    return QString::number(rate, 'g', 3);
}

}  // namespace

RateCurve::RateCurve(QWidget* parent) : QWidget(parent) {
    setObjectName(u"launchRateCurve"_s);
    setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
}

QSize RateCurve::sizeHint() const {
    return {240, kHeight};
}

void RateCurve::set_points(std::vector<std::pair<double, double>> points) {
    points_ = std::move(points);
    double highest = 0;
    for (const auto& [epoch, rate] : points_) {
        highest = std::max(highest, rate);
    }
    setVisible(!points_.empty());
    setAccessibleName(points_.empty() ? QString()
                                      : tr("Learning rate: begins at %1, at most %2, ends at %3")
                                            .arg(rate_text(points_.front().second), rate_text(highest),
                                                 rate_text(points_.back().second)));
    update();
}

QRectF RateCurve::plot_area() const {
    const int left = fontMetrics().horizontalAdvance(u"0.00012 "_s);
    return QRectF(rect()).adjusted(left, 6, -8, -fontMetrics().height() - 2);
}

void RateCurve::paintEvent(QPaintEvent*) {
    if (points_.empty()) {
        return;
    }
    const ThemeColors colors = theme_colors(palette());
    QPainter painter(this);
    const QRectF area = plot_area();
    double highest = 0;
    for (const auto& [epoch, rate] : points_) {
        highest = std::max(highest, rate);
    }
    const double last = std::max(points_.back().first, 1e-9);
    painter.setPen(colors.muted);
    const int text = fontMetrics().height();
    painter.drawText(QRectF(0, area.top() - text / 2.0, area.left() - 6, text),
                     Qt::AlignRight | Qt::AlignVCenter, rate_text(highest));
    painter.drawText(QRectF(0, area.bottom() - text / 2.0, area.left() - 6, text),
                     Qt::AlignRight | Qt::AlignVCenter, u"0"_s);
    painter.drawText(QRectF(area.left(), area.bottom() + 2, area.width(), text),
                     Qt::AlignLeft | Qt::AlignVCenter, tr("epoch 0"));
    painter.drawText(QRectF(area.left(), area.bottom() + 2, area.width(), text),
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(last, 'g', 4));
    painter.setPen(colors.grid);
    painter.drawLine(area.bottomLeft(), area.bottomRight());
    painter.drawLine(area.topLeft(), area.bottomLeft());
    QPolygonF line;
    for (const auto& [epoch, rate] : points_) {
        line << QPointF(area.left() + epoch / last * area.width(),
                        area.bottom() - (highest > 0 ? rate / highest : 0) * area.height());
    }
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(colors.accent, 1.6));
    painter.drawPolyline(line);
}

bool RateCurve::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip && !points_.empty()) {
        const auto* help = static_cast<QHelpEvent*>(event);
        const QRectF area = plot_area();
        const double at = std::clamp((help->pos().x() - area.left()) / area.width(), 0.0, 1.0);
        const auto& point = points_[std::size_t(at * double(points_.size() - 1))];
        QToolTip::showText(
            help->globalPos(),
            tr("epoch %1: %2").arg(QString::number(point.first, 'f', 1), rate_text(point.second)), this);
        return true;
    }
    return QWidget::event(event);
}

}  // namespace rankscope::gui
