// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <map>
#include <stop_token>
#include <string>

namespace rankscope::agent {

/// What every part of one inspection knows. The parts run at the same time, each in a thread of its own, and return
/// their own fields of a HostInspection.
struct InspectionScope {
    const NodePaths& paths;
    const wire::InspectHost& request;
    const std::stop_token& stop;
    double end;  ///< of monotonic_s(): the whole inspection's

    /// Seconds for something that may take so long: less when the inspection ends before; never less than 0.01.
    double at_most(double seconds) const;
    /// The first for a full inspection, the second for a quick one.
    double patience(double full, double quick) const { return at_most(request.quick() ? quick : full); }
};

/// Programs of the node by name, as full paths; those that are not installed are absent.
using Tools = std::map<std::string, std::string>;

/// For tools of the system: their language is that of our readers, and neither libraries nor packages come from folders
/// of the user's, which may lie on a dead file server.
const std::map<std::string, std::string>& tool_environment();

void add_unseen(wire::HostInspection& found, const std::string& what, const std::string& why);
/// "no answer within 1.5 s".
std::string late_text(double seconds);

}  // namespace rankscope::agent
