// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// deepspeed (deepspeed/launcher/runner.py): typed once; reaches the nodes of a hostfile by pdsh.

#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline jobs::launch_lines {
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
    append(words, program.flags);
    append(words, program.words);
    written.lines.push_back({"", line_of(own_environment(plan, "", written.notes), words)});
    return written;
}

Result<void> read_deepspeed(const Words& words, std::size_t at, PastedLine& line) {
    ProgramStyle style;
    bool local_rank_argument = true;
    int nodes = 0;
    int gpus = 0;
    std::string hostfile;
    OptionRules rules{
        {"H hostfile", true, into_text(hostfile)},
        {"i include", true, [&](const std::string& value) { return take_include(value, line); }},
        {"num-nodes", true, into_number(nodes, 1, 100000)},
        {"num-gpus", true, into_number(gpus, 1, 1024)},
        {"master-port", true, into_number(line.job.master_port, 0, 65535)},
        {"module", false, into_flag(style.module)},
        {"no-python", false, into_flag(style.no_python)},
        {"no-local-rank", false, into_flag(local_rank_argument, false)},
    };
    leave_out(rules, text(kContext, "choose the nodes in nodes:"), {"e exclude"});
    leave_out(rules, because::the_master_is_found(), {"master-addr"});
    leave_out(rules, because::nodes_are_in_order(), {"node-rank"});
    leave_out(rules, because::ssh_is_the_inventorys(), {"launcher", "launcher-args", "ssh-port"},
              {"no-ssh", "no-ssh-check", "force-multi"});
    leave_out(rules, because::logs_are_kept(), {"enable-each-rank-log"}, {"save-pid"});
    leave_out(rules, because::nodes_are_fixed(), {}, {"elastic-training"});
    leave_out(rules, because::numactl_does_that(), {"bind-core-list"}, {"bind-cores-to-rank"});
    if (auto fine = read_options(LauncherTool::DeepSpeed, words, at, rules, line); !fine) {
        return fine;
    }
    line.nodes = nodes > 0                                ? nodes
                 : line.hosts.empty() && hostfile.empty() ? 1
                                                          : static_cast<int>(line.hosts.size());
    line.job.procs_per_node = gpus;
    note_hostfile(hostfile, line);
    if (auto fine = take_program(LauncherTool::DeepSpeed, words, at, style, line); !fine) {
        return fine;
    }
    if (local_rank_argument) {
        add_local_rank(style, line);
    }
    return {};
}

}  // namespace rankscope::inline jobs::launch_lines
