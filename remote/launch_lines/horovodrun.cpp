// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// horovodrun (horovod/runner/launch.py): typed once; reaches the nodes by ssh.

#include <remote/base/text.h>
#include <remote/launch_lines/launch_tool.h>

namespace rankscope::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

const std::map<std::string, std::string>& horovod_variables() {
    static const std::map<std::string, std::string> variables{{"HOROVOD_RANK", "{rank}"},
                                                              {"HOROVOD_SIZE", "{world_size}"},
                                                              {"HOROVOD_LOCAL_RANK", "{local_rank}"},
                                                              {"HOROVOD_LOCAL_SIZE", "{local_world_size}"},
                                                              {"HOROVOD_CROSS_RANK", "{node_rank}"},
                                                              {"HOROVOD_CROSS_SIZE", "{nodes}"}};
    return variables;
}

}  // namespace

LaunchLines write_horovodrun(const Job& job, const LaunchPlan& plan) {
    LaunchLines written;
    Words words{"horovodrun", "-np", std::to_string(plan.world_size), "-H", hosts_with_slots(plan)};
    const Words command = wrapped_command(job, plan, written.notes, "$HOROVOD_RANK", "$HOROVOD_LOCAL_RANK",
                                          "$HOROVOD_SIZE", "$HOROVOD_LOCAL_SIZE");
    words.insert(words.end(), command.begin(), command.end());
    written.lines.push_back({"", line_of(own_environment(plan, "", written.notes), words)});
    return written;
}

Result<void> read_horovodrun(const Words& words, std::size_t at, PastedLine& line) {
    int processes = 0;
    std::string hostfile;
    std::string interfaces;
    const auto ours = [&line](const std::string& option, const std::string& why) {
        return left_out(line, option, why);
    };
    const std::string own_ssh = text(kContext, "the inventory says how nodes are reached");
    const std::string own_logs = text(kContext, "each rank's output is kept anyway");
    const std::string fixed = text(kContext, "the number of nodes is fixed in a run");
    const auto variable = [&line](const std::string& name) {
        return [&line, name](const std::string& value) {
            line.job.env[name] = value;
            return std::string();
        };
    };
    const std::vector<OptionRule> rules{
        {"np num-proc", true, into_number(processes, 1, 1000000)},
        {"H hosts", true, [&](const std::string& value) { return take_hosts(value, line); }},
        {"hostfile", true, into_text(hostfile)},
        {"p ssh-port", true, ours("--ssh-port", own_ssh)},
        {"i ssh-identity-file", true, ours("--ssh-identity-file", own_ssh)},
        {"network-interfaces network-interface", true, into_text(interfaces)},
        {"start-timeout", true,
         ours("--start-timeout", text(kContext, "a start that fails is told at once"))},
        {"output-filename", true, ours("--output-filename", own_logs)},
        {"verbose", false, ours("", "")},
        {"gloo", false, ours("", "")},
        {"mpi", false, ours("", "")},
        {"disable-cache", false, ours("", "")},
        {"min-np min-num-proc", true, ours("--min-np", fixed)},
        {"max-np max-num-proc", true, ours("--max-np", fixed)},
        {"host-discovery-script", true, ours("--host-discovery-script", fixed)},
        {"fusion-threshold-mb", true,
         ours("--fusion-threshold-mb", text(kContext, "give HOROVOD_FUSION_THRESHOLD in env:"))},
        {"cycle-time-ms", true, variable("HOROVOD_CYCLE_TIME")},
        {"timeline-filename", true, variable("HOROVOD_TIMELINE")},
        {"log-level", true, variable("HOROVOD_LOG_LEVEL")},
    };
    if (auto fine = read_options(LauncherTool::Horovodrun, words, at, rules, line); !fine) {
        return fine;
    }
    if (line.hosts.empty()) {
        line.nodes = hostfile.empty() ? 1 : 0;
        line.job.procs_per_node = hostfile.empty() ? processes : 0;
    }
    if (!hostfile.empty()) {
        line.notes.push_back(
            text(kContext, "--hostfile %1: `rankscopectl nodes import %1` adds its nodes.", {hostfile}));
    }
    if (!interfaces.empty()) {
        line.job.interface_name = interfaces.substr(0, interfaces.find(','));
    }
    auto read = take_command(LauncherTool::Horovodrun, words, at, horovod_variables(), line);
    if (read && !line.job.env.empty() && line.job.env.count("HOROVOD_RANK") != 0) {
        line.notes.push_back(
            text(kContext,
                 "hvd.init() also asks horovodrun's own rendezvous server, which is not there; use a script "
                 "on torch.distributed, or start horovodrun itself in command:."));
    }
    return read;
}

}  // namespace rankscope::launch_lines
