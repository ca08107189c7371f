// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/strings.h>
#include <gui/style/fitting_number.h>
#include <gui/style/look.h>
#include <gui/style/rankscope_style.h>
#include <gui/style/theme.h>

#include <QAbstractItemView>
#include <QPainter>
#include <QPainterPath>
#include <QStyleOption>
#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kLongestNumber = 40;

void draw_check_box(const QStyleOption& option, QPainter& painter) {
    const ThemeColors colors = theme_colors(option.palette);
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool on = option.state.testFlag(QStyle::State_On);
    const double side = std::min(option.rect.width(), option.rect.height()) - 1;
    QRectF box(0, 0, side, side);
    box.moveCenter(QRectF(option.rect).center());
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    const QColor frame = on && enabled ? colors.accent : colors.muted;
    painter.setPen(QPen(enabled ? frame : colors.line, 1.2));
    painter.setBrush(on ? (enabled ? colors.accent : colors.line) : colors.surface);
    painter.drawRoundedRect(box, 2.5, 2.5);
    if (on) {
        QPainterPath tick;
        tick.moveTo(box.left() + side * 0.22, box.top() + side * 0.52);
        tick.lineTo(box.left() + side * 0.43, box.top() + side * 0.73);
        tick.lineTo(box.left() + side * 0.79, box.top() + side * 0.29);
        painter.setBrush(Qt::NoBrush);
        painter.setPen(QPen(colors.surface, 1.8, Qt::SolidLine, Qt::RoundCap, Qt::RoundJoin));
        painter.drawPath(tick);
    } else if (option.state.testFlag(QStyle::State_NoChange)) {
        painter.fillRect(box.adjusted(side * 0.25, side * 0.42, -side * 0.25, -side * 0.42), colors.accent);
    }
    painter.restore();
}

void draw_field(const QStyleOption& option, QPainter& painter) {
    const ThemeColors colors = theme_colors(option.palette);
    const bool enabled = option.state.testFlag(QStyle::State_Enabled);
    const bool focus = enabled && option.state.testFlag(QStyle::State_HasFocus);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(focus ? QPen(colors.accent, 1.6) : QPen(colors.field_frame, 1));
    painter.setBrush(enabled ? colors.surface : colors.chrome);
    painter.drawRoundedRect(QRectF(option.rect).adjusted(0.7, 0.7, -0.7, -0.7), 3, 3);
    painter.restore();
}

// Fusion's sunken button is hardly another one in a dark window.
void draw_switched_on(const QStyleOption& option, QPainter& painter) {
    const QColor accent = theme_colors(option.palette).accent;
    QColor fill = accent;
    fill.setAlphaF(0.2F);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(accent, 1));
    painter.setBrush(fill);
    painter.drawRoundedRect(QRectF(option.rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter.restore();
}

/// Fusion draws frames a little darker than the window, which is black in high contrast.
void draw_frame(const QRect& rect, const QStyleOption& option, QPainter& painter) {
    const ThemeColors colors = theme_colors(option.palette);
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(
        QPen(option.state.testFlag(QStyle::State_HasFocus) ? colors.accent : colors.field_frame, 1));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), 2, 2);
    painter.restore();
}

/// The number of a cell is shown with fewer digits rather than cut.
void fit_number(QStyleOptionViewItem& item, const QStyle& style, const QWidget* widget) {
    if (item.text.isEmpty() || item.text.size() > kLongestNumber) {
        return;
    }
    const int margin = style.pixelMetric(QStyle::PM_FocusFrameHMargin, &item, widget) + 1;
    const int room = style.subElementRect(QStyle::SE_ItemViewItemText, &item, widget).width() - 2 * margin;
    item.text = fitting_number(
        item.text, [&](const QString& text) { return item.fontMetrics.horizontalAdvance(text) <= room; });
}

}  // namespace

RankscopeStyle::RankscopeStyle() : QProxyStyle(u"Fusion"_s) {
    setObjectName(u"rankscope"_s);
}

void RankscopeStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option, QPainter* painter,
                                   const QWidget* widget) const {
    switch (element) {
        case PE_PanelButtonTool:
            QProxyStyle::drawPrimitive(element, option, painter, widget);
            if (option->state & State_On) {
                draw_switched_on(*option, *painter);
            } else if (is_high_contrast(option->palette)) {
                draw_frame(option->rect, *option, *painter);
            }
            return;
        case PE_IndicatorCheckBox:
        case PE_IndicatorItemViewItemCheck:
            draw_check_box(*option, *painter);
            return;
        case PE_PanelLineEdit: {
            // Without its own frame (in a spin box) it is only a surface.
            const auto* frame = qstyleoption_cast<const QStyleOptionFrame*>(option);
            if (frame && frame->lineWidth > 0) {
                draw_field(*option, *painter);
                return;
            }
            break;
        }
        default:
            break;
    }
    QProxyStyle::drawPrimitive(element, option, painter, widget);
}

void RankscopeStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                                 const QWidget* widget) const {
    if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option);
        item && element == CE_ItemViewItem) {
        QStyleOptionViewItem fitted(*item);
        fit_number(fitted, *this, widget);
        QProxyStyle::drawControl(element, &fitted, painter, widget);
        return;
    }
    if (element != CE_FocusFrame) {
        QProxyStyle::drawControl(element, option, painter, widget);
        return;
    }
    painter->save();
    painter->setRenderHint(QPainter::Antialiasing);
    painter->setPen(QPen(theme_colors(option->palette).accent, 2));
    painter->setBrush(Qt::NoBrush);
    painter->drawRoundedRect(QRectF(option->rect).adjusted(1, 1, -1, -1), 3, 3);
    painter->restore();
}

void RankscopeStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                        QPainter* painter, const QWidget* widget) const {
    QProxyStyle::drawComplexControl(control, option, painter, widget);
    if (!is_high_contrast(option->palette)) {
        return;
    }
    if (control == CC_ComboBox) {
        draw_frame(option->rect, *option, *painter);
    } else if (const auto* slider = qstyleoption_cast<const QStyleOptionSlider*>(option);
               slider && control == CC_Slider) {
        draw_frame(subControlRect(CC_Slider, slider, SC_SliderGroove, widget), *option, *painter);
        QStyleOptionSlider handle(*slider);
        handle.subControls = SC_SliderHandle;  // on top of the frame
        QProxyStyle::drawComplexControl(control, &handle, painter, widget);
        draw_frame(subControlRect(CC_Slider, slider, SC_SliderHandle, widget), *option, *painter);
    }
}

int RankscopeStyle::pixelMetric(PixelMetric metric, const QStyleOption* option, const QWidget* widget) const {
    if (metric == PM_FocusFrameHMargin && qobject_cast<const QAbstractItemView*>(widget) != nullptr) {
        return 3;  // between the text of a cell and its edge, so that columns do not run together
    }
    if (metric == PM_FocusFrameHMargin || metric == PM_FocusFrameVMargin) {
        return 1;
    }
    return QProxyStyle::pixelMetric(metric, option, widget);
}

QSize RankscopeStyle::sizeFromContents(ContentsType type, const QStyleOption* option, const QSize& contents,
                                       const QWidget* widget) const {
    constexpr int kAround = 3;  // pixels above and below the text: check boxes of two rows do not touch
    QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
    if (type == CT_ItemViewItem && option != nullptr) {
        size.setHeight(std::max(size.height(), option->fontMetrics.height() + 2 * kAround));
    }
    return size;
}

int RankscopeStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                              QStyleHintReturn* data) const {
    if (hint == SH_DialogButtonBox_ButtonsHaveIcons) {
        return 0;  // the text is enough
    }
    if (hint == SH_FocusFrame_AboveWidget) {
        return 1;
    }
    if (hint == SH_FocusFrame_Mask) {
        return 0;
    }
    return QProxyStyle::styleHint(hint, option, widget, data);
}

}  // namespace rankscope::gui
