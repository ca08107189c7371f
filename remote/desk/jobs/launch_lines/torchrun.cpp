// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// torchrun and its forerunner torch.distributed.launch (torch/distributed/run.py, launch.py): typed once per
// node.

#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

LaunchLines write(const Job& job, const LaunchPlan& plan, bool forerunner) {
    LaunchLines written;
    std::string local_rank_flag;
    const Words command = common_command(job, written.notes, forerunner ? &local_rank_flag : nullptr);
    const ProgramWords program = program_of(command, "--module", "--no-python");
    const int port = port_of(plan, written.notes);
    const auto option = [forerunner](std::string name, const std::string& value) {
        for (auto& c : name) {
            c = forerunner && c == '-' ? '_' : c;
        }
        return "--" + name + '=' + value;
    };
    for (const auto& node : plan.nodes) {
        Words words;
        if (forerunner) {
            words = {program.python, "-m", "torch.distributed.launch"};
            if (local_rank_flag.empty()) {
                words.push_back("--use_env");
            }
        } else if (program.python == "python3") {
            words = {"torchrun"};
        } else {
            words = {program.python, "-m", "torch.distributed.run"};
        }
        words.push_back(option("nproc-per-node", std::to_string(node.local_world_size)));
        if (plan.nodes.size() > 1) {
            words.push_back(option("nnodes", std::to_string(plan.nodes.size())));
            words.push_back(option("node-rank", std::to_string(node.group_rank)));
            words.push_back(option("master-addr", plan.master_addr));
        }
        words.push_back(option("master-port", std::to_string(port)));
        if (job.max_restarts > 0) {
            words.push_back(option("max-restarts", std::to_string(job.max_restarts)));
        }
        append(words, program.flags);
        append(words, program.words);
        written.lines.push_back({node.node, line_of(own_environment(plan, node.node, written.notes), words)});
    }
    return written;
}

Result<void> read(LauncherTool tool, const Words& words, std::size_t at, const std::string& python,
                  PastedLine& line, bool forerunner) {
    ProgramStyle style;
    style.python = python;
    std::string procs;
    std::string nodes;
    std::string endpoint;
    bool local_rank_argument = forerunner;
    Job& job = line.job;
    OptionRules rules{
        {"nnodes", true, into_text(nodes)},
        {"nproc-per-node", true, into_text(procs)},
        {"master-port", true, into_number(job.master_port, 0, 65535)},
        {"max-restarts", true, into_number(job.max_restarts, 0, 1000)},
        {"rdzv-endpoint", true, into_text(endpoint)},
        {"standalone", false,
         [&](const std::string&) {
             nodes.assign(1, '1');
             return std::string();
         }},
        {"m module", false, into_flag(style.module)},
        {"no-python", false, into_flag(style.no_python)},
        {"use-env", false, into_flag(local_rank_argument, false)},
        {"shutdown-timeout", true,
         [&](const std::string& value) {
             int seconds = 0;
             auto wrong = into_number(seconds, 0, 3600)(value);
             job.grace_s = wrong.empty() ? seconds : job.grace_s;
             return wrong;
         }},
    };
    leave_out(rules, because::nodes_are_in_order(), {"node-rank"});
    leave_out(rules, because::the_master_is_found(), {"master-addr"});
    leave_out(rules, because::a_run_has_its_own_rendezvous(), {"rdzv-backend", "rdzv-id", "rdzv-conf"});
    leave_out(rules, because::addresses_are_the_inventorys(), {"local-addr"});
    leave_out(rules, because::an_exit_is_seen(), {"monitor-interval"});
    leave_out(rules, because::there_is_one_role(), {"role"});
    leave_out(rules, because::logs_are_kept(),
              {"log-dir", "r redirects", "t tee", "local-ranks-filter", "logs-specs", "event-log-handler"});
    leave_out(rules, because::numactl_does_that(), {"numa-binding"});
    leave_out(rules, text(kContext, "the script is started as it is"), {}, {"run-path"});
    leave_out(rules, text(kContext, "stops are Rankscope's to send"), {"signals-to-handle"});
    leave_out(rules, "", {"start-method"});
    if (auto fine = read_options(tool, words, at, rules, line); !fine) {
        return fine;
    }
    line.nodes = 1;
    if (auto fine = nodes.empty() ? Result<void>() : take_node_count(tool, nodes, line); !fine) {
        return fine;
    }
    // torchrun starts one rank per node unless an option says otherwise.
    job.procs_per_node = 1;
    if (procs == "auto" || procs == "gpu" || procs == "cpu" || procs == "xpu") {
        job.procs_per_node = 0;
        if (procs == "cpu") {
            job.backend = BackendChoice::Gloo;
            line.notes.push_back(
                text(kContext, "--nproc-per-node cpu: as many ranks as cpu_slots: in the inventory says."));
        }
    } else if (!procs.empty()) {
        if (const auto wrong = into_number(job.procs_per_node, 1, 1024)(procs); !wrong.empty()) {
            return not_understood(tool, "--nproc-per-node: " + wrong,
                                  text(kContext, "Give the number of ranks per node."));
        }
    }
    if (!endpoint.empty()) {
        line.notes.push_back(text(kContext, "--rdzv-endpoint %1: only its port is taken.", {endpoint}));
        job.master_port = 29400;  // c10d's own, where the endpoint names none
        if (auto fine = take_port_of(tool, "--rdzv-endpoint", endpoint, line); !fine) {
            return fine;
        }
    }
    if (auto fine = take_program(tool, words, at, style, line); !fine) {
        return fine;
    }
    if (local_rank_argument) {
        add_local_rank(style, line);
        line.notes.push_back(
            text(kContext,
                 "torch.distributed.launch passes --local_rank=N (newer versions --local-rank=N); "
                 "change the spelling in command: if the script wants the other."));
    }
    return {};
}

}  // namespace

LaunchLines write_torchrun(const Job& job, const LaunchPlan& plan) {
    return write(job, plan, false);
}

LaunchLines write_torch_launch(const Job& job, const LaunchPlan& plan) {
    return write(job, plan, true);
}

Result<void> read_torchrun(const Words& words, std::size_t at, const std::string& python, PastedLine& line) {
    return read(LauncherTool::Torchrun, words, at, python, line, false);
}

Result<void> read_torch_launch(const Words& words, std::size_t at, const std::string& python,
                               PastedLine& line) {
    return read(LauncherTool::TorchLaunch, words, at, python, line, true);
}

}  // namespace rankscope::inline jobs::launch_lines
