// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/utf8.h>
#include <remote/agent/cleanup/leftovers.h>
#include <remote/agent/cleanup/run_registry.h>
#include <remote/agent/nccl/ring_folder.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/slurm/slurm_job.h>
#include <remote/agent/spool/spool.h>
#include <remote/agent/supervise/supervisor.h>

#include <csignal>
#include <fstream>

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

wire::RunEntry describe(const fs::path& folder) {
    const RunDir dir{folder};
    wire::RunEntry entry;
    entry.set_run_id(as_utf8(folder.filename().string()));
    wire::StartRun run;
    std::ifstream spec(dir.spec(), std::ios::binary);
    if (run.ParseFromIstream(&spec)) {
        entry.set_name(run.name());
        entry.set_desk(run.desk());
    }
    const bool alive = is_alive(dir);
    wire::Outcome state = alive ? wire::OUTCOME_RUNNING : wire::OUTCOME_LOST;
    SpoolReader reader(dir.spool());
    wire::Event event;
    while (reader.is_open() && reader.next_kept(event)) {
        if (entry.started_us() == 0) {
            entry.set_started_us(event.t_us());
        }
        entry.set_last_seq(event.seq());
        if (event.has_end()) {
            state = event.end().outcome();
        }
    }
    entry.set_state(state);
    entry.set_spool_bytes(reader.consumed());
    for (const pid_t pid : processes_with_environment("RANKSCOPE_RUN_ID=" + entry.run_id())) {
        entry.add_pids(pid);
    }
    return entry;
}

}  // namespace

wire::RunList list_runs(const NodePaths& paths) {
    wire::RunList list;
    for (const auto& folder : folders_in(paths.runs())) {
        *list.add_runs() = describe(folder);
    }
    return list;
}

wire::Cleaned clean(const NodePaths& paths, const wire::Clean& request) {
    wire::Cleaned cleaned;
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
        if (is_alive(dir)) {
            any_live = true;
            cleaned.add_kept(as_utf8(folder.string()));
            continue;
        }
        if (!request.all_runs() && folder.filename() != request.run_id()) {
            continue;
        }
        for (const pid_t pid : processes_with_environment("RANKSCOPE_RUN_ID=" + folder.filename().string())) {
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
        for (const auto& name : free_shared_memory(request.dry_run())) {
            cleaned.add_removed(name);
        }
    }
    if (request.caches()) {
        for (const auto& folder : folders_in(paths.bundles())) {
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
