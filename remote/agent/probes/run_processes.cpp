// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/rank_processes.h>
#include <remote/agent/probes/run_processes.h>

#include <filesystem>

namespace rankscope::agent {

std::map<int, std::vector<pid_t>> run_processes(const NodePaths& paths, const std::string& run_id) {
    std::map<int, std::vector<pid_t>> found;
    if (!is_safe_name(run_id)) {
        return found;
    }
    const RunDir run{paths.run(run_id)};
    const auto table = ProcessTable::read();
    const auto add = [&](const RunDir& dir, bool shared) {
        for (const auto& [rank, root] : rank_processes(dir, shared, table)) {
            found.emplace(rank, table.tree_of(root.pid));
        }
    };
    std::error_code ignored;
    const bool shared = std::filesystem::exists(run.node(0).dir, ignored);
    if (!shared) {
        add(run, false);
    }
    for (int node = 0; shared && std::filesystem::exists(run.node(node).dir, ignored); ++node) {
        add(run.node(node), true);
    }
    return found;
}

}  // namespace rankscope::agent
