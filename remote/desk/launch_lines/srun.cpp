// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// srun (Slurm): typed once, inside an allocation or to get one.

#include <remote/desk/launch_lines/launch_tool.h>
#include <remote/desk/text.h>

#include <utility>

namespace rankscope::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

/// "partition" of "p partition".
std::string last_name(const std::string& names) {
    return names.substr(names.rfind(' ') + 1);
}

// reference: Slurm's srun(1), "OUTPUT ENVIRONMENT VARIABLES"
const std::map<std::string, std::string>& slurm_variables() {
    static const std::map<std::string, std::string> variables{
        {"SLURM_PROCID", "{rank}"},       {"SLURM_LOCALID", "{local_rank}"}, {"SLURM_NTASKS", "{world_size}"},
        {"SLURM_NPROCS", "{world_size}"}, {"SLURM_NODEID", "{node_rank}"},   {"SLURM_NNODES", "{nodes}"}};
    return variables;
}

std::string because_of_allocation() {
    return text(kContext, "belongs to the allocation; the job's nodes are used as they are");
}

void note(PastedLine& line, const std::string& option) {
    line.notes.push_back(option + ": " + because_of_allocation());
    line.allocation_notes.push_back(line.notes.back());
}

/// What is Slurm's to give: kept for a job that is submitted, left out of one whose nodes are named.
void add_allocation(OptionRules& rules, PastedLine& line) {
    for (const auto& [names, key] : {std::pair{"p partition", "partition"},
                                     {"A account", "account"},
                                     {"q qos", "qos"},
                                     {"t time", "time"},
                                     {"gres", "gres"},
                                     {"gpus-per-node", "gres"}}) {
        const std::string option = "--" + last_name(names);
        const std::string target = key;
        const std::string before = option == "--gpus-per-node" ? "gpu:" : "";
        rules.push_back({names, true, [&line, option, target, before](const std::string& value) {
                             line.allocation[target] = before + value;
                             note(line, option + ' ' + value);
                             return std::string();
                         }});
    }
    for (const char* names : {"C constraint", "reservation", "x exclude", "G gpus", "gpus-per-task",
                              "ntasks-per-gpu", "c cpus-per-task", "mem", "mem-per-cpu", "mem-per-gpu"}) {
        const std::string option = "--" + last_name(names);
        rules.push_back({names, true, [&line, option](const std::string& value) {
                             line.allocation_extra.push_back(option + '=' + value);
                             note(line, option + ' ' + value);
                             return std::string();
                         }});
    }
    rules.push_back({"exclusive", false, [&line](const std::string&) {
                         line.allocation_extra.emplace_back("--exclusive");
                         note(line, "--exclusive");
                         return std::string();
                     }});
}

}  // namespace

Result<LaunchLines> write_srun(const Job& job, const LaunchPlan& plan) {
    LaunchLines written;
    const auto per_node = uniform_ranks(plan);
    if (!per_node) {
        return not_understood(LauncherTool::Srun,
                              text(kContext, "srun starts the same number of ranks on every node."),
                              text(kContext, "Give procs_per_node one number."));
    }
    Words words{"srun", "--nodes=" + std::to_string(plan.nodes.size()),
                "--ntasks=" + std::to_string(plan.world_size),
                "--ntasks-per-node=" + std::to_string(*per_node), "--kill-on-bad-exit=1"};
    if (job.rank_order == RankOrder::Cyclic) {
        words.push_back("--distribution=cyclic");
    }
    append(words,
           wrapped_command(job, plan, written.notes, "$SLURM_PROCID", "$SLURM_LOCALID", "$SLURM_NTASKS", ""));
    written.lines.push_back({"", line_of(own_environment(plan, "", written.notes), words)});
    written.notes.push_back(
        text(kContext, "Slurm chooses the nodes; MASTER_ADDR is right only if %1 is the first of them.",
             {plan.master_node}));
    return written;
}

Result<void> read_srun(const Words& words, std::size_t at, PastedLine& line) {
    int tasks = 0;
    int per_node = 0;
    std::string nodes;
    std::string order;
    std::string list;
    std::string folder;
    OptionRules rules{
        {"N nodes", true, into_text(nodes)},
        {"n ntasks", true, into_number(tasks, 1, 1000000)},
        {"ntasks-per-node tasks-per-node", true, into_number(per_node, 1, 1024)},
        {"m distribution", true, into_text(order)},
        {"w nodelist", true, into_text(list)},
        {"D chdir", true, into_text(folder)},
        {"J job-name", true, into_text(line.job.name)},
    };
    add_allocation(rules, line);
    leave_out(rules, because_of_allocation(), {"jobid"}, {"overlap"});
    leave_out(rules, because::that_is_done_in_our_way(), {"o output", "e error", "W wait", "mpi"},
              {"l label", "u unbuffered", "K kill-on-bad-exit", "pty"});
    leave_out(rules, text(kContext, "give variables in env:"), {"export"});
    leave_out(rules, because::numactl_does_that(), {"cpu-bind"});
    leave_out(rules, "", {}, {"v verbose", "Q quiet"});
    if (auto fine = read_options(LauncherTool::Srun, words, at, rules, line); !fine) {
        return fine;
    }
    if (!nodes.empty()) {
        const auto wrong = into_number(line.nodes, 1, 100000)(nodes.substr(0, nodes.find('-')));
        if (!wrong.empty()) {
            return not_understood(LauncherTool::Srun, "--nodes: " + wrong,
                                  text(kContext, "Give the number of nodes."));
        }
    }
    line.nodes = line.nodes == 0 && per_node > 0 && tasks > 0 ? tasks / per_node : line.nodes;
    line.nodes = line.nodes == 0 ? 1 : line.nodes;
    tasks = tasks == 0 ? (per_node > 0 ? per_node * line.nodes : line.nodes) : tasks;
    if (per_node == 0 && tasks % line.nodes != 0) {
        return not_understood(LauncherTool::Srun,
                              text(kContext, "%1 tasks on %2 nodes: how many on each?",
                                   {std::to_string(tasks), std::to_string(line.nodes)}),
                              text(kContext, "Give --ntasks-per-node."));
    }
    line.job.procs_per_node = per_node > 0 ? per_node : tasks / line.nodes;
    if (order.starts_with("cyclic")) {
        line.job.rank_order = RankOrder::Cyclic;
    }
    if (list.find('[') == std::string::npos && !list.empty()) {
        if (const auto wrong = take_hosts(list, line); !wrong.empty()) {
            return not_understood(LauncherTool::Srun, "--nodelist: " + wrong,
                                  text(kContext, "Correct the value."));
        }
        line.host_ranks.clear();
    } else if (!list.empty()) {
        line.notes.push_back(
            text(kContext, "--nodelist %1: name the nodes yourself (`scontrol show hostnames %1`).", {list}));
    }
    if (!folder.empty()) {
        line.job.workdir = folder;
    }
    return take_command(LauncherTool::Srun, words, at, slurm_variables(), line);
}

}  // namespace rankscope::launch_lines
