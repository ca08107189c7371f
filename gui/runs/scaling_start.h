// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/runs/store/run_labels.h>
#include <remote/desk/runs/store/run_store.h>

class QWidget;

namespace rankscope::gui {

class ScalingDialog;
class Workspace;

/// Opens the dialog of a scaling run: the stored result where the run is of one, else to run its job. `workspace` has
/// an open store. The dialog deletes itself.
ScalingDialog* open_scaling(Workspace* workspace, const RunRecord& run, const RunLabels& labels,
                            QWidget* parent);
/// For a job that no run has yet.
ScalingDialog* open_scaling(Workspace* workspace, const Job& job, QWidget* parent);

}  // namespace rankscope::gui
