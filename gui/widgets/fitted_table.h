// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <QTableView>
#include <map>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// A table that never scrolls sideways while its columns can be made to fit: where there is no room, first the columns
/// that others repeat in their tool tips are hidden, then the widest are elided. Spare room goes to the last one, or to
/// the one that is named.
class FittedTable : public QTableView {
    Q_OBJECT

public:
    using QTableView::QTableView;

    /// The columns that may be hidden, the first to go first.
    void set_droppable(const std::vector<int>& columns) { droppable_ = columns; }
    /// The column that gets the spare room.
    void set_widened(int column) { widened_ = column; }
    /// Columns whose values come later or change: their least widths.
    void set_least_widths(std::map<int, int> widths) { least_ = std::move(widths); }
    /// After the model has changed. A resize does it as well.
    void fit();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    std::vector<int> droppable_;
    std::map<int, int> least_;
    int widened_ = -1;  ///< the last one
};

}  // namespace rankscope::gui
