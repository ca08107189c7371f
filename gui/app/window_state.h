// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

class QWidget;

namespace rankscope::gui {

class LivePanes;

/// Keeps the sizes that the user gave to the splitters and to the columns of the named tables of a page. A page whose
/// parts are others by now has its own sizes.
void save_sizes(const QWidget& page);
void restore_sizes(QWidget& page);
/// From the same page of another window.
void copy_sizes(const QWidget& from, QWidget& to);
/// Where the panes of Live are.
void save_panes(const LivePanes& panes);
void restore_panes(LivePanes& panes);

}  // namespace rankscope::gui
