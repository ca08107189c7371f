// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/plot/metric_plot.h>
#include <gui/plot/plot_hand.h>
#include <gui/plot/plot_moment.h>
#include <gui/plot/plot_sections.h>

#include <QApplication>
#include <QMouseEvent>
#include <QRubberBand>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr double kZoomOfWheel = 1.25;  ///< for a notch of the wheel
constexpr int kFlat = 14;              ///< pixels; a rectangle that is flatter zooms in one direction only

}  // namespace

PlotHand::PlotHand(MetricPlot* plot)
    : QObject(plot), plot_(plot), band_(new QRubberBand(QRubberBand::Rectangle, plot->plot())) {
    QCustomPlot* area = plot->plot();
    connect(area, &QCustomPlot::mousePress, this, &PlotHand::press);
    connect(area, &QCustomPlot::mouseMove, this, &PlotHand::move);
    connect(area, &QCustomPlot::mouseRelease, this, &PlotHand::release);
    connect(area, &QCustomPlot::mouseWheel, this, &PlotHand::wheel);
    connect(area, &QCustomPlot::mouseDoubleClick, this, [this] {
        cancel();
        plot_->set_following(true);
    });
}

MetricPanel* PlotHand::panel() const {
    return plot_->panel_at(begin_);  // panels may have been made again since then
}

void PlotHand::press(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton && event->button() != Qt::MiddleButton) {
        return;
    }
    begin_ = event->pos();
    last_ = begin_;
    drag_ = panel() ? Drag::Pressed : Drag::None;
    pans_ = event->button() == Qt::MiddleButton || event->modifiers().testFlag(Qt::ShiftModifier);
    asks_log_ = !pans_ && event->modifiers().testFlag(Qt::ControlModifier);
    plot_->set_current(panel());
}

void PlotHand::begin_drag(const QPoint& place) {
    if ((place - begin_).manhattanLength() < QApplication::startDragDistance() / 2) {
        return;
    }
    if (panel()->rect()->rect().contains(begin_)) {
        drag_ = pans_ ? Drag::Pan : Drag::Zoom;
    } else {
        drag_ = panel()->title_rect().contains(begin_) ? Drag::Move : Drag::None;
    }
    if (drag_ == Drag::Pan || drag_ == Drag::Move) {
        plot_->plot()->setCursor(Qt::ClosedHandCursor);
    }
    if (drag_ != Drag::None) {
        plot_->show_cursor(0, false);
    }
}

QRect PlotHand::zoom_box(const QPoint& place) const {
    const QRect inside = panel()->rect()->rect();
    QRect box = QRect(begin_, place).normalized().intersected(inside);
    if (box.height() < kFlat || panel()->draws_heat_map() || asks_log_) {
        box.setTop(inside.top());
        box.setBottom(inside.bottom());
    } else if (box.width() < kFlat) {
        box.setLeft(inside.left());
        box.setRight(inside.right());
    }
    return box;
}

void PlotHand::move(QMouseEvent* event) {
    if (drag_ != Drag::None && !panel()) {
        cancel();
    }
    if (drag_ == Drag::Pressed) {
        begin_drag(event->pos());
    }
    switch (drag_) {
        case Drag::None:
            if (event->buttons() == Qt::NoButton) {
                plot_->hover(event->pos(), event->globalPosition().toPoint());
            }
            break;
        case Drag::Pressed:
            break;
        case Drag::Zoom:
            band_->setGeometry(zoom_box(event->pos()));
            band_->show();
            break;
        case Drag::Pan:
            plot_->pan(double(last_.x() - event->pos().x()) / std::max(panel()->rect()->width(), 1));
            last_ = event->pos();
            break;
        case Drag::Move:
            show_drop(event->pos());
            break;
    }
}

void PlotHand::release(QMouseEvent* event) {
    if (drag_ == Drag::None || !panel()) {
        cancel();
        return;
    }
    const Drag drag = drag_;
    const QRect box = drag == Drag::Zoom ? zoom_box(event->pos()) : QRect();
    const std::string name = panel()->name();
    cancel();
    if (drag == Drag::Pressed && asks_log_) {
        if (const auto moment = plot_->moment()->at(event->pos())) {
            plot_->moment()->ask_log(*moment);
        }
    } else if (drag == Drag::Zoom && asks_log_) {
        const MetricPanel* of = panel();
        plot_->moment()->ask_range(of->x()->pixelToCoord(box.left()), of->x()->pixelToCoord(box.right()));
    } else if (drag == Drag::Pressed && event->button() == Qt::LeftButton) {
        if (const auto rank = panel()->rank_at(event->pos())) {
            emit plot_->rankClicked(*rank);
        }
    } else if (drag == Drag::Zoom) {
        zoom_into(box);
    } else if (drag == Drag::Move) {
        drop(name, event->pos());
    }
}

void PlotHand::zoom_into(const QRect& box) {
    MetricPanel* of = panel();
    const QRect inside = of->rect()->rect();
    const double left = of->x()->pixelToCoord(box.left());
    const double right = of->x()->pixelToCoord(box.right());
    const double bottom = of->y()->pixelToCoord(box.bottom());
    const double top = of->y()->pixelToCoord(box.top());
    const bool in_y = box.height() < inside.height();
    if (in_y && bottom < top) {
        PanelSettings settings = of->settings();
        settings.y = ValueRange{bottom, top};
        plot_->set_settings(of->name(), settings);
    }
    if (box.width() < inside.width() || !in_y) {
        plot_->show_x(left, right);
    }
}

PlotHand::Drop PlotHand::drop_at(const QPoint& place) const {
    if (auto section = plot_->sections()->header_at(place)) {
        return {nullptr, false, std::move(section)};
    }
    for (const auto& panel : plot_->panels()) {
        const QRect box = panel->title_rect().united(panel->rect()->outerRect());
        if (box.contains(place)) {
            return {panel.get(), place.x() >= box.center().x()};
        }
    }
    return {plot_->panels().back().get(), true};
}

void PlotHand::drop(const std::string& name, const QPoint& place) {
    const Drop drop = drop_at(place);
    if (drop.section) {
        plot_->sections()->move(name, *drop.section);
    } else {
        const std::string beside = drop.beside->name();  // the panel may be made again
        plot_->move_panel(name, beside, drop.behind);
    }
}

void PlotHand::show_drop(const QPoint& place) {
    const Drop drop = drop_at(place);
    if (drop.section) {
        band_->setGeometry(plot_->sections()->header_rect(*drop.section));
    } else {
        const QRect box = drop.beside->title_rect().united(drop.beside->rect()->outerRect());
        band_->setGeometry(QRect(drop.behind ? box.right() - 3 : box.left(), box.top(), 4, box.height()));
    }
    band_->show();
}

bool PlotHand::cancel() {
    const bool any = drag_ != Drag::None;
    drag_ = Drag::None;
    band_->hide();
    plot_->plot()->unsetCursor();
    return any;
}

void PlotHand::wheel(QWheelEvent* event) {
    const QPoint place = event->position().toPoint();
    MetricPanel* of = plot_->panel_at(place);
    const double notches = event->angleDelta().y() / 120.0;
    if (!of || notches == 0 || of->title_rect().contains(place)) {
        event->ignore();
        return;
    }
    const double factor = std::pow(kZoomOfWheel, -notches);
    const bool beside = place.x() < of->rect()->rect().left();
    if ((beside || event->modifiers().testFlag(Qt::ControlModifier)) && !of->draws_heat_map()) {
        plot_->zoom_y(of, factor, of->y()->pixelToCoord(place.y()));
    } else {
        plot_->zoom_x(factor, of->x()->pixelToCoord(place.x()));
    }
}

}  // namespace rankscope::gui
