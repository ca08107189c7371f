// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/launch_lines/launch_line.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

/// What the launchers' readers and writers share; one file per launcher holds both of its sides.
namespace rankscope::inline jobs::launch_lines {

using Words = std::vector<std::string>;

// ---- reading ----

using TakeValue = std::function<std::string(const std::string& value)>;

/// One option of a launcher. `take` gets the value (empty for a flag) and returns what is wrong with it, or
/// nothing. Without `take` the option is left out, and `why`, if there is one, becomes a note.
struct OptionRule {
    std::string names;  ///< separated by blanks, without dashes: "nproc-per-node nproc_per_node"
    bool has_value;
    TakeValue take;
    std::string why = {};
};
using OptionRules = std::vector<OptionRule>;

/// Reads options from words[at] on until the program begins; `at` is then its index. '-' and '_' are the
/// same, one dash or two, "--name value" or "--name=value", "-n4" for options of one letter.
Result<void> read_options(LauncherTool tool, const Words& words, std::size_t& at, const OptionRules& rules,
                          PastedLine& line);

TakeValue into_number(int& out, int min, int max);
TakeValue into_text(std::string& out);
TakeValue into_flag(bool& out, bool value = true);
TakeValue into_variable(PastedLine& line, const std::string& name);

/// More rules: what Rankscope does in its own way ("--rdzv-id 7: each run has a rendezvous of its own").
/// Without a reason nothing is said: the option changes nothing here.
void leave_out(OptionRules& rules, const std::string& why, std::initializer_list<const char*> with_value,
               std::initializer_list<const char*> flags = {});
/// Why, of options that several launchers have.
namespace because {
std::string logs_are_kept();
std::string ssh_is_the_inventorys();
std::string a_run_has_its_own_rendezvous();
std::string nodes_are_fixed();
std::string nodes_are_in_order();
std::string the_master_is_found();
std::string an_exit_is_seen();
std::string there_is_one_role();
std::string addresses_are_the_inventorys();
std::string numactl_does_that();
std::string that_is_done_in_our_way();
}  // namespace because

/// "host1:2,host2:2" (horovodrun, mpirun): hosts and slots.
std::string take_hosts(const std::string& value, PastedLine& line);
/// "0,1,3": GPUs.
std::string take_gpus(const std::string& value, PastedLine& line);
/// "2" or "1:4" of --nnodes.
Result<void> take_node_count(LauncherTool tool, std::string value, PastedLine& line);
/// The port of HOST:PORT; nothing of one without.
Result<void> take_port_of(LauncherTool tool, const std::string& option, const std::string& endpoint,
                          PastedLine& line);
/// Says how the nodes of a hostfile get into the inventory; none: says nothing.
void note_hostfile(const std::string& file, PastedLine& line);
/// The script and its arguments as a command: python before it unless it is a program of its own.
struct ProgramStyle {
    bool module = false;     ///< -m
    bool no_python = false;  ///< a program of its own
    std::string python = "python3";
};
Result<void> take_program(LauncherTool tool, const Words& words, std::size_t at, const ProgramStyle& style,
                          PastedLine& line);
/// "--local_rank={local_rank}" behind the script that take_program() has taken.
void add_local_rank(const ProgramStyle& style, PastedLine& line);
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
void append(Words& words, const Words& more);
std::string line_of(const std::map<std::string, std::string>& environment, const Words& words);
int port_of(const LaunchPlan& plan, std::vector<std::string>& notes);
/// The same number of ranks on every node, or nothing.
std::optional<int> uniform_ranks(const LaunchPlan& plan);
std::string hosts_with_slots(const LaunchPlan& plan);

// ---- one pair per launcher ----

struct FoundLauncher {
    LauncherTool tool = LauncherTool::Torchrun;
    std::size_t at = 0;  ///< of the first option
    std::string python = "python3";
};
/// Which launcher the words call at `at`; nothing: none.
std::optional<FoundLauncher> find_launcher(const Words& words, std::size_t at);
/// One that has a reader of its own.
std::optional<FoundLauncher> find_known_launcher(const Words& words, std::size_t at);
/// A launcher without a reader of its own (colossalai run, composer, a team's own): its options say how many ranks or
/// nodes there are, in words that many launchers share, and a script in Python comes behind them.
std::optional<FoundLauncher> find_other_launcher(const Words& words, std::size_t at);
Result<void> read_words(const FoundLauncher& found, const Words& words, PastedLine& line);

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
Result<void> read_other_launcher(const Words& words, std::size_t at, const std::string& python,
                                 PastedLine& line);

}  // namespace rankscope::inline jobs::launch_lines
