// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/mark_lines.h>
#include <gui/strings.h>

#include <QPolygonF>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kNear = 4;     ///< pixels
constexpr double kEpochs = 24;  ///< pixels between two epochs that are drawn, at least
constexpr qsizetype kMostTexts = 6;

}  // namespace

double MarkLines::pixel_of(const RunMark& mark) const {
    return x_->coordToPixel(scale_->of_moment(double(mark.step), mark.t_us));
}

QColor MarkLines::color_of(RunMark::Kind kind) const {
    switch (kind) {
        case RunMark::Kind::Verdict:
        case RunMark::Kind::Failure:
            return colors_.bad;
        case RunMark::Kind::Pause:
        case RunMark::Kind::Restart:
        case RunMark::Kind::Rewind:
            return colors_.warning;
        case RunMark::Kind::Checkpoint:
        case RunMark::Kind::Continue:
            return colors_.good;
        case RunMark::Kind::Epoch:
        case RunMark::Kind::End:
            break;
    }
    return colors_.muted;
}

void MarkLines::draw_sign(QCPPainter* painter, RunMark::Kind kind, double x, double top) const {
    painter->setPen(QPen(color_of(kind), 1));
    painter->setBrush(color_of(kind));
    switch (kind) {
        case RunMark::Kind::Checkpoint:
            painter->drawRect(QRectF(x - 3, top, 6, 6));
            break;
        case RunMark::Kind::Pause:
            painter->drawRect(QRectF(x - 3, top, 2, 6));
            painter->drawRect(QRectF(x + 1, top, 2, 6));
            break;
        case RunMark::Kind::Continue:
            painter->drawPolygon(QPolygonF{{x - 3, top}, {x + 4, top + 3.5}, {x - 3, top + 7}});
            break;
        case RunMark::Kind::Restart:
        case RunMark::Kind::Rewind:
            painter->drawEllipse(QRectF(x - 3.5, top, 7, 7));
            break;
        case RunMark::Kind::Verdict:
        case RunMark::Kind::Failure:
            painter->drawPolygon(QPolygonF{{x - 4, top}, {x + 4, top}, {x, top + 7}});
            break;
        case RunMark::Kind::Epoch:
        case RunMark::Kind::End:
            break;
    }
}

void MarkLines::draw(QCPPainter* painter) {
    const QRectF box(x_->axisRect()->rect());
    double last_epoch = -1e9;
    for (const RunMark& mark : marks_->all()) {
        const double x = pixel_of(mark);
        if (!(x >= box.left() && x <= box.right())) {
            continue;
        }
        const bool epoch = mark.kind == RunMark::Kind::Epoch;
        if (epoch && x < last_epoch + kEpochs) {
            continue;
        }
        last_epoch = epoch ? x : last_epoch;
        QColor color = color_of(mark.kind);
        color.setAlphaF(epoch ? 0.5F : 0.8F);
        painter->setAntialiasing(false);
        painter->setPen(QPen(color, 1, epoch ? Qt::DotLine : Qt::DashDotLine));
        painter->drawLine(QLineF(x, box.top(), x, box.bottom()));
        painter->setAntialiasing(true);
        draw_sign(painter, mark.kind, x, box.top() + 1);
    }
}

QStringList MarkLines::texts_at(double pixel) const {
    QStringList texts;
    for (const RunMark& mark : marks_->all()) {
        if (std::abs(pixel_of(mark) - pixel) <= kNear && texts.size() < kMostTexts) {
            texts += mark_text(mark);
        }
    }
    return texts;
}

}  // namespace rankscope::gui
