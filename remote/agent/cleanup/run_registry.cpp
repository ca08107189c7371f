// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/utf8.h>
#include <remote/agent/cleanup/live_runs.h>
#include <remote/agent/cleanup/run_registry.h>
#include <remote/agent/cleanup/shared_memory.h>
#include <remote/agent/nccl/ring_folder.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/slurm/slurm_job.h>
#include <remote/agent/slurm/slurm_summary.h>
#include <remote/agent/spool/spool_summary.h>
#include <remote/agent/supervise/supervisor.h>

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

std::uint64_t size_of(const fs::path& folder) {
    std::uint64_t bytes = 0;
    std::error_code error;
    for (fs::recursive_directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        if (it->is_regular_file(ignored)) {
            bytes += it->file_size(ignored);
        }
    }
    return bytes;
}

std::vector<fs::path> folders_in(const fs::path& folder) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        std::error_code ignored;
        if (it->is_directory(ignored)) {
            found.push_back(it->path());
        }
    }
    return found;
}

// A run that Slurm starts has its supervisors elsewhere: Slurm is asked.
bool is_alive(const RunDir& dir) {
    const SlurmDir slurm{dir};
    return slurm_job_of(slurm) ? slurm_job_is_alive(slurm) : supervisor_is_alive(dir);
}

// Where the lock's file is gone, or was made anew, its processes still show it.
bool is_below_supervisor(const LiveRuns& live, const RunDir& dir) {
    std::error_code ignored;
    return std::any_of(live.all().begin(), live.all().end(), [&](const LiveSupervisor& supervisor) {
        return fs::equivalent(supervisor.dir.dir, dir.dir, ignored);
    });
}

using PidsOfRuns = std::map<std::string, std::vector<pid_t>>;

PidsOfRuns pids_of_runs() {
    PidsOfRuns pids;
    for (const pid_t pid : all_processes()) {
        if (pid != ::getpid()) {
            if (const std::string run_id = run_of(pid); !run_id.empty()) {
                pids[run_id].push_back(pid);
            }
        }
    }
    return pids;
}

// Of a run whose supervisor is on this node.
wire::RunEntry summarize_run(const RunDir& dir) {
    wire::RunEntry entry;
    const bool alive = supervisor_is_alive(dir);
    const SpoolSummary spool = summarize_spool(dir.spool());
    entry.set_started_us(spool.started_us);
    entry.set_last_seq(spool.last_seq);
    entry.set_state(spool.end ? spool.end->outcome() : alive ? wire::OUTCOME_RUNNING : wire::OUTCOME_LOST);
    if (spool.end || !alive) {
        entry.set_ended_us(spool.last_us);  // of one without an end: its last sign of life
    }
    std::error_code ignored;
    const auto bytes = fs::file_size(dir.spool(), ignored);
    entry.set_spool_bytes(ignored ? 0 : bytes);
    return entry;
}

wire::RunEntry describe(const NodePaths& paths, const std::string& run_id, const RunDir& dir,
                        const PidsOfRuns& pids) {
    wire::StartRun run;
    std::ifstream spec(dir.spec(), std::ios::binary);
    const bool readable = run.ParseFromIstream(&spec);
    const auto submitted = summarize_slurm_run(SlurmDir{dir}, run);
    wire::RunEntry entry = submitted ? *submitted : summarize_run(dir);
    entry.set_run_id(as_utf8(run_id));
    if (readable) {
        entry.set_name(run.name());
        entry.set_desk(run.desk());
        *entry.mutable_nodes() = run.peers();
    }
    if (const auto found = pids.find(entry.run_id()); found != pids.end()) {
        entry.mutable_pids()->Add(found->second.begin(), found->second.end());
    }
    entry.set_elsewhere(is_elsewhere(paths, dir));
    return entry;
}

}  // namespace

wire::RunList list_runs(const NodePaths& paths) {
    wire::RunList list;
    const PidsOfRuns pids = pids_of_runs();
    std::set<std::string> listed;
    for (const auto& folder : folders_in(paths.runs())) {
        const std::string run_id = folder.filename().string();
        *list.add_runs() = describe(paths, run_id, RunDir{folder}, pids);
        listed.insert(run_id);
    }
    const LiveRuns live = LiveRuns::now();
    for (const auto& supervisor : live.all()) {
        if (listed.insert(supervisor.run_id).second) {  // guardian and supervisor name the same run
            *list.add_runs() = describe(paths, supervisor.run_id, supervisor.dir, pids);
        }
    }
    return list;
}

wire::Cleaned clean(const NodePaths& paths, const wire::Clean& request) {
    wire::Cleaned cleaned;
    const LiveRuns live = LiveRuns::now();
    bool any_live = false;
    const auto remove = [&](const fs::path& folder) {
        cleaned.set_bytes(cleaned.bytes() + size_of(folder));
        cleaned.add_removed(as_utf8(folder.string()));
        if (!request.dry_run()) {
            std::error_code ignored;
            fs::remove_all(folder, ignored);
        }
    };
    for (const auto& folder : folders_in(paths.runs())) {
        const RunDir dir{folder};
        if (is_alive(dir) || is_below_supervisor(live, dir)) {
            any_live = true;
            cleaned.add_kept(as_utf8(folder.string()));
            continue;
        }
        if (!request.all_runs() && folder.filename() != request.run_id()) {
            continue;
        }
        for (const pid_t pid : processes_with_environment("RANKSCOPE_RUN_ID=" + folder.filename().string())) {
            if (run_of_process(paths, live, pid).live) {
                continue;
            }
            cleaned.add_removed("process " + describe_process(pid));
            if (!request.dry_run()) {
                ::kill(pid, SIGKILL);
            }
        }
        if (!request.dry_run()) {
            remove_ring_folder(dir);
        }
        remove(folder);
    }
    if (request.all_runs()) {
        const FreedMemory freed = free_shared_memory(shared_memory_folder(), live, request.dry_run());
        for (const auto& name : freed.removed) {
            cleaned.add_removed(name);
        }
        for (const auto& name : freed.kept) {
            cleaned.add_kept(name);
        }
    }
    if (request.caches()) {
        auto caches = folders_in(paths.bundles());
        for (const auto& folder : folders_in(paths.root())) {
            if (folder == paths.environments() || folder == paths.packages()) {
                caches.push_back(folder);
            }
        }
        for (const auto& folder : caches) {
            if (any_live) {
                cleaned.add_kept(as_utf8(folder.string()));
            } else {
                remove(folder);
            }
        }
        for (const auto& folder : folders_in(paths.root() / "jobs")) {
            cleaned.add_kept(as_utf8(folder.string()));  // what programs have written there is the user's
        }
    }
    return cleaned;
}

}  // namespace rankscope::agent
