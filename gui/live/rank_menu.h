// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>

class QTableView;

namespace rankscope::gui {

class RankSquares;

/// What the menu of a rank does, beside what it knows itself.
struct RankMenuActions {
    std::function<void(int rank)> select;
    std::function<void(int rank)> show_log;
    std::function<void(int rank)> select_node_of;
};

/// A context menu for the rows of the rank table, and for the squares of the strip.
void add_rank_menu(QTableView* table, RankSquares* squares, const RankMenuActions& actions);

}  // namespace rankscope::gui
