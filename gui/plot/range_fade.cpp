// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/live_data.h>
#include <gui/plot/range_fade.h>

#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr float kFade = 0.6F;  ///< of the background over what is outside

}  // namespace

RangeFade::RangeFade(QCustomPlot* plot, QCPAxis* x, const TimeSpan* range, const LiveData* run,
                     const XScale* scale)
    : QCPAbstractItem(plot), x_(x), range_(range), run_(run), scale_(scale) {
    setClipAxisRect(x->axisRect());
    setSelectable(false);
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
