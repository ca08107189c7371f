// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/store/run_store.h>

#include <string>

namespace rankscope::gui {

class MainWindow;

/// The window of this program that follows a run in progress; null: none.
MainWindow* follower_of(const std::string& run_id);

/// Another window with pages, sizes and panes as in `from`, and a workspace of its own.
MainWindow* open_window(const MainWindow& from);

/// Shows a run in another window of this program, with a workspace of its own; closing one leaves the others. Where a
/// window follows the run already, that one comes to the front. Returns the window.
MainWindow* open_run_window(const MainWindow& from, const RunRecord& run);

}  // namespace rankscope::gui
