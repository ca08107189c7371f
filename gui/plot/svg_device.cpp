// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/svg_device.h>
#include <gui/strings.h>
#include <remote/desk/archive/export/svg_plot.h>

#include <QBuffer>
#include <QImage>
#include <QPainterPath>
#include <QPixmap>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kDotsPerInch = 96;
constexpr double kMillimetresPerInch = 25.4;

QString two_decimals(double value) {
    return QString::number(value, 'f', 2);
}

QString path_text(const QPainterPath& path) {
    QString text;
    for (int i = 0; i < path.elementCount(); ++i) {
        const QPainterPath::Element at = path.elementAt(i);
        const QString place = two_decimals(at.x) % u' ' % two_decimals(at.y);
        switch (at.type) {
            case QPainterPath::MoveToElement:
                text += u'M' % place;
                break;
            case QPainterPath::LineToElement:
                text += u'L' % place;
                break;
            case QPainterPath::CurveToElement:
                text += u'C' % place;
                break;
            case QPainterPath::CurveToDataElement:
                text += u' ' % place;
                break;
        }
    }
    return text;
}

}  // namespace

class SvgDevice::Engine : public QPaintEngine {
public:
    Engine() : QPaintEngine(AllFeatures) {}
    using QPaintEngine::drawPolygon;

    bool begin(QPaintDevice*) override {
        body_.clear();
        clips_ = 0;
        clip_.clear();
        return true;
    }
    bool end() override { return true; }
    Type type() const override { return User; }
    const QString& body() const { return body_; }

    void updateState(const QPaintEngineState& now) override {
        if (now.state() & DirtyPen) {
            pen_ = now.pen();
        }
        if (now.state() & DirtyBrush) {
            brush_ = now.brush();
        }
        if (now.state() & DirtyTransform) {
            transform_ = now.transform();
        }
        if (now.state() & DirtyOpacity) {
            opacity_ = now.opacity();
        }
        if (now.state() & (DirtyClipPath | DirtyClipRegion | DirtyClipEnabled)) {
            set_clip(now);
        }
    }
    void drawPath(const QPainterPath& path) override { add_path(path, true); }
    void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override {
        QPainterPath path;
        path.addPolygon(QPolygonF(QList<QPointF>(points, points + count)));
        if (mode != PolylineMode) {
            path.closeSubpath();
        }
        add_path(path, mode != PolylineMode);
    }
    void drawPixmap(const QRectF& target, const QPixmap& pixmap, const QRectF& source) override {
        drawImage(target, pixmap.toImage(), source, Qt::AutoColor);
    }
    void drawImage(const QRectF& target, const QImage& image, const QRectF& source,
                   Qt::ImageConversionFlags) override {
        QByteArray bytes;
        QBuffer buffer(&bytes);
        buffer.open(QIODevice::WriteOnly);
        image.copy(source.toAlignedRect()).save(&buffer, "PNG");
        body_ +=
            u"<image x=\"%1\" y=\"%2\" width=\"%3\" height=\"%4\" preserveAspectRatio=\"none\" "
            u"style=\"image-rendering:pixelated\"%5 href=\"data:image/png;base64,"_s.arg(
                two_decimals(target.x()), two_decimals(target.y()), two_decimals(target.width()),
                two_decimals(target.height()), place()) %
            QString::fromLatin1(bytes.toBase64()) % u"\"/>\n"_s;
    }
    void drawTextItem(const QPointF& at, const QTextItem& item) override {
        const QFont font = item.font();
        const double size = font.pixelSize() > 0 ? font.pixelSize() : font.pointSizeF() * kDotsPerInch / 72;
        body_ +=
            u"<text x=\"%1\" y=\"%2\" font-family=\"%3\" font-size=\"%4\" font-weight=\"%5\" fill=\"%6\" "
            u"fill-opacity=\"%7\"%8>"_s
                .arg(two_decimals(at.x()), two_decimals(at.y()), escaped(font.family()), two_decimals(size))
                .arg(font.bold() ? 700 : 400)
                .arg(pen_.color().name(), two_decimals(pen_.color().alphaF() * opacity_), place()) %
            escaped(item.text()) % u"</text>\n"_s;
    }

private:
    static QString escaped(const QString& text) { return qs(html_text(ss(text))); }
    void set_clip(const QPaintEngineState& now) {
        clip_.clear();
        if (!now.isClipEnabled()) {
            return;
        }
        QPainterPath path = now.clipPath();
        if (now.state() & DirtyClipRegion) {
            path = QPainterPath();
            path.addRegion(now.clipRegion());
        }
        if (!path.isEmpty()) {
            ++clips_;
            body_ += u"<clipPath id=\"c%1\"><path d=\"%2\"/></clipPath>\n"_s.arg(clips_).arg(path_text(path));
            clip_ = u" clip-path=\"url(#c%1)\""_s.arg(clips_);
        }
    }
    /// Transformation and clip of the next element.
    QString place() const {
        if (transform_.isIdentity()) {
            return clip_;
        }
        return clip_ % u" transform=\"matrix(%1 %2 %3 %4 %5 %6)\""_s.arg(
                           two_decimals(transform_.m11()), two_decimals(transform_.m12()),
                           two_decimals(transform_.m21()), two_decimals(transform_.m22()),
                           two_decimals(transform_.dx()), two_decimals(transform_.dy()));
    }
    void add_path(const QPainterPath& path, bool filled) {
        const bool fills = filled && brush_.style() != Qt::NoBrush;
        const bool strokes = pen_.style() != Qt::NoPen;
        if (path.isEmpty() || (!fills && !strokes)) {
            return;
        }
        QString look = fills ? u"fill=\"%1\" fill-opacity=\"%2\""_s.arg(
                                   brush_.color().name(), two_decimals(brush_.color().alphaF() * opacity_))
                             : u"fill=\"none\""_s;
        if (strokes) {
            const double width = std::max(pen_.widthF(), 1.0);
            look +=
                u" stroke=\"%1\" stroke-opacity=\"%2\" stroke-width=\"%3\" stroke-linejoin=\"round\""_s.arg(
                    pen_.color().name(), two_decimals(pen_.color().alphaF() * opacity_), two_decimals(width));
            QStringList dashes;
            for (const double dash : pen_.dashPattern()) {
                dashes += two_decimals(dash * width);
            }
            if (!dashes.isEmpty()) {
                look += u" stroke-dasharray=\"%1\""_s.arg(dashes.join(u' '));
            }
        }
        body_ += u"<path d=\"%1\" %2%3/>\n"_s.arg(path_text(path), look, place());
    }

    QString body_;
    QString clip_;
    int clips_ = 0;
    QPen pen_;
    QBrush brush_;
    QTransform transform_;
    double opacity_ = 1;
};

SvgDevice::SvgDevice(const QSize& size) : size_(size), engine_(std::make_unique<Engine>()) {}

SvgDevice::~SvgDevice() = default;

QPaintEngine* SvgDevice::paintEngine() const {
    return engine_.get();
}

QByteArray SvgDevice::text() const {
    const QString head =
        u"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
        u"width=\"%1\" height=\"%2\" viewBox=\"0 0 %1 %2\">\n"_s.arg(size_.width())
            .arg(size_.height());
    return QString(head % engine_->body() % u"</svg>\n"_s).toUtf8();
}

int SvgDevice::metric(PaintDeviceMetric what) const {
    switch (what) {
        case PdmWidth:
            return size_.width();
        case PdmHeight:
            return size_.height();
        case PdmWidthMM:
            return int(size_.width() * kMillimetresPerInch / kDotsPerInch);
        case PdmHeightMM:
            return int(size_.height() * kMillimetresPerInch / kDotsPerInch);
        case PdmDepth:
            return 32;
        case PdmNumColors:
            return 1 << 24;
        case PdmDevicePixelRatio:
            return 1;
        case PdmDevicePixelRatioScaled:
            return int(devicePixelRatioFScale());
        default:
            return kDotsPerInch;
    }
}

}  // namespace rankscope::gui
