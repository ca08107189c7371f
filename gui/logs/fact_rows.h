// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/reading/reading_snapshot.h>

class QTreeWidget;

namespace rankscope::gui {

// Rows of the Logs page. Rows of a line have its place, {file, line}, as the data of their first column.

/// What the lines say: versions, machines, variables, communicators, and what was not read.
void fill_facts(QTreeWidget* list, const ReadingSnapshot& snapshot);
/// What happened, in the order of time.
void fill_timeline(QTreeWidget* list, const ReadingSnapshot& snapshot);

}  // namespace rankscope::gui
