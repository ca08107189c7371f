// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <filesystem>
#include <string>

namespace rankscope::agent {

/// Where things lie on a node. All below one folder of the user's cache, mode 0700:
///
///     bin/rankscope-agent-<hash>     pushed agents
///     bundles/<hash>/                a worker and its libraries; "complete" once all files are in
///     environments/<key>/            a job's Python environment; "complete" once all packages are in
///     packages/                      wheels for nodes that reach no index, and uv
///     runs/<run id>/                 spec, spool, control.sock, supervisor.lock, rank-<r>/…
class NodePaths {
public:
    /// RANKSCOPE_CACHE_DIR (set by the desk for a node with cache_dir), else the user's cache folder.
    static NodePaths from_environment();
    explicit NodePaths(std::filesystem::path root) : root_(std::move(root)) {}

    const std::filesystem::path& root() const { return root_; }
    std::filesystem::path bundles() const { return root_ / "bundles"; }
    std::filesystem::path bundle(const std::string& hash) const { return bundles() / hash; }
    std::filesystem::path environments() const { return root_ / "environments"; }
    std::filesystem::path packages() const { return root_ / "packages"; }
    std::filesystem::path runs() const { return root_ / "runs"; }
    std::filesystem::path run(const std::string& run_id) const { return runs() / run_id; }

private:
    std::filesystem::path root_;
};

/// Names that come from the desk become parts of paths: letters, digits, '-', '_', '.', not starting with
/// '.'.
bool is_safe_name(const std::string& name);

/// Files of one run's folder.
struct RunDir {
    std::filesystem::path dir;

    std::filesystem::path spec() const { return dir / "spec"; }
    std::filesystem::path spool() const { return dir / "spool"; }
    std::filesystem::path lock() const { return dir / "supervisor.lock"; }
    /// Its process id, while the lock is held.
    std::filesystem::path supervisor_pid() const { return dir / "supervisor.pid"; }
    std::filesystem::path train_config() const { return dir / "train.json"; }
    /// Why a signal was sent to the supervisor, written before it by who sends it.
    std::filesystem::path stop_cause() const { return dir / "stop-cause"; }
    std::filesystem::path supervisor_log() const { return dir / "supervisor.log"; }
    std::filesystem::path rank_dir(int rank) const { return dir / ("rank-" + std::to_string(rank)); }
    /// Its process id, of its last start.
    std::filesystem::path rank_pid(int rank) const { return rank_dir(rank) / "pid"; }
    /// Of a run that Slurm starts: the folder of one of its nodes, on a file system that all of them share.
    RunDir node(int index) const { return {dir / ("node-" + std::to_string(index))}; }
    static constexpr const char* kSocketName = "control.sock";
};

}  // namespace rankscope::agent
