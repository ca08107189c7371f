// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <csignal>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// Files of a run that Slurm starts, in its folder beside `spec` (which holds the ranks of all nodes). The
/// folder is on a file system that login node and nodes share; node-<k>/ is a RunDir of its own.
struct SlurmDir {
    RunDir run;

    std::filesystem::path job_id() const { return run.dir / "slurm-job"; }
    std::filesystem::path script() const { return run.dir / "job.sh"; }
    std::filesystem::path output() const { return run.dir / "slurm.out"; }
    std::filesystem::path allocation() const { return run.dir / "allocation"; }
    std::filesystem::path failed() const { return run.dir / "failed"; }
    std::filesystem::path stopped() const { return run.dir / "stopped"; }
    RunDir node(int index) const { return run.node(index); }
};

/// The job of that folder; nothing: it is not one of Slurm's.
std::optional<std::uint64_t> slurm_job_of(const SlurmDir& dir);
/// Asks the supervisors of a step to stop. Slurm sends a signal to all processes of a step, and this one is
/// ignored by default: the ranks get SIGTERM or the signal for checkpoints from their supervisor alone, once.
/// signal(7).
constexpr int kSlurmStopSignal = SIGURG;

std::optional<wire::SlurmAllocation> read_allocation(const SlurmDir& dir);

/// One of Slurm's programs: in PATH, else where sites install them. Empty: not there.
std::string find_slurm_program(const std::string& name);

/// `scontrol -o show job ID`: state, reason, times, limits. Nothing: it is none. StartTime is the local time
/// of the node on which scontrol ran.
std::optional<wire::SlurmState> parse_scontrol_job(std::string_view text);
/// `sacct -n -P -o JobID,State,ExitCode,Elapsed,MaxRSS`: a line for the job and one per step. Nothing: not
/// that.
std::optional<wire::SlurmState> parse_sacct(std::string_view text);
/// `sinfo -h -N -o "%N|%T|%E"`: nodes that do not take jobs, or are about to stop doing so, each once.
std::vector<wire::SlurmNode> parse_unfit_nodes(std::string_view text);
/// Whether a job in this state never changes again.
bool slurm_state_is_final(std::string_view state);

/// Whether Slurm still has the job of that folder, so that nothing of it may be removed. Asks squeue; without
/// an answer it is taken to be there.
bool slurm_job_is_alive(const SlurmDir& dir);

}  // namespace rankscope::agent
