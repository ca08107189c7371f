// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/collective_finding.h>
#include <remote/observe/flight_recorder/flight_match.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What the dumps of PyTorch's Flight Recorder say about the ranks of the run. `roles`: words_of_groups().
std::vector<CollectiveFinding> collective_findings(const std::vector<FlightFinding>& findings,
                                                   const std::map<std::string, std::string>& roles = {});
/// The same of all dumps; `world_size` as for match_flight_dumps().
std::vector<CollectiveFinding> collective_findings(const std::map<int, FlightDump>& dumps, int world_size);

/// "all_reduce of 1000 float32".
std::string call_of(const FlightEntry& entry);
/// "train.py:41 in step", innermost first: those of the program itself before those of libraries.
std::vector<std::string> frames_of(const FlightEntry& entry);

}  // namespace rankscope::inline runs
