// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// A supervisor of this user that lives, whichever cache folder its run lies in: another Rankscope of the account may
/// have another home, or another cache folder.
struct LiveSupervisor {
    pid_t pid = 0;
    std::string run_id;
    RunDir dir;                   ///< as its command line says
    std::int64_t started_at = 0;  ///< seconds since 1970
};

/// The folder that the command line of a supervisor names; nothing: it is no supervisor's. `cmdline` as in
/// /proc/PID/cmdline.
std::optional<std::filesystem::path> supervised_folder(std::string_view cmdline);
/// The run of a supervisor's folder: its name, or its parent's where Slurm starts the run and each node has one.
std::string run_of_folder(const std::filesystem::path& folder);

/// The runs of this user that live on this node, as its processes show at one moment.
class LiveRuns {
public:
    static LiveRuns now();

    /// Null: no supervisor of this run lives, as far as processes show.
    const LiveSupervisor* find(const std::string& run_id) const;
    /// The supervisor above a process, whatever its environment says; null: none.
    const LiveSupervisor* above(pid_t pid) const;
    const std::vector<LiveSupervisor>& all() const { return all_; }

private:
    std::vector<LiveSupervisor> all_;
    std::map<pid_t, std::size_t> by_pid_;
};

/// Of a process: its run, and whether that lives.
struct RunOfProcess {
    std::string run_id;  ///< empty: of no run
    bool live = false;
};
/// Live: its supervisor is among its ancestors, or lives elsewhere on this node, or holds the lock of the run's folder
/// below `paths`.
RunOfProcess run_of_process(const NodePaths& paths, const LiveRuns& live, pid_t pid);

/// Its folder is not below `paths`: another Rankscope of this user runs it.
bool is_elsewhere(const NodePaths& paths, const RunDir& dir);

/// The folder of a run: below `paths`, else where its living supervisor has it; nothing: neither.
std::optional<RunDir> find_run(const NodePaths& paths, const std::string& run_id);

}  // namespace rankscope::agent
