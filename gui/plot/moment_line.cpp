// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_data.h>
#include <gui/plot/moment_line.h>

#include <QFontMetricsF>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kNearLine = 4;  ///< pixels
constexpr double kSigns = 9;     ///< pixels at the top that the signs of other marks take
constexpr float kFade = 0.6F;    ///< of the background over what is outside of the range

}  // namespace

double MomentLine::pixel() const {
    return x_->coordToPixel(x_of_moment(*run_, *scale_, **moment_));
}

void MomentLine::draw(QCPPainter* painter) {
    if (!*moment_) {
        return;
    }
    const QRectF box(x_->axisRect()->rect());
    const double x = pixel();
    if (!(x >= box.left() && x <= box.right())) {
        return;
    }
    painter->setAntialiasing(false);
    painter->setPen(QPen(colors_.text, 1));
    painter->drawLine(QLineF(x, box.top(), x, box.bottom()));
    const QString text = moment_clock_text(**moment_);
    const QFontMetricsF metrics(font_);
    QRectF label(x + 1, box.top() + kSigns, metrics.horizontalAdvance(text) + 6, metrics.height() + 2);
    if (label.right() > box.right()) {
        label.moveRight(x);
    }
    painter->setBrush(colors_.surface);
    painter->setPen(QPen(colors_.line, 1));
    painter->drawRect(label);
    painter->setPen(colors_.text);
    painter->setFont(font_);
    painter->drawText(label, Qt::AlignCenter, text);
}

QString MomentLine::text_at(double pixel) const {
    return *moment_ && std::abs(this->pixel() - pixel) <= kNearLine ? moment_text(**moment_) : QString();
}

void RangeFade::draw(QCPPainter* painter) {
    if (*range_ == TimeSpan() || run_->step_times.empty()) {
        return;
    }
    const QRectF box(x_->axisRect()->rect());
    const auto pixel_of = [this](std::int64_t t_us) {
        return x_->coordToPixel(x_of_time(*run_, *scale_, t_us));
    };
    QColor fade = colors_.surface;
    fade.setAlphaF(kFade);
    painter->setAntialiasing(false);
    painter->setPen(QPen(colors_.accent, 1));
    if (range_->from_us != TimeSpan::kOpenBegin) {
        const double x = std::clamp(pixel_of(range_->from_us), box.left() - 1, box.right() + 1);
        painter->fillRect(QRectF(box.topLeft(), QPointF(x, box.bottom())), fade);
        painter->drawLine(QLineF(x, box.top(), x, box.bottom()));
    }
    if (range_->until_us != TimeSpan::kOpenEnd) {
        const double x = std::clamp(pixel_of(range_->until_us), box.left() - 1, box.right() + 1);
        painter->fillRect(QRectF(QPointF(x, box.top()), box.bottomRight()), fade);
        painter->drawLine(QLineF(x, box.top(), x, box.bottom()));
    }
}

}  // namespace rankscope::gui
