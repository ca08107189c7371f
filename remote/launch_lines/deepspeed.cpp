// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// deepspeed (deepspeed/launcher/runner.py): typed once; reaches the nodes of a hostfile by pdsh.

#include <remote/base/text.h>
#include <remote/launch_lines/launch_tool.h>

namespace rankscope::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

// "host0@host1:0,2": hosts, each with GPUs or all of them.
std::string take_include(const std::string& value, PastedLine& line) {
    for (std::size_t at = 0; at <= value.size();) {
        const auto end = std::min(value.find('@', at), value.size());
        const std::string entry = value.substr(at, end - at);
        at = end + 1;
        const auto colon = entry.find(':');
        const std::string host = entry.substr(0, colon);
        if (host.empty()) {
            return text(kContext, "\"%1\" is not host:0,1@host:2,3", {value});
        }
        line.hosts.push_back(host);
        if (colon != std::string::npos) {
            std::vector<int>& gpus = line.job.devices[host];
            PastedLine parsed;
            if (auto wrong = take_gpus(entry.substr(colon + 1), parsed); !wrong.empty()) {
                return wrong;
            }
            gpus = parsed.gpus;
        }
    }
    return {};
}

}  // namespace

LaunchLines write_deepspeed(const Job& job, const LaunchPlan& plan) {
    LaunchLines written;
    std::string local_rank_flag;
    const ProgramWords program =
        program_of(common_command(job, written.notes, &local_rank_flag), "--module", "--no_python");
    Words words{"deepspeed"};
    if (plan.nodes.size() > 1) {
        written.file_name = "hostfile";
        for (const auto& node : plan.nodes) {
            written.file += node.address + " slots=" + std::to_string(node.local_world_size) + '\n';
        }
        words.insert(words.end(), {"--hostfile=hostfile", "--master_addr=" + plan.master_addr});
    } else {
        words.push_back("--num_gpus=" + std::to_string(plan.world_size));
    }
    words.push_back("--master_port=" + std::to_string(port_of(plan, written.notes)));
    if (local_rank_flag.empty()) {
        words.push_back("--no_local_rank");
    }
    words.insert(words.end(), program.flags.begin(), program.flags.end());
    words.insert(words.end(), program.words.begin(), program.words.end());
    written.lines.push_back({"", line_of(own_environment(plan, "", written.notes), words)});
    return written;
}

Result<void> read_deepspeed(const Words& words, std::size_t at, PastedLine& line) {
    ProgramStyle style;
    bool local_rank_argument = true;
    int nodes = 0;
    int gpus = 0;
    std::string hostfile;
    const auto flag = [](bool& out, bool value) {
        return [&out, value](const std::string&) {
            out = value;
            return std::string();
        };
    };
    const auto ours = [&line](const std::string& option, const std::string& why) {
        return left_out(line, option, why);
    };
    const std::string own_ssh = text(kContext, "the inventory says how nodes are reached");
    const std::string own_logs = text(kContext, "each rank's output is kept anyway");
    const std::vector<OptionRule> rules{
        {"H hostfile", true, into_text(hostfile)},
        {"i include", true, [&](const std::string& value) { return take_include(value, line); }},
        {"e exclude", true, ours("--exclude", text(kContext, "choose the nodes in nodes:"))},
        {"num-nodes", true, into_number(nodes, 1, 100000)},
        {"num-gpus", true, into_number(gpus, 1, 1024)},
        {"master-port", true, into_number(line.job.master_port, 0, 65535)},
        {"master-addr", true, ours("--master_addr", text(kContext, "the master's address is found out"))},
        {"node-rank", true, ours("--node_rank", text(kContext, "ranks follow from the order of the nodes"))},
        {"launcher", true, ours("--launcher", own_ssh)},
        {"launcher-args", true, ours("--launcher_args", own_ssh)},
        {"ssh-port", true, ours("--ssh_port", own_ssh)},
        {"no-ssh", false, ours("--no_ssh", own_ssh)},
        {"no-ssh-check", false, ours("--no_ssh_check", own_ssh)},
        {"force-multi", false, ours("--force_multi", own_ssh)},
        {"module", false, flag(style.module, true)},
        {"no-python", false, flag(style.no_python, true)},
        {"no-local-rank", false, flag(local_rank_argument, false)},
        {"save-pid", false, ours("--save_pid", own_logs)},
        {"enable-each-rank-log", true, ours("--enable_each_rank_log", own_logs)},
        {"elastic-training", false,
         ours("--elastic_training", text(kContext, "the number of nodes is fixed in a run"))},
        {"bind-cores-to-rank", false,
         ours("--bind_cores_to_rank", text(kContext, "start numactl in command: instead"))},
        {"bind-core-list", true,
         ours("--bind_core_list", text(kContext, "start numactl in command: instead"))},
    };
    if (auto fine = read_options(LauncherTool::DeepSpeed, words, at, rules, line); !fine) {
        return fine;
    }
    line.nodes = nodes > 0                                ? nodes
                 : line.hosts.empty() && hostfile.empty() ? 1
                                                          : static_cast<int>(line.hosts.size());
    line.job.procs_per_node = gpus;
    if (!hostfile.empty()) {
        line.notes.push_back(
            text(kContext, "--hostfile %1: `rankscopectl nodes import %1` adds its nodes.", {hostfile}));
    }
    if (auto fine = take_program(LauncherTool::DeepSpeed, words, at, style, line); !fine) {
        return fine;
    }
    if (local_rank_argument) {
        auto& command = line.job.command;
        const std::size_t script = style.no_python ? 1 : style.module ? 3 : 2;
        command.insert(command.begin() + static_cast<std::ptrdiff_t>(script), "--local_rank={local_rank}");
    }
    return {};
}

}  // namespace rankscope::launch_lines
