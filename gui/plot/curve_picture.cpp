// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/curve_picture.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kCheap = 1500;     ///< points of lines that are painted within a millisecond
constexpr double kSmallPart = 1.0 / 12;  ///< of the width

bool is_cheap(const CurveShape& shape) {
    return shape.fills.empty() && shape.points() <= kCheap;
}

/// Paints into `target`, whose left edge is `left` device pixels right of the frame's.
void paint_into(QImage& target, const CurveFrame& frame, int left, double from) {
    target.setDevicePixelRatio(frame.ratio);
    target.fill(Qt::transparent);
    QCPPainter painter(&target);
    painter.translate(-double(frame.box.left()) - left / frame.ratio, -double(frame.box.top()));
    paint(frame.shape, &painter, from);
}

}  // namespace

bool is_screen(const QCPPainter& painter) {
    return painter.modes() == QCPPainter::pmDefault;
}

bool CurveFrame::same_place(const CurveFrame& other) const {
    return same_axes(other) && box == other.box && ratio == other.ratio && x == other.x && y == other.y;
}

CurveImage paint_curves(const CurveFrame& frame) {
    const QSize size(int(std::ceil(frame.box.width() * frame.ratio)),
                     int(std::ceil(frame.box.height() * frame.ratio)));
    CurveImage painted{frame, QImage(size, QImage::Format_ARGB32_Premultiplied)};
    if (!painted.image.isNull()) {
        paint_into(painted.image, frame, 0, frame.box.left());
    }
    return painted;
}

CurvePicture::CurvePicture(QCPAxis* x, QCPAxis* y, const XScale* scale, QThreadPool* pool)
    : PanelPlottable(x, y), scale_(scale), job_(this, pool, &paint_curves, [this](CurveImage painted) {
          last_ = std::move(painted);
          emit this->painted();
      }) {}

CurveFrame CurvePicture::frame_now() const {
    CurveFrame frame{keyAxis()->axisRect()->rect(),
                     mParentPlot->bufferDevicePixelRatio(),
                     keyAxis()->range(),
                     valueAxis()->range(),
                     valueAxis()->scaleType() == QCPAxis::stLogarithmic,
                     scale_->unit(),
                     scale_->is_log(),
                     {}};
    for (CurvePart* part : parts_) {
        part->add_to(frame.shape);
    }
    return frame;
}

// Only the right end is new, as a rule: the steps that have come.
bool CurvePicture::paint_new_part(const CurveFrame& frame) {
    const double differ = differ_from(last_.frame.shape, frame.shape);
    const double left = std::max(differ, double(frame.box.left())) - frame.box.left();
    const double right =
        std::min(std::max(frame.shape.end(), last_.frame.shape.end()), double(frame.box.right() + 1)) -
        frame.box.left();
    if (left < right) {
        if (!at_once_ && right - left > frame.box.width() * kSmallPart) {
            return false;
        }
        QImage& image = last_.image;
        const int from = int(left * frame.ratio);
        const int width = std::min(int(std::ceil(right * frame.ratio)) + 1, image.width()) - from;
        QImage part(image.bits() + qsizetype(from) * image.depth() / 8, width, image.height(),
                    image.bytesPerLine(), image.format());
        paint_into(part, frame, from, frame.box.left() + left - 1);
    }
    last_.frame.shape = frame.shape;
    return true;
}

void CurvePicture::request(const CurveFrame& frame) {
    // What has come since then is painted at once when this one is there.
    if (job_.running() && asked_.same_place(frame) &&
        differ_from(asked_.shape, frame.shape) > frame.box.left()) {
        return;
    }
    asked_ = frame;
    job_.request(frame);
}

void CurvePicture::bring_up_to_date(const CurveFrame& frame) {
    const bool usable = !last_.image.isNull() && last_.frame.same_axes(frame) && !last_.frame.shape.empty();
    if (usable && last_.frame.same_place(frame) && paint_new_part(frame)) {
        return;
    }
    if (!usable || at_once_ || is_cheap(frame.shape)) {
        job_.cancel();
        last_ = paint_curves(frame);
    } else {
        request(frame);
    }
}

void CurvePicture::draw(QCPPainter* painter) {
    if (!is_screen(*painter)) {
        return;
    }
    const CurveFrame frame = frame_now();
    if (frame.box.isEmpty() || (frame.shape.empty() && last_.frame.shape.empty())) {
        return;
    }
    bring_up_to_date(frame);
    painter->setAntialiasing(false);
    if (last_.frame.same_place(frame)) {
        painter->drawImage(frame.box.topLeft(), last_.image);
    } else {
        draw_moved(painter);
    }
}

// The part of it that is in view: far zoomed in, all of it would be millions of pixels wide.
void CurvePicture::draw_moved(QCPPainter* painter) const {
    const QRectF all(coordsToPixels(last_.frame.x.lower, last_.frame.y.upper),
                     coordsToPixels(last_.frame.x.upper, last_.frame.y.lower));
    const QRectF seen = all.intersected(QRectF(keyAxis()->axisRect()->rect()));
    if (seen.isEmpty()) {
        return;
    }
    const double across = last_.image.width() / all.width();
    const double down = last_.image.height() / all.height();
    painter->drawImage(seen, last_.image,
                       QRectF((seen.left() - all.left()) * across, (seen.top() - all.top()) * down,
                              seen.width() * across, seen.height() * down));
}

}  // namespace rankscope::gui
