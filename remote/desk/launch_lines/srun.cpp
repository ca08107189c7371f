// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// srun (Slurm): typed once, inside an allocation or to get one.

#include <remote/desk/launch_lines/launch_tool.h>
#include <remote/desk/text.h>

namespace rankscope::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

// reference: Slurm's srun(1), "OUTPUT ENVIRONMENT VARIABLES"
const std::map<std::string, std::string>& slurm_variables() {
    static const std::map<std::string, std::string> variables{
        {"SLURM_PROCID", "{rank}"},       {"SLURM_LOCALID", "{local_rank}"}, {"SLURM_NTASKS", "{world_size}"},
        {"SLURM_NPROCS", "{world_size}"}, {"SLURM_NODEID", "{node_rank}"},   {"SLURM_NNODES", "{nodes}"}};
    return variables;
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
    leave_out(rules, text(kContext, "belongs to the allocation; the job's nodes are used as they are"),
              {"p partition", "A account", "q qos", "t time", "C constraint", "reservation", "x exclude",
               "gres", "G gpus", "gpus-per-node", "gpus-per-task", "ntasks-per-gpu", "c cpus-per-task", "mem",
               "mem-per-cpu", "mem-per-gpu", "jobid"},
              {"exclusive", "overlap"});
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
