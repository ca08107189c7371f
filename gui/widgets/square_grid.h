// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QWidget>
#include <cstddef>
#include <vector>

namespace rankscope::gui {

/// Squares in lines that wrap, a small gap before each group: as large as they can be without getting taller than a
/// strip. A thousand fit. Each has a tool tip.
class SquareGrid : public QWidget {
public:
    explicit SquareGrid(QWidget* parent = nullptr);
    QRect square(int index) const;
    /// The square under a point, or -1.
    int at(const QPoint& point) const;
    /// Empty: none.
    virtual QString tip(int index) const = 0;

    bool hasHeightForWidth() const override { return true; }
    int heightForWidth(int width) const override { return layout_for(width).height; }
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override { return {200, 14}; }

protected:
    virtual std::size_t count() const = 0;
    /// Whether the square of this index, which is not the first, is the first of its group.
    virtual bool begins_group(std::size_t index) const = 0;
    /// After a change of what count() or begins_group() say.
    void lay_out();
    /// Squares that have a place.
    int placed() const { return int(layout_.places.size()); }
    /// Of the first line.
    int columns() const;

    bool event(QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    struct Layout {
        int cell = 0;
        int height = 0;
        std::vector<QPoint> places = {};
    };
    Layout layout_for(int width) const;

    Layout layout_;
};

}  // namespace rankscope::gui
