// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Keys, the context menu, and what the mouse points at.

#include <gui/plain_text.h>
#include <gui/plot/metric_plot.h>
#include <gui/plot/plot_hand.h>
#include <gui/plot/plot_moment.h>
#include <gui/strings.h>
#include <gui/texts.h>

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QScrollArea>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace rankscope::gui {

namespace {

constexpr double kZoomStep = 1.25;

}  // namespace

void MetricPlot::step_current(int by) {
    if (panels_.empty()) {
        return;
    }
    const auto at = std::find_if(panels_.begin(), panels_.end(),
                                 [&](const auto& panel) { return panel->name() == current_; });
    const int count = int(panels_.size());
    const int index = at == panels_.end() ? (by > 0 ? 0 : count - 1) : int(at - panels_.begin()) + by;
    const MetricPanel& panel = *panels_[std::size_t(std::clamp(index, 0, count - 1))];
    set_current(&panel);
    const QPoint middle = panel.rect()->rect().center();
    scroll_->ensureVisible(middle.x(), middle.y(), 0, panel.rect()->outerRect().height());
}

bool MetricPlot::change_current(int key) {
    PanelSettings settings = this->settings(current_);
    if (key == Qt::Key_H) {
        settings.heat = !settings.heat;
    } else if (key == Qt::Key_L) {
        settings.log = !settings.log;
    } else {
        return false;
    }
    settings.y.reset();
    set_settings(current_, settings);
    return true;
}

void MetricPlot::contextMenuEvent(QContextMenuEvent* event) {
    if (event->reason() == QContextMenuEvent::Keyboard) {
        if (current_.empty()) {
            step_current(1);
        }
        for (const auto& panel : panels_) {
            if (panel->name() == current_) {
                emit menuRequested(current_, plot_->mapToGlobal(panel->rect()->rect().topLeft()),
                                   moment_->for_keys());
            }
        }
    }
    event->accept();
}

void MetricPlot::open_menu(const QPoint& place) {
    if (const MetricPanel* panel = panel_at(place)) {
        set_current(panel);
        emit menuRequested(panel->name(), plot_->mapToGlobal(place), moment_->at(place));
    }
}

void MetricPlot::keyPressEvent(QKeyEvent* event) {
    if ((event->key() == Qt::Key_Escape && hand_->cancel()) || moment_->take_key(*event)) {
        return;
    }
    switch (event->key()) {
        case Qt::Key_Plus:
        case Qt::Key_Equal:
            zoom_x(1 / kZoomStep, x_range().center());
            break;
        case Qt::Key_Minus:
            zoom_x(kZoomStep, x_range().center());
            break;
        case Qt::Key_Left:
            pan(-0.15);
            break;
        case Qt::Key_Right:
            pan(0.15);
            break;
        case Qt::Key_0:
        case Qt::Key_Home:
            set_following(true);
            break;
        case Qt::Key_Up:
            step_current(-1);
            break;
        case Qt::Key_Down:
            step_current(1);
            break;
        case Qt::Key_L:
            if (event->modifiers().testFlag(Qt::ShiftModifier)) {
                emit xLogChanged(!x_log_);
                break;
            }
            [[fallthrough]];
        default:
            if (!change_current(event->key())) {
                QWidget::keyPressEvent(event);
            }
    }
}

void MetricPlot::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    show_cursor(0, false);
}

void MetricPlot::show_cursor(double x, bool visible) {
    for (const auto& panel : panels_) {
        panel->set_cursor(x, visible);
    }
    plot_->layer(u"overlay"_s)->replot();
}

void MetricPlot::hover(const QPoint& place, const QPoint& global) {
    const MetricPanel* panel = panel_at(place);
    if (!panel) {
        show_cursor(0, false);
        QToolTip::hideText();
        return;
    }
    const bool inside = panel->rect()->rect().contains(place);
    const double step = std::round(scale_.step_at(panel->x()->pixelToCoord(place.x())));
    show_cursor(scale_.of_step(step), inside);
    QStringList lines = panel->texts_at(place);
    const QStringList values = inside && !panel->draws_heat_map() ? panel->values_at(step) : QStringList();
    lines += values;
    if (lines.isEmpty()) {
        QToolTip::hideText();
        return;
    }
    if (inside) {
        QString at = tr("step %1").arg(count_text(std::int64_t(step)));
        if (scale_.unit() != XUnit::Step) {
            at += u", "_s % scale_.text(scale_.of_step(step));
        }
        lines.prepend(at);
    }
    QToolTip::showText(global + QPoint(14, 14), plain_text(lines.join(u'\n')), plot_);
}

}  // namespace rankscope::gui
