// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/doctor/pair_grid.h>
#include <gui/style/theme.h>

#include <QAbstractScrollArea>
#include <QIcon>

namespace rankscope::gui {

/// The shape shows the state as well as the colour: dot = reached, triangle = warning, full with a cross = fault, line =
/// not tested.
void draw_pair_sign(QPainter& painter, const QRectF& box, PairState state, const ThemeColors& colors);
QIcon pair_icon(PairState state, const ThemeColors& colors);

/// Node × node as squares: rows connect, columns are connected to. Squares shrink with the number of nodes, then the
/// matrix scrolls below fixed headers. Arrow keys move the current square, Enter chooses it, Escape chooses none.
class PairMatrix : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit PairMatrix(QWidget* parent = nullptr);

    void set_grid(PairGrid grid);
    const PairGrid& grid() const { return grid_; }
    int current_from() const { return from_; }
    int current_to() const { return to_; }
    /// Makes a square the current one and shows it; -1: none.
    void set_current(int from, int to);
    /// In coordinates of the viewport.
    QRect square(int from, int to) const;

    QSize sizeHint() const override;

signals:
    /// Another square is the current one; -1: none.
    void currentChanged(int from, int to);
    /// A click or Enter: the user wants to see what belongs to the current square.
    void chosen(int from, int to);

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void changeEvent(QEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void focusInEvent(QFocusEvent* event) override;
    bool viewportEvent(QEvent* event) override;

private:
    int count() const { return int(grid_.size()); }
    void lay_out();
    std::pair<int, int> at(const QPoint& point) const;
    bool two_lines() const;
    void paint_squares(QPainter& painter, const ThemeColors& colors) const;
    void paint_row_names(QPainter& painter, const ThemeColors& colors) const;
    void paint_column_names(QPainter& painter, const ThemeColors& colors) const;
    std::vector<int> names_to_draw(int step) const;

    PairGrid grid_;
    int cell_ = 0;        ///< side of a square with its gap
    int row_header_ = 0;  ///< width
    int column_header_ = 0;
    bool upright_ = false;  ///< column names from left to right
    int from_ = -1;
    int to_ = -1;
    int hover_from_ = -1;
    int hover_to_ = -1;
};

}  // namespace rankscope::gui
