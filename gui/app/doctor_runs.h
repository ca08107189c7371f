// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/doctor/doctor_subject.h>

#include <vector>

namespace rankscope::gui {

class MainWindow;

/// The run of the model as Doctor needs it. `sessions`: those of the window, which know whether it is in progress.
DoctorRun doctor_run(const LiveModel& run, const RunSessions& sessions);
/// Those that the window follows, and the one on view (null: none).
std::vector<DoctorRun> doctor_runs(const RunSessions& sessions, const LiveModel* on_view);

/// Doctor gets the runs of the window, and what it wants of them happens.
void connect_doctor(MainWindow* window);

}  // namespace rankscope::gui
