// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

#include <string>

namespace rankscope::inline archive {

/// The last values of a run in Prometheus' text format (exposition format 0.0.4), for a textfile collector or a push
/// gateway: state and progress of the run, step, metrics and phase of each rank, telemetry of each node, what is
/// diagnosed. Units are those of Rankscope's keys. Without times: the collector sets them.
std::string prometheus_text(const RunState& state);

}  // namespace rankscope::inline archive
