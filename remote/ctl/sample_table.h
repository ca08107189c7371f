// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/run/run_state.h>

#include <nlohmann/json.hpp>

#include <string>

namespace rankscope::ctl {

/// How busy the nodes of a run were: a line per node and one per GPU, mean and most. Empty: no samples.
std::string format_samples(const RunState& state);
/// node → key → {last, mean, max}.
nlohmann::ordered_json samples_json(const RunState& state);

}  // namespace rankscope::ctl
