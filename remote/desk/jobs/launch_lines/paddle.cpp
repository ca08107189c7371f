// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// python -m paddle.distributed.launch (paddle/distributed/launch/main.py): typed once per node.

#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/shared/text.h>

#include <algorithm>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

// What Paddle's launcher passes to its processes.
const std::map<std::string, std::string>& paddle_variables() {
    static const std::map<std::string, std::string> variables{
        {"PADDLE_MASTER", "{master_addr}:{master_port}"},
        {"PADDLE_TRAINER_ID", "{rank}"},
        {"PADDLE_TRAINERS_NUM", "{world_size}"},
        {"PADDLE_RANK_IN_NODE", "{local_rank}"},
        {"PADDLE_GLOBAL_RANK", "{rank}"},
        {"PADDLE_GLOBAL_SIZE", "{world_size}"},
        {"PADDLE_LOCAL_RANK", "{local_rank}"},
        {"PADDLE_LOCAL_SIZE", "{local_world_size}"},
        {"PADDLE_NNODES", "{nodes}"},
        {"PADDLE_CURRENT_ENDPOINT", "{endpoint}"},
        {"PADDLE_TRAINER_ENDPOINTS", "{endpoints}"},
        {"FLAGS_selected_gpus", "{local_rank}"}};
    return variables;
}

}  // namespace

LaunchLines write_paddle(const Job& job, const LaunchPlan& plan) {
    LaunchLines written;
    Words command = common_command(job, written.notes);
    const ProgramWords program = program_of(command, "", "");
    if (!program.flags.empty()) {
        written.notes.push_back(text(kContext, "Paddle's launcher starts Python scripts only."));
    }
    const int port = port_of(plan, written.notes);
    for (const auto& node : plan.nodes) {
        Words words{program.python, "-m", "paddle.distributed.launch"};
        words.push_back("--nproc_per_node=" + std::to_string(node.local_world_size));
        words.push_back("--nnodes=" + std::to_string(plan.nodes.size()));
        words.push_back("--master=" + plan.master_addr + ':' + std::to_string(port));
        if (plan.nodes.size() > 1) {
            words.push_back("--rank=" + std::to_string(node.group_rank));
        }
        if (job.max_restarts > 0) {
            words.push_back("--max_restart=" + std::to_string(job.max_restarts));
        }
        auto environment = own_environment(plan, node.node, written.notes);
        for (const auto& [name, value] : paddle_variables()) {
            environment.erase(name);
        }
        append(words, program.words);
        written.lines.push_back({node.node, line_of(environment, words)});
    }
    const auto differs = [](const std::string& note) {
        return note.find("PADDLE_") != std::string::npos || note.find("FLAGS_selected") != std::string::npos;
    };
    written.notes.erase(std::remove_if(written.notes.begin(), written.notes.end(), differs),
                        written.notes.end());
    return written;
}

Result<void> read_paddle(const Words& words, std::size_t at, const std::string& python, PastedLine& line) {
    ProgramStyle style;
    style.python = python;
    std::string nodes;
    std::string master;
    int procs = 0;
    OptionRules rules{
        {"master", true, into_text(master)},
        {"nnodes", true, into_text(nodes)},
        {"nproc-per-node", true, into_number(procs, 1, 1024)},
        {"devices gpus", true,
         [&](const std::string& value) {
             line.gpus.clear();  // it wins over CUDA_VISIBLE_DEVICES
             return take_gpus(value, line);
         }},
        {"ips", true, [&](const std::string& value) { return take_hosts(value, line); }},
        {"job-id", true, into_text(line.job.name)},
        {"backend", true,
         [&](const std::string& name) {
             line.job.env["PADDLE_DISTRI_BACKEND"] = name;
             return std::string();
         }},
        {"max-restart", true, into_number(line.job.max_restarts, 0, 1000)},
        {"run-mode", true,
         [](const std::string& mode) {
             return mode == "collective" ? std::string() : text(kContext, "only collective can be run here");
         }},
    };
    leave_out(rules, because::nodes_are_in_order(), {"rank"});
    leave_out(rules, because::logs_are_kept(), {"log-dir", "log-level"});
    leave_out(rules, because::nodes_are_fixed(), {"elastic-level", "elastic-timeout"});
    leave_out(rules, because::addresses_are_the_inventorys(), {"host"});
    leave_out(rules, text(kContext, "ports are chosen when the run starts"), {"start-port"});
    if (auto fine = read_options(LauncherTool::Paddle, words, at, rules, line); !fine) {
        return fine;
    }
    line.host_ranks.clear();
    line.nodes = line.hosts.empty() ? 1 : 0;
    if (auto fine = nodes.empty() ? Result<void>() : take_node_count(LauncherTool::Paddle, nodes, line);
        !fine) {
        return fine;
    }
    line.job.procs_per_node = procs > 0 ? procs : static_cast<int>(line.gpus.size());
    if (master.find("//") == std::string::npos) {
        if (auto fine = take_port_of(LauncherTool::Paddle, "--master", master, line); !fine) {
            return fine;
        }
    }
    const auto& variables = paddle_variables();
    line.job.env.insert(variables.begin(), variables.end());
    line.notes.push_back(text(kContext,
                              "The program gets Paddle's variables of each rank (PADDLE_TRAINER_ID, "
                              "PADDLE_TRAINER_ENDPOINTS, …)."));
    return take_program(LauncherTool::Paddle, words, at, style, line);
}

}  // namespace rankscope::inline jobs::launch_lines
