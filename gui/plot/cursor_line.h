// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/plot/qcustomplot_include.h>
#include <gui/style/theme.h>

#include <QFont>
#include <vector>

namespace rankscope::gui {

/// The cross-hair that all panels share: an upright dashed line at a place on the x axis, and beside it the values of
/// one panel there.
class CursorLine : public QCPAbstractItem {
    Q_OBJECT

public:
    CursorLine(QCustomPlot* plot, QCPAxis* x);

    struct Value {
        QString text;
        QColor color;

        bool operator==(const Value&) const = default;
    };
    /// `x`: of the axis.
    void set_place(double x) { place_ = x; }
    void set_values(std::vector<Value> values) { values_ = std::move(values); }
    const std::vector<Value>& values() const { return values_; }
    void set_look(const ThemeColors& colors, const QFont& font);

    double selectTest(const QPointF&, bool, QVariant*) const override { return -1; }

protected:
    void draw(QCPPainter* painter) override;

private:
    QCPAxis* x_;
    double place_ = 0;
    std::vector<Value> values_;
    ThemeColors colors_;
    QFont font_;
};

}  // namespace rankscope::gui
