// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/use_delegate.h>
#include <gui/models/fleet_model.h>
#include <gui/style/spark_line.h>
#include <gui/style/theme.h>

#include <algorithm>

namespace rankscope::gui {

namespace {

constexpr int kCurve = 44;   ///< its usual width
constexpr int kLeast = 16;   ///< below it, nothing can be seen
constexpr int kUseRoom = 6;  ///< around it

QList<float> course_of(const QModelIndex& index) {
    return index.data(FleetModel::CourseRole).value<QList<float>>();
}

}  // namespace

void UseDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option,
                        const QModelIndex& index) const {
    ProbeDelegate::paint(painter, option, index);
    const QList<float> course = course_of(index);
    const int text = ProbeDelegate::sizeHint(option, index).width();
    const int width = std::min(option.rect.width() - text - kUseRoom, kCurve);
    if (course.size() < 2 || width < kLeast) {
        return;
    }
    const QRectF box(option.rect.right() - kUseRoom - width, option.rect.top() + 4.0, width,
                     option.rect.height() - 8.0);
    const ThemeColors colors = theme_colors(option.palette);
    const bool aged = index.data(FleetModel::AgedRole).toBool();
    draw_spark_line(painter, box, course, qsizetype(FleetNode::kCourse), aged ? colors.muted : colors.accent);
}

QSize UseDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = ProbeDelegate::sizeHint(option, index);
    if (course_of(index).size() > 1) {
        size.rwidth() += kCurve + 2 * kUseRoom;
    }
    return size;
}

}  // namespace rankscope::gui
