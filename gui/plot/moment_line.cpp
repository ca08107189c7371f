// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/moment_line.h>

#include <QFontMetricsF>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kNearLine = 4;  ///< pixels
constexpr double kSigns = 9;     ///< pixels at the top that the signs of other marks take

}  // namespace

MomentLine::MomentLine(QCustomPlot* plot, QCPAxis* x, const std::optional<RunMoment>* moment,
                       const LiveData* run, const XScale* scale)
    : QCPAbstractItem(plot), x_(x), moment_(moment), run_(run), scale_(scale) {
    setClipAxisRect(x->axisRect());
    setSelectable(false);
}

void MomentLine::set_look(const ThemeColors& colors, const QFont& font) {
    colors_ = colors;
    font_ = font;
}

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

}  // namespace rankscope::gui
