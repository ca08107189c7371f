// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/launch_lines/launch_line.h>

#include <functional>
#include <string>
#include <vector>

/// What the launchers' readers and writers share; one file per launcher holds both of its sides.
namespace rankscope::launch_lines {

using Words = std::vector<std::string>;

// ---- reading ----

/// One option of a launcher. `take` gets the value (empty for a flag) and returns what is wrong with it, or
/// nothing.
struct OptionRule {
    const char* names;  ///< separated by blanks, without dashes: "nproc-per-node nproc_per_node"
    bool has_value;
    std::function<std::string(const std::string& value)> take;
};

/// Reads options from words[at] on until the program begins; `at` is then its index. '-' and '_' are the
/// same, one dash or two, "--name value" or "--name=value", "-n4" for options of one letter.
Result<void> read_options(LauncherTool tool, const Words& words, std::size_t& at,
                          const std::vector<OptionRule>& rules, PastedLine& line);

std::function<std::string(const std::string&)> into_number(int& out, int min, int max);
std::function<std::string(const std::string&)> into_text(std::string& out);
/// For what Rankscope does in its own way; `why` becomes a note ("--rdzv-id: each run has its own").
std::function<std::string(const std::string&)> left_out(PastedLine& line, const std::string& option,
                                                        const std::string& why);
/// "host1:2,host2:2" (horovodrun, mpirun): hosts and slots.
std::string take_hosts(const std::string& value, PastedLine& line);
/// "0,1,3": GPUs.
std::string take_gpus(const std::string& value, PastedLine& line);
/// The script and its arguments as a command: python before it unless it is a program of its own.
struct ProgramStyle {
    bool module = false;     ///< -m
    bool no_python = false;  ///< a program of its own
    std::string python = "python3";
};
Result<void> take_program(LauncherTool tool, const Words& words, std::size_t at, const ProgramStyle& style,
                          PastedLine& line);
/// The whole rest is the command, as srun, mpirun and horovodrun have it; `sh -c 'export RANK=…; exec "$@"'`
/// that the writers put before it is taken off. Otherwise the program reads the launcher's own variables:
/// `own` gives them as placeholders.
Result<void> take_command(LauncherTool tool, const Words& words, std::size_t at,
                          const std::map<std::string, std::string>& own, PastedLine& line);

Failure not_understood(LauncherTool tool, const std::string& what, const std::string& remedy);

// ---- writing ----

/// What of a node's (or all nodes') environment the launcher does not set by itself: equal for all these
/// ranks.
std::map<std::string, std::string> own_environment(const LaunchPlan& plan, const std::string& node,
                                                   std::vector<std::string>& notes);
/// "A=b C='d e' " for the front of a line.
std::string assignments(const std::map<std::string, std::string>& environment);
/// The program as the torchrun family wants it: flags for -m or a program of its own, then script and
/// arguments.
struct ProgramWords {
    std::string python;  ///< "python3", "/opt/venv/bin/python"
    Words flags;         ///< those of `style`
    Words words;         ///< script (or module, or program) and arguments
};
ProgramWords program_of(const Words& command, const char* module_flag, const char* no_python_flag);
/// The job's command, the same for all ranks; words that differ by rank become notes. `local_rank_flag` gets
/// the spelling of "--local-rank={local_rank}" if the command has it (it is taken out), for launchers that
/// add it.
Words common_command(const Job& job, std::vector<std::string>& notes, std::string* local_rank_flag = nullptr);
/// `sh -c 'export RANK=$FROM …; exec "$@"' sh command…` for launchers that name the ranks in their own way.
Words wrapped_command(const Job& job, const LaunchPlan& plan, std::vector<std::string>& notes,
                      const std::string& rank, const std::string& local_rank, const std::string& world_size,
                      const std::string& local_world_size);
std::string line_of(const std::map<std::string, std::string>& environment, const Words& words);
int port_of(const LaunchPlan& plan, std::vector<std::string>& notes);
/// The same number of ranks on every node, or nothing.
std::optional<int> uniform_ranks(const LaunchPlan& plan);
std::string hosts_with_slots(const LaunchPlan& plan);

// ---- one pair per launcher ----

LaunchLines write_torchrun(const Job& job, const LaunchPlan& plan);
LaunchLines write_torch_launch(const Job& job, const LaunchPlan& plan);
Result<LaunchLines> write_srun(const Job& job, const LaunchPlan& plan);
LaunchLines write_deepspeed(const Job& job, const LaunchPlan& plan);
Result<LaunchLines> write_accelerate(const Job& job, const LaunchPlan& plan);
LaunchLines write_horovodrun(const Job& job, const LaunchPlan& plan);
LaunchLines write_mpirun(const Job& job, const LaunchPlan& plan);
LaunchLines write_paddle(const Job& job, const LaunchPlan& plan);

Result<void> read_torchrun(const Words& words, std::size_t at, const std::string& python, PastedLine& line);
Result<void> read_torch_launch(const Words& words, std::size_t at, const std::string& python,
                               PastedLine& line);
Result<void> read_srun(const Words& words, std::size_t at, PastedLine& line);
Result<void> read_deepspeed(const Words& words, std::size_t at, PastedLine& line);
Result<void> read_accelerate(const Words& words, std::size_t at, PastedLine& line);
Result<void> read_horovodrun(const Words& words, std::size_t at, PastedLine& line);
Result<void> read_mpirun(const Words& words, std::size_t at, PastedLine& line);
Result<void> read_paddle(const Words& words, std::size_t at, const std::string& python, PastedLine& line);

}  // namespace rankscope::launch_lines
