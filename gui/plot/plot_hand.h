// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QObject>
#include <QPoint>
#include <QRect>
#include <optional>
#include <string>

class QMouseEvent;
class QRubberBand;
class QWheelEvent;

namespace rankscope::gui {

class MetricPanel;
class MetricPlot;

/// What the mouse does on the curves: clicks choose ranks, dragging in a panel zooms into a rectangle (with Shift, or
/// with the middle button: pans), dragging a title moves the panel, also to another section, the wheel zooms. With Ctrl a click asks for the log
/// of that moment, a drag for that of a range.
class PlotHand : public QObject {
    Q_OBJECT

public:
    explicit PlotHand(MetricPlot* plot);
    /// Ends a drag without effect; false: there was none.
    bool cancel();

private:
    enum class Drag { None, Pressed, Zoom, Pan, Move };

    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release(QMouseEvent* event);
    void wheel(QWheelEvent* event);
    void begin_drag(const QPoint& place);
    void show_drop(const QPoint& place);
    void zoom_into(const QRect& box);
    /// Where a panel is put: beside a panel, or at the end of a section.
    struct Drop {
        const MetricPanel* beside = nullptr;
        bool behind = false;
        std::optional<std::string> section = {};
    };
    Drop drop_at(const QPoint& place) const;
    void drop(const std::string& name, const QPoint& place);
    QRect zoom_box(const QPoint& place) const;
    MetricPanel* panel() const;

    MetricPlot* plot_;
    QRubberBand* band_;
    Drag drag_ = Drag::None;
    bool pans_ = false;
    bool asks_log_ = false;
    QPoint begin_;
    QPoint last_;
};

}  // namespace rankscope::gui
