// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/shell_command.h>
#include <remote/desk/runs/preflight/node_view.h>
#include <remote/diagnosis/check.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What the job needs of its nodes, beside the network.
struct HostNeeds {
    std::string program = {};  ///< argv[0] of the user's own program; empty: the native engine
    std::string script = {};   ///< a file of its arguments that is not pushed; empty: none
    std::string workdir = {};  ///< where the program runs; empty: a folder of the run
    std::string push = {};     ///< the value of push: that sends the script, too; empty: it is not here
    std::set<std::string> data_paths = {};  ///< that the job names and must exist
    /// Absolute paths of the command: a fault where only some nodes have them.
    std::set<std::string> maybe_paths = {};
    int master_port = 0;  ///< 0: chosen when the run starts
    /// What our own listener met there: 0, or errno of bind(2).
    int master_port_error = 0;
    std::size_t master = 0;  ///< index into the views
    bool nccl = false;
    bool native = false;
    /// With the option that names the inventory, where it is not the user's own; empty: no command names that file.
    ShellCommand ctl{"rankscopectl"};
};

/// Ports, limits, memory and disks, programs, data, code, clocks and versions of all nodes, side by side.
std::vector<Check> host_checks(const std::vector<NodeView>& views, const HostNeeds& needs);

}  // namespace rankscope::inline runs
