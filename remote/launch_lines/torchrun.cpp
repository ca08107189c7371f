// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// torchrun and its forerunner torch.distributed.launch (torch/distributed/run.py, launch.py): typed once per
// node.

#include <remote/base/text.h>
#include <remote/launch_lines/launch_tool.h>

namespace rankscope::launch_lines {
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
        words.insert(words.end(), program.flags.begin(), program.flags.end());
        words.insert(words.end(), program.words.begin(), program.words.end());
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
    std::string start_method;
    bool local_rank_argument = forerunner;
    Job& job = line.job;
    const auto flag = [](bool& out, bool value) {
        return [&out, value](const std::string&) {
            out = value;
            return std::string();
        };
    };
    const auto ours = [&line](const std::string& option, const std::string& why) {
        return left_out(line, option, why);
    };
    const std::string own_logs = text(kContext, "each rank's output is kept anyway");
    const std::string own_rendezvous = text(kContext, "each run has a rendezvous of its own");
    const std::vector<OptionRule> rules{
        {"nnodes", true, into_text(nodes)},
        {"nproc-per-node", true, into_text(procs)},
        {"node-rank", true, ours("--node-rank", text(kContext, "ranks follow from the order of the nodes"))},
        {"master-addr", true, ours("--master-addr", text(kContext, "the master's address is found out"))},
        {"master-port", true, into_number(job.master_port, 0, 65535)},
        {"max-restarts", true, into_number(job.max_restarts, 0, 1000)},
        {"rdzv-endpoint", true, into_text(endpoint)},
        {"rdzv-backend", true, ours("--rdzv-backend", own_rendezvous)},
        {"rdzv-id", true, ours("--rdzv-id", own_rendezvous)},
        {"rdzv-conf", true, ours("--rdzv-conf", own_rendezvous)},
        {"standalone", false,
         [&](const std::string&) {
             nodes.assign(1, '1');
             return std::string();
         }},
        {"local-addr", true, ours("--local-addr", text(kContext, "address: in the inventory says that"))},
        {"monitor-interval", true, ours("--monitor-interval", text(kContext, "an exit is seen at once"))},
        {"start-method", true, into_text(start_method)},
        {"role", true, ours("--role", text(kContext, "there is one role"))},
        {"m module", false, flag(style.module, true)},
        {"no-python", false, flag(style.no_python, true)},
        {"run-path", false, ours("--run-path", text(kContext, "the script is started as it is"))},
        {"use-env use_env", false, flag(local_rank_argument, false)},
        {"log-dir", true, ours("--log-dir", own_logs)},
        {"r redirects", true, ours("--redirects", own_logs)},
        {"t tee", true, ours("--tee", own_logs)},
        {"local-ranks-filter", true, ours("--local-ranks-filter", own_logs)},
        {"logs-specs", true, ours("--logs-specs", own_logs)},
        {"event-log-handler", true, ours("--event-log-handler", own_logs)},
        {"numa-binding", true, ours("--numa-binding", text(kContext, "start numactl in command: instead"))},
        {"signals-to-handle", true,
         ours("--signals-to-handle", text(kContext, "stops are Rankscope's to send"))},
        {"shutdown-timeout", true,
         [&](const std::string& value) {
             int seconds = 0;
             auto wrong = into_number(seconds, 0, 3600)(value);
             job.grace_s = wrong.empty() ? seconds : job.grace_s;
             return wrong;
         }},
    };
    if (auto fine = read_options(tool, words, at, rules, line); !fine) {
        return fine;
    }
    if (const auto colon = nodes.find(':'); colon != std::string::npos) {
        line.notes.push_back(text(
            kContext, "--nnodes %1: the number of nodes is fixed in a run; the larger is taken.", {nodes}));
        nodes = nodes.substr(colon + 1);
    }
    line.nodes = nodes.empty() ? 1 : 0;
    std::string wrong = nodes.empty() ? "" : into_number(line.nodes, 1, 100000)(nodes);
    if (!wrong.empty()) {
        return not_understood(tool, "--nnodes: " + wrong, text(kContext, "Give the number of nodes."));
    }
    // torchrun starts one rank per node unless told otherwise.
    job.procs_per_node = 1;
    if (procs == "auto" || procs == "gpu" || procs == "cpu" || procs == "xpu") {
        job.procs_per_node = 0;
        if (procs == "cpu") {
            job.backend = BackendChoice::Gloo;
            line.notes.push_back(
                text(kContext, "--nproc-per-node cpu: as many ranks as cpu_slots: in the inventory says."));
        }
    } else if (!procs.empty() && !(wrong = into_number(job.procs_per_node, 1, 1024)(procs)).empty()) {
        return not_understood(tool, "--nproc-per-node: " + wrong,
                              text(kContext, "Give the number of ranks per node."));
    }
    if (const auto colon = endpoint.rfind(':'); !endpoint.empty()) {
        line.notes.push_back(text(kContext, "--rdzv-endpoint %1: only its port is taken.", {endpoint}));
        if (colon == std::string::npos) {
            job.master_port = 29400;  // c10d's own
        } else if (!(wrong = into_number(job.master_port, 0, 65535)(endpoint.substr(colon + 1))).empty()) {
            return not_understood(tool, "--rdzv-endpoint: " + wrong,
                                  text(kContext, "Write it as HOST:PORT."));
        }
    }
    if (auto fine = take_program(tool, words, at, style, line); !fine) {
        return fine;
    }
    if (local_rank_argument) {
        const std::size_t script = style.no_python ? 1 : style.module ? 3 : 2;
        job.command.insert(job.command.begin() + static_cast<std::ptrdiff_t>(script),
                           "--local_rank={local_rank}");
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

}  // namespace rankscope::launch_lines
