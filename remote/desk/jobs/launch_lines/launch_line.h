// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/nodes/inventory/inventory.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// The launchers whose command lines Rankscope writes and reads. TorchLaunch is torch.distributed.launch, the
/// forerunner of torchrun.
enum class LauncherTool {
    Torchrun,
    TorchLaunch,
    Srun,
    DeepSpeed,
    Accelerate,
    Horovodrun,
    Mpirun,
    Paddle,
    Other,   ///< a launcher that has no reader of its own; only read
    Program  ///< none of them: a program that the script starts by itself; only read
};

const std::vector<LauncherTool>& all_launcher_tools();
/// "torchrun", "torch.distributed.launch", "srun", "deepspeed", "accelerate", "horovodrun", "mpirun",
/// "paddle".
const char* to_string(LauncherTool tool);
std::optional<LauncherTool> launcher_tool_from(const std::string& name);

// ---- writing ----

struct LaunchLine {
    std::string node;  ///< where to type it; empty: once, on a machine that reaches all nodes
    std::string text;  ///< for a shell
};

/// What a person would type to start the same ranks without Rankscope.
struct LaunchLines {
    std::vector<LaunchLine> lines;
    std::string file_name;           ///< a file the lines need beside them (a hostfile); empty: none
    std::string file;                ///< its content
    std::vector<std::string> notes;  ///< what this launcher cannot say
};

/// Fails where the launcher cannot start such ranks at all (accelerate: different numbers per node).
Result<LaunchLines> write_launch_lines(LauncherTool tool, const Job& job, const LaunchPlan& plan);
/// For a shell, whole: notes and places as comments, the file as a here-document.
std::string to_text(const LaunchLines& lines);

// ---- reading ----

/// A pasted command line, understood. Hosts are as the line names them.
struct PastedLine {
    LauncherTool tool = LauncherTool::Torchrun;
    Job job;                                ///< without nodes
    int nodes = 0;                          ///< how many the line asks for; 0: it does not say
    std::vector<std::string> hosts;         ///< in its order; empty: it names none
    std::map<std::string, int> host_ranks;  ///< ranks per host, where the line says so
    std::vector<int> gpus;                  ///< of every node; empty: not said
    std::vector<std::vector<int>> gpus_of_lines =
        {};  ///< of each of several lines that start one job; empty: `gpus` holds for all
    std::vector<std::string> notes;  ///< what was left out, and why that is right
    std::vector<std::string> launcher_notes =
        {};  ///< those of `notes` that are about the launcher's own options
    /// What the line asks of Slurm: keys of the section `slurm` and further options. They hold for jobs that are
    /// submitted; `allocation_notes`, which stand in `notes` as well, for all others.
    std::map<std::string, std::string> allocation;
    std::vector<std::string> allocation_extra;
    std::vector<std::string> allocation_notes;
};

/// Reads what a person pastes: one of the launchers' command lines, with variables before it, `cd`, `export`
/// and line continuations. Fails with the word that is not understood.
Result<PastedLine> read_launch_line(const std::string& text);

/// Its lines, typed on one node, would share it: each names GPUs of its own.
bool can_be_one_node(const PastedLine& line);

/// The line as a job that a launcher submits on `login` and chooses the nodes for, with what the line asks of it.
/// `launcher`: a name of job_launchers() that chooses the nodes.
Job submitted_job(const PastedLine& line, const std::string& launcher, const std::string& login);

/// Puts the inventory's nodes for the line's hosts (by name, host or address). `chosen`: what the user says
/// where the line names none. A line for one machine is a job for this computer.
Result<Job> job_from(const PastedLine& line, const Inventory& inventory,
                     const std::vector<std::string>& chosen);

}  // namespace rankscope::inline jobs
