// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/widgets/fitted_table.h>

#include <QHeaderView>
#include <QResizeEvent>
#include <algorithm>
#include <numeric>

namespace rankscope::gui {

namespace {

constexpr int kAir = 12;  ///< beside the text of a cell
constexpr int kNarrowestColumn = 56;

/// The widest that a column may be so that all together have `room`.
int widest_that_fits(const std::vector<int>& wanted, int room) {
    int low = kNarrowestColumn;
    int high = std::max(room, kNarrowestColumn);
    while (low < high) {
        const int most = (low + high + 1) / 2;
        const int all = std::accumulate(wanted.begin(), wanted.end(), 0,
                                        [&](int sum, int width) { return sum + std::min(width, most); });
        (all <= room ? low : high) = all <= room ? most : most - 1;
    }
    return low;
}

}  // namespace

void FittedTable::fit() {
    if (!model()) {
        return;
    }
    for (const int column : droppable_) {
        setColumnHidden(column, false);
    }
    std::vector<int> wanted(std::size_t(model()->columnCount()), 0);
    int last = -1;
    for (int column = 0; column < int(wanted.size()); ++column) {
        if (!isColumnHidden(column)) {
            wanted[std::size_t(column)] =
                std::max(sizeHintForColumn(column), horizontalHeader()->sectionSizeHint(column)) + kAir;
            if (const auto least = least_.find(column); least != least_.end()) {
                wanted[std::size_t(column)] = std::max(wanted[std::size_t(column)], least->second);
            }
            last = column;
        }
    }
    const int room = viewport()->width();
    const auto sum = [&] { return std::accumulate(wanted.begin(), wanted.end(), 0); };
    for (const int column : droppable_) {
        if (sum() <= room) {
            break;
        }
        setColumnHidden(column, true);
        wanted[std::size_t(column)] = 0;
    }
    while (last >= 0 && isColumnHidden(last)) {
        --last;
    }
    const int most = widest_that_fits(wanted, room);
    for (int& width : wanted) {
        width = std::min(width, most);
    }
    if (const int widened = widened_ >= 0 ? widened_ : last; widened >= 0) {
        wanted[std::size_t(widened)] += std::max(0, room - sum());
    }
    for (int column = 0; column < int(wanted.size()); ++column) {
        if (!isColumnHidden(column)) {
            setColumnWidth(column, wanted[std::size_t(column)]);
        }
    }
}

void FittedTable::resizeEvent(QResizeEvent* event) {
    QTableView::resizeEvent(event);
    if (event->size().width() != event->oldSize().width()) {
        fit();
    }
}

}  // namespace rankscope::gui
