// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/style/glyphs.h>

#include <QPainter>
#include <QPainterPath>
#include <QPixmap>
#include <algorithm>
#include <functional>

namespace rankscope::gui {

namespace {

constexpr double kShapeFrom = 9;  ///< below this many pixels a shape inside a square cannot be made out

void draw_tick(QPainter& painter, const QRectF& box) {
    QPainterPath path;
    path.moveTo(box.left() + box.width() * 0.22, box.top() + box.height() * 0.52);
    path.lineTo(box.left() + box.width() * 0.42, box.top() + box.height() * 0.72);
    path.lineTo(box.left() + box.width() * 0.78, box.top() + box.height() * 0.30);
    painter.drawPath(path);
}

void draw_cross(QPainter& painter, const QRectF& box) {
    const double in = box.width() * 0.27;
    const QRectF inner = box.adjusted(in, in, -in, -in);
    painter.drawLine(inner.topLeft(), inner.bottomRight());
    painter.drawLine(inner.topRight(), inner.bottomLeft());
}

QPen sign_pen(const QColor& color, double size) {
    return QPen(color, std::max(1.4, size * 0.13), Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin);
}

QIcon paint_icon(int size, const std::function<void(QPainter&, const QRectF&)>& paint) {
    QIcon icon;
    for (const int scale : {1, 2, 3}) {
        QPixmap pixmap(size * scale, size * scale);
        pixmap.setDevicePixelRatio(scale);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        paint(painter, QRectF(0, 0, size, size));
        painter.end();
        // The same when selected: Qt would tint it otherwise.
        icon.addPixmap(pixmap, QIcon::Normal);
        icon.addPixmap(pixmap, QIcon::Selected);
    }
    return icon;
}

/// The shape inside an already drawn square.
void draw_phase_shape(QPainter& painter, const QRectF& box, RankPhase phase, const QColor& color,
                      const QColor& inside) {
    const double size = box.width();
    switch (phase) {
        case RankPhase::Starting:
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawEllipse(box.center(), size * 0.16, size * 0.16);
            break;
        case RankPhase::Rendezvous:
            painter.setBrush(Qt::NoBrush);
            painter.setPen(sign_pen(color, size));
            painter.drawEllipse(box.center(), size * 0.22, size * 0.22);
            break;
        case RankPhase::Validating: {
            painter.setPen(Qt::NoPen);
            painter.setBrush(color);
            painter.drawRect(QRectF(box.left(), box.center().y(), size, size / 2).adjusted(1, 0, -1, -1));
            break;
        }
        case RankPhase::Done:
            painter.setPen(sign_pen(inside, size));
            draw_tick(painter, box);
            break;
        case RankPhase::Failed:
            painter.setPen(sign_pen(inside, size));
            draw_cross(painter, box);
            break;
        case RankPhase::EndedWithRun:
            painter.setPen(sign_pen(inside, size));
            painter.drawLine(QPointF(box.left() + size * 0.27, box.center().y()),
                             QPointF(box.right() - size * 0.27, box.center().y()));
            break;
        case RankPhase::Waiting:
        case RankPhase::Training:
            break;
    }
}

}  // namespace

void draw_phase_glyph(QPainter& painter, const QRectF& box, RankPhase phase, const ThemeColors& colors) {
    const QColor color = phase_color(phase, colors);
    const bool filled = phase == RankPhase::Training || phase == RankPhase::Done ||
                        phase == RankPhase::Failed || phase == RankPhase::EndedWithRun;
    const double radius = std::min(2.5, box.width() * 0.18);
    const bool shapes = box.width() >= kShapeFrom;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, shapes);
    if (!shapes) {
        painter.fillRect(box, filled || phase == RankPhase::Validating ? color : colors.surface);
        if (!filled) {
            painter.setPen(QPen(color, 1));
            painter.setBrush(Qt::NoBrush);
            painter.drawRect(box.adjusted(0, 0, -1, -1));
        }
        painter.restore();
        return;
    }
    const QRectF frame = box.adjusted(0.5, 0.5, -0.5, -0.5);
    painter.setPen(QPen(color, 1.2));
    painter.setBrush(filled ? QBrush(color) : QBrush(Qt::NoBrush));
    painter.drawRoundedRect(frame, radius, radius);
    draw_phase_shape(painter, box, phase, color, colors.surface);
    painter.restore();
}

QIcon phase_icon(RankPhase phase, const ThemeColors& colors) {
    return paint_icon(14, [&](QPainter& painter, const QRectF& box) {
        draw_phase_glyph(painter, box.adjusted(1, 1, -1, -1), phase, colors);
    });
}

void draw_hold_glyph(QPainter& painter, const QRectF& box, RankHold::Kind kind, const ThemeColors& colors) {
    using Kind = RankHold::Kind;
    if (kind == Kind::NotStarted) {
        draw_phase_glyph(painter, box, RankPhase::Waiting, colors);
        return;
    }
    const bool faulty = kind == Kind::Faulty;
    const bool filled = faulty || kind == Kind::LostPeer;
    const QColor color = faulty ? colors.bad : kind == Kind::Unknown ? colors.muted : colors.warning;
    const double size = box.width();
    const bool shapes = size >= kShapeFrom;
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing, shapes);
    painter.setPen(QPen(color, shapes ? 1.2 : 1));
    painter.setBrush(filled ? QBrush(color) : QBrush(Qt::NoBrush));
    const double radius = shapes ? std::min(2.5, size * 0.18) : 0;
    painter.drawRoundedRect(shapes ? box.adjusted(0.5, 0.5, -0.5, -0.5) : box.adjusted(0, 0, -1, -1), radius,
                            radius);
    const QPointF center = box.center();
    if (shapes && kind == Kind::LostPeer) {  // as one that ended with the run: it did nothing wrong
        painter.setPen(sign_pen(colors.surface, size));
        painter.drawLine(QPointF(box.left() + size * 0.27, center.y()),
                         QPointF(box.right() - size * 0.27, center.y()));
    } else if (shapes && kind == Kind::Unknown) {
        painter.setPen(sign_pen(color, size));
        painter.drawLine(box.bottomLeft() + QPointF(size * 0.2, -size * 0.2),
                         box.topRight() + QPointF(-size * 0.2, size * 0.2));
    } else if (shapes && kind == Kind::Slow) {
        painter.setPen(sign_pen(color, size));
        painter.drawLine(center, center + QPointF(0, -size * 0.24));
        painter.drawLine(center, center + QPointF(size * 0.2, 0));
    } else if (shapes && faulty) {
        painter.setPen(sign_pen(colors.surface, size));
        painter.drawLine(QPointF(center.x(), box.top() + size * 0.24),
                         QPointF(center.x(), center.y() + size * 0.06));
        painter.drawPoint(QPointF(center.x(), box.top() + size * 0.76));
    } else if (shapes) {
        const double half = size * 0.22;
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawPolygon(
            QPolygonF{center, center + QPointF(-half, -half * 1.2), center + QPointF(half, -half * 1.2)});
        painter.drawPolygon(
            QPolygonF{center, center + QPointF(-half, half * 1.2), center + QPointF(half, half * 1.2)});
    }
    painter.restore();
}

QIcon hold_icon(RankHold::Kind kind, const ThemeColors& colors) {
    return paint_icon(14, [&](QPainter& painter, const QRectF& box) {
        draw_hold_glyph(painter, box.adjusted(1, 1, -1, -1), kind, colors);
    });
}

void draw_stage_sign(QPainter& painter, const QRectF& box, StageSign sign, const ThemeColors& colors) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF disc = box.adjusted(1, 1, -1, -1);
    switch (sign) {
        case StageSign::Waiting:
            painter.setPen(QPen(colors.muted, 1.4));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(disc);
            break;
        case StageSign::Active:
            painter.setPen(QPen(colors.accent, 1.4));
            painter.setBrush(Qt::NoBrush);
            painter.drawEllipse(disc);
            painter.setBrush(colors.accent);
            painter.setPen(Qt::NoPen);
            painter.drawEllipse(disc.center(), disc.width() * 0.24, disc.width() * 0.24);
            break;
        case StageSign::Done:
        case StageSign::Failed:
            painter.setPen(Qt::NoPen);
            painter.setBrush(sign == StageSign::Done ? colors.good : colors.bad);
            painter.drawEllipse(disc);
            painter.setPen(sign_pen(colors.surface, disc.width()));
            sign == StageSign::Done ? draw_tick(painter, disc) : draw_cross(painter, disc);
            break;
    }
    painter.restore();
}

void draw_check_sign(QPainter& painter, const QRectF& box, CheckStatus status, const ThemeColors& colors) {
    if (status != CheckStatus::Warn) {
        const StageSign sign = status == CheckStatus::Pass   ? StageSign::Done
                               : status == CheckStatus::Fail ? StageSign::Failed
                                                             : StageSign::Waiting;
        draw_stage_sign(painter, box, sign, colors);
        return;
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QRectF shape = box.adjusted(1, 1.5, -1, -1.5);
    QPainterPath triangle;
    triangle.moveTo(shape.center().x(), shape.top());
    triangle.lineTo(shape.bottomRight());
    triangle.lineTo(shape.bottomLeft());
    triangle.closeSubpath();
    painter.setPen(QPen(colors.warning, 1.6, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
    painter.setBrush(colors.warning);
    painter.drawPath(triangle);
    painter.setPen(QPen(colors.surface, 1.6, Qt::SolidLine, Qt::RoundCap));
    const double x = shape.center().x();
    painter.drawLine(QPointF(x, shape.top() + shape.height() * 0.36),
                     QPointF(x, shape.top() + shape.height() * 0.66));
    painter.drawPoint(QPointF(x, shape.top() + shape.height() * 0.87));
    painter.restore();
}

QIcon check_icon(CheckStatus status, const ThemeColors& colors) {
    return paint_icon(
        16, [&](QPainter& painter, const QRectF& box) { draw_check_sign(painter, box, status, colors); });
}

QIcon probe_icon(ProbeState state, const ThemeColors& colors) {
    StageSign sign = StageSign::Waiting;
    if (state == ProbeState::Connecting) {
        sign = StageSign::Active;
    } else if (state == ProbeState::Ready) {
        sign = StageSign::Done;
    } else if (state == ProbeState::Failed) {
        sign = StageSign::Failed;
    }
    return paint_icon(
        16, [&](QPainter& painter, const QRectF& box) { draw_stage_sign(painter, box, sign, colors); });
}

QIcon outcome_icon(Outcome outcome, const ThemeColors& colors) {
    if (outcome == Outcome::Stopped) {
        return paint_icon(16, [&](QPainter& painter, const QRectF& box) {
            painter.setPen(Qt::NoPen);
            painter.setBrush(colors.warning);
            painter.drawEllipse(box.adjusted(1, 1, -1, -1));
            painter.setPen(sign_pen(colors.surface, 14));
            painter.drawLine(QPointF(5, 8), QPointF(11, 8));
        });
    }
    StageSign sign = StageSign::Active;
    if (outcome == Outcome::Done) {
        sign = StageSign::Done;
    } else if (outcome == Outcome::Failed || outcome == Outcome::Lost) {
        sign = StageSign::Failed;
    }
    return paint_icon(
        16, [&](QPainter& painter, const QRectF& box) { draw_stage_sign(painter, box, sign, colors); });
}

QIcon swatch_icon(const QColor& color) {
    return paint_icon(12, [&](QPainter& painter, const QRectF& box) {
        painter.setPen(Qt::NoPen);
        painter.setBrush(color);
        painter.drawRoundedRect(box.adjusted(1, 1, -1, -1), 2, 2);
    });
}

namespace {

void draw_fleet(QPainter& painter) {
    for (const double top : {4.0, 13.0}) {
        painter.drawRoundedRect(QRectF(3, top, 20, 7), 1.5, 1.5);
        painter.drawPoint(QPointF(7, top + 3.5));
        painter.drawLine(QPointF(15, top + 3.5), QPointF(19, top + 3.5));
    }
    painter.drawLine(QPointF(13, 20), QPointF(13, 23));
    painter.drawLine(QPointF(8, 23), QPointF(18, 23));
}

void draw_launch(QPainter& painter) {
    QPainterPath path;
    path.moveTo(8, 4.5);
    path.lineTo(21, 13);
    path.lineTo(8, 21.5);
    path.closeSubpath();
    painter.drawPath(path);
}

/// A stethoscope's chest piece and tube.
void draw_doctor(QPainter& painter) {
    QPainterPath tube;
    tube.moveTo(5, 4);
    tube.lineTo(5, 9);
    tube.cubicTo(5, 16, 15, 16, 15, 9);
    tube.lineTo(15, 4);
    painter.drawPath(tube);
    QPainterPath hose;
    hose.moveTo(10, 14.5);
    hose.cubicTo(10, 26, 21, 24, 21, 16.5);
    painter.drawPath(hose);
    painter.drawEllipse(QPointF(21, 13.5), 2.8, 2.8);
}

void draw_live(QPainter& painter) {
    QPainterPath path;
    path.moveTo(3, 5);
    path.cubicTo(7, 20, 11, 17, 14, 17.5);
    path.cubicTo(18, 18, 20, 16.5, 23, 17);
    painter.drawPath(path);
    painter.drawLine(QPointF(3, 22.5), QPointF(23, 22.5));
}

void draw_runs(QPainter& painter) {
    for (const double y : {6.0, 13.0, 20.0}) {
        painter.drawPoint(QPointF(4.5, y));
        painter.drawLine(QPointF(9.5, y), QPointF(22.5, y));
    }
}

/// A page of text under a lens.
void draw_logs(QPainter& painter) {
    QPainterPath page;
    page.moveTo(12, 22);
    page.lineTo(4.5, 22);
    page.lineTo(4.5, 3.5);
    page.lineTo(18.5, 3.5);
    page.lineTo(18.5, 9);
    painter.drawPath(page);
    painter.drawLine(QPointF(8, 8.5), QPointF(15, 8.5));
    painter.drawLine(QPointF(8, 13), QPointF(11, 13));
    painter.drawEllipse(QPointF(16.5, 16), 4, 4);
    painter.drawLine(QPointF(19.5, 19), QPointF(23, 22.5));
}

}  // namespace

QIcon nav_icon(NavIcon icon, const QColor& color, const QColor& selected) {
    QIcon both;
    for (const bool on : {false, true}) {
        for (const int scale : {1, 2}) {
            QPixmap pixmap(26 * scale, 26 * scale);
            pixmap.setDevicePixelRatio(scale);
            pixmap.fill(Qt::transparent);
            QPainter painter(&pixmap);
            painter.setRenderHint(QPainter::Antialiasing);
            painter.setPen(QPen(on ? selected : color, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
            switch (icon) {
                case NavIcon::Fleet:
                    draw_fleet(painter);
                    break;
                case NavIcon::Launch:
                    draw_launch(painter);
                    break;
                case NavIcon::Doctor:
                    draw_doctor(painter);
                    break;
                case NavIcon::Live:
                    draw_live(painter);
                    break;
                case NavIcon::Runs:
                    draw_runs(painter);
                    break;
                case NavIcon::Logs:
                    draw_logs(painter);
                    break;
            }
            painter.end();
            both.addPixmap(pixmap, QIcon::Normal, on ? QIcon::On : QIcon::Off);
        }
    }
    return both;
}

QIcon app_icon() {
    QIcon icon;
    for (const int size : {16, 24, 32, 48, 64, 128, 256}) {
        QPixmap pixmap(size, size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.scale(size / 64.0, size / 64.0);
        painter.setPen(Qt::NoPen);
        painter.setBrush(QColor(0xff17324d));
        painter.drawRoundedRect(QRectF(2, 2, 60, 60), 13, 13);
        for (int i = 0; i < 4; ++i) {
            painter.setBrush(rank_color(i, true));
            painter.drawRoundedRect(QRectF(10 + i * 11.5, 44, 9, 9), 2, 2);
        }
        QPainterPath trace;
        trace.moveTo(10, 13);
        trace.cubicTo(17, 38, 26, 32, 34, 34);
        trace.cubicTo(42, 36, 46, 33, 54, 35);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(Qt::white, 4, Qt::SolidLine, Qt::RoundCap));
        painter.drawPath(trace);
        painter.end();
        icon.addPixmap(pixmap);
    }
    return icon;
}

}  // namespace rankscope::gui
