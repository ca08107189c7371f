// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// horovodrun (horovod/runner/launch.py): typed once; reaches the nodes by ssh.

#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/shared/text.h>

namespace rankscope::inline jobs::launch_lines {
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
    append(words, wrapped_command(job, plan, written.notes, "$HOROVOD_RANK", "$HOROVOD_LOCAL_RANK",
                                  "$HOROVOD_SIZE", "$HOROVOD_LOCAL_SIZE"));
    written.lines.push_back({"", line_of(own_environment(plan, "", written.notes), words)});
    return written;
}

Result<void> read_horovodrun(const Words& words, std::size_t at, PastedLine& line) {
    int processes = 0;
    std::string hostfile;
    std::string interfaces;
    OptionRules rules{
        {"np num-proc", true, into_number(processes, 1, 1000000)},
        {"H hosts", true, [&](const std::string& value) { return take_hosts(value, line); }},
        {"hostfile", true, into_text(hostfile)},
        {"network-interfaces network-interface", true, into_text(interfaces)},
        {"cycle-time-ms", true, into_variable(line, "HOROVOD_CYCLE_TIME")},
        {"timeline-filename", true, into_variable(line, "HOROVOD_TIMELINE")},
        {"log-level", true, into_variable(line, "HOROVOD_LOG_LEVEL")},
    };
    leave_out(rules, because::ssh_is_the_inventorys(), {"p ssh-port", "i ssh-identity-file"});
    leave_out(rules, because::logs_are_kept(), {"output-filename"});
    leave_out(rules, because::nodes_are_fixed(),
              {"min-np min-num-proc", "max-np max-num-proc", "host-discovery-script"});
    leave_out(rules, text(kContext, "a start that fails is reported immediately"), {"start-timeout"});
    leave_out(rules, text(kContext, "give HOROVOD_FUSION_THRESHOLD in env:"), {"fusion-threshold-mb"});
    leave_out(rules, "", {}, {"verbose", "gloo", "mpi", "disable-cache"});
    if (auto fine = read_options(LauncherTool::Horovodrun, words, at, rules, line); !fine) {
        return fine;
    }
    if (line.hosts.empty()) {
        line.nodes = hostfile.empty() ? 1 : 0;
        line.job.procs_per_node = hostfile.empty() ? processes : 0;
    }
    note_hostfile(hostfile, line);
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

}  // namespace rankscope::inline jobs::launch_lines
