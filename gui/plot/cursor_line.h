// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/panel_item.h>

#include <vector>

namespace rankscope::gui {

/// The cross-hair that all panels share: an upright dashed line at a place on the x axis, and beside it the values of
/// one panel there.
class CursorLine : public PanelItem {
public:
    CursorLine(QCustomPlot* plot, QCPAxis* x) : PanelItem(plot, x) { setVisible(false); }

    struct Value {
        QString text;
        QColor color;

        bool operator==(const Value&) const = default;
    };
    /// `x`: of the axis.
    void set_place(double x) { place_ = x; }
    void set_values(std::vector<Value> values) { values_ = std::move(values); }
    const std::vector<Value>& values() const { return values_; }

protected:
    void draw(QCPPainter* painter) override;

private:
    double place_ = 0;
    std::vector<Value> values_;
};

}  // namespace rankscope::gui
