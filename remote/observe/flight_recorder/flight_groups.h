// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/observe/flight_recorder/flight_dump.h>
#include <remote/observe/mesh/group_roles.h>

#include <map>
#include <vector>

namespace rankscope {

/// The process groups of a job, by name, from the dumps of its ranks. Gloo's dumps have no list of groups: a group's ranks
/// are then those that have called something in it.
std::vector<ObservedGroup> observed_groups(const std::map<int, FlightDump>& dumps);

}  // namespace rankscope
