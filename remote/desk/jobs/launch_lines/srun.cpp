// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// srun (Slurm): typed once, inside an allocation or to get one.

#include <base/text.h>
#include <remote/desk/jobs/launch_lines/container_line.h>
#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/jobs/launch_lines/script_values.h>
#include <remote/desk/jobs/launch_lines/shell_words.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";
constexpr int kPortOfC10d = 29400;  // where --rdzv-endpoint names none

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
    for (const char* names :
         {"C constraint",    "reservation", "x exclude",   "G gpus",      "gpus-per-task", "ntasks-per-gpu",
          "c cpus-per-task", "mem",         "mem-per-cpu", "mem-per-gpu", "d dependency",  "begin",
          "L licenses",      "hint",        "switches",    "tmp",         "signal",        "nice",
          "comment",         "mail-type",   "mail-user",   "deadline",    "gpu-bind",      "gpu-freq"}) {
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

// GPUs of a node, as "gpu:4" or "gpu:a100:4" has them; 0: not said.
int gpus_of(const PastedLine& line) {
    const auto gres = line.allocation.find("gres");
    if (gres == line.allocation.end() || !gres->second.starts_with("gpu:")) {
        return 0;
    }
    return parse_number<int>(gres->second.substr(gres->second.rfind(':') + 1)).value_or(0);
}

// `bash -c 'torchrun …'`: what the shell starts, if that is one launcher.
Words below_shell(Words words) {
    const std::string shell = words.empty() ? "" : words[0].substr(words[0].rfind('/') + 1);
    if (words.size() < 3 || (shell != "bash" && shell != "sh") || (words[1] != "-c" && words[1] != "-lc")) {
        return words;
    }
    const ShellText split = split_shell_text(words[2]);
    if (!split.problem.empty() || split.commands.size() != 1) {
        return words;
    }
    WrittenCommand command = split.commands.front();
    ScriptValues(true).fill(command);
    return find_launcher(command.words, 0) ? command.words : words;
}

void replace_all(std::string& text, const std::string& from, const std::string& to) {
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
        text.replace(at, from.size(), to);
    }
}

bool tells_nodes_apart(const std::string& option) {
    for (const char* own : {"rdzv", "master", "node-rank", "node_rank", "machine-rank", "machine_rank",
                            "main-process", "main_process", "nnodes"}) {
        if (option.find(own) != std::string::npos) {
            return true;
        }
    }
    return false;
}

// srun starts a launcher once on each node, which starts the ranks there: what the launcher is told of nodes and master
// is what Slurm knows anyway.
Result<void> read_inner(const FoundLauncher& inner, Words words, PastedLine& line) {
    const int nodes = line.nodes;
    const int tasks = line.job.procs_per_node;
    for (auto& word : words) {
        replace_all(word, "{nodes}", std::to_string(nodes));
        replace_all(word, "{world_size}", std::to_string(nodes * tasks));
        replace_all(word, "{local_world_size}", std::to_string(tasks));
    }
    const auto is_open = [](const std::string& word) {
        return word.find_first_of("$`") != std::string::npos || word.find("{master_") != std::string::npos;
    };
    Words kept(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(inner.at));
    for (std::size_t i = inner.at; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (word.ends_with(".py") || word == "-m" || word == "--module") {  // the program begins
            kept.insert(kept.end(), words.begin() + static_cast<std::ptrdiff_t>(i), words.end());
            break;
        }
        const bool separate = word.starts_with('-') && word.find('=') == std::string::npos &&
                              i + 1 < words.size() && is_open(words[i + 1]);
        if (!separate && !(word.starts_with('-') && is_open(word))) {
            kept.push_back(word);
            continue;
        }
        const std::string option = word.substr(0, word.find('='));
        if (option.find("nproc") != std::string::npos) {
            kept.push_back(option + "=auto");
        }
        if (!tells_nodes_apart(option)) {
            line.notes.push_back(text(kContext, "%1: a shell would fill that in, so it is left out.",
                                      {separate ? word + ' ' + words[i + 1] : word}));
        }
        i += separate ? 1 : 0;
    }
    line.job.procs_per_node = 0;
    const int port = line.job.master_port;
    if (auto fine = read_words(inner, kept, line); !fine) {
        return fine;
    }
    if (inner.tool == LauncherTool::Accelerate && line.nodes == 1 && nodes > 1 &&
        line.job.procs_per_node % nodes == 0) {
        line.job.procs_per_node /= nodes;  // --num_processes counts all nodes
    }
    if (line.job.master_port == kPortOfC10d) {
        line.job.master_port = port;
    }
    line.nodes = nodes;
    if (line.job.procs_per_node == 0) {
        line.job.procs_per_node = gpus_of(line);
    }
    line.notes.push_back(
        text(kContext, "%1: its ranks are started without it, %2.",
             {to_string(inner.tool),
              line.job.procs_per_node == 0
                  ? text(kContext, "one for each GPU that Slurm grants")
                  : text(kContext, "%1 on each node", {std::to_string(line.job.procs_per_node)})}));
    return {};
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
    rules.push_back(
        {"a array", true, [&line](const std::string& value) {
             line.notes.push_back(
                 text(kContext,
                      "--array %1: an array is one job for each index; this becomes one run. Start it once "
                      "for each value.",
                      {value}));
             return std::string();
         }});
    add_pyxis(rules, line);
    leave_out(rules, text(kContext, "a run is not queued again; restart it, or use checkpoints"), {},
              {"requeue"});
    leave_out(rules, because_of_allocation(), {"jobid"},
              {"overlap", "no-requeue", "oversubscribe s", "H hold"});
    leave_out(rules, because::that_is_done_in_our_way(), {"o output", "e error", "W wait", "mpi"},
              {"l label", "u unbuffered", "K kill-on-bad-exit", "pty"});
    leave_out(rules, text(kContext, "give variables in env:"), {"export"});
    leave_out(rules, because::numactl_does_that(), {"cpu-bind"});
    leave_out(rules, "", {"open-mode", "i input"}, {"v verbose", "Q quiet", "parsable", "exact"});
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
    Words program(words.begin() + static_cast<std::ptrdiff_t>(std::min(at, words.size())), words.end());
    program = below_shell(std::move(program));
    if (const auto inner = find_launcher(program, 0); inner && inner->tool != LauncherTool::Srun) {
        return read_inner(*inner, std::move(program), line);
    }
    return take_command(LauncherTool::Srun, program, 0, slurm_variables(), line);
}

}  // namespace rankscope::inline jobs::launch_lines
