// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/archive/compare/run_columns.h>

#include <QString>

namespace rankscope::gui {

/// As metric_title(), of a whole run: a rate is the sum over its ranks.
QString run_metric_title(const std::string& name);
/// "Loss, best", "batch_size", "Verdict": for a table's header.
QString run_column_header(const RunColumn& column);
/// "Loss, best value", "Job: train.batch_size": for lists and tool tips.
QString run_column_text(const RunColumn& column);

}  // namespace rankscope::gui
