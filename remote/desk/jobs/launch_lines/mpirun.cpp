// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// mpirun and mpiexec (Open MPI; of MPICH and Intel MPI the common options): typed once.

#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/shared/text.h>

#include <cstdlib>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

// reference: Open MPI FAQ, "What environment variables are defined at run time?"
const std::map<std::string, std::string>& open_mpi_variables() {
    static const std::map<std::string, std::string> variables{
        {"OMPI_COMM_WORLD_RANK", "{rank}"},
        {"OMPI_COMM_WORLD_SIZE", "{world_size}"},
        {"OMPI_COMM_WORLD_LOCAL_RANK", "{local_rank}"},
        {"OMPI_COMM_WORLD_LOCAL_SIZE", "{local_world_size}"},
        {"OMPI_COMM_WORLD_NODE_RANK", "{local_rank}"}};
    return variables;
}

}  // namespace

LaunchLines write_mpirun(const Job& job, const LaunchPlan& plan) {
    LaunchLines written;
    Words words{"mpirun",
                "-np",
                std::to_string(plan.world_size),
                "-H",
                hosts_with_slots(plan),
                "--bind-to",
                "none",
                "--map-by",
                job.rank_order == RankOrder::Cyclic ? "node" : "slot"};
    for (const auto& [name, value] : own_environment(plan, "", written.notes)) {
        words.insert(words.end(), {"-x", name + '=' + value});
    }
    append(words,
           wrapped_command(job, plan, written.notes, "$OMPI_COMM_WORLD_RANK", "$OMPI_COMM_WORLD_LOCAL_RANK",
                           "$OMPI_COMM_WORLD_SIZE", "$OMPI_COMM_WORLD_LOCAL_SIZE"));
    written.lines.push_back({"", line_of({}, words)});
    return written;
}

Result<void> read_mpirun(const Words& words, std::size_t at, PastedLine& line) {
    int processes = 0;
    int per_node = 0;
    std::string hostfile;
    std::string map_by;
    const auto take_variable = [&line](const std::string& value) {
        const auto equals = value.find('=');
        if (equals == std::string::npos) {
            line.notes.push_back(
                text(kContext, "-x %1: its value is not in the line; give it in env:.", {value}));
        } else {
            line.job.env[value.substr(0, equals)] = value.substr(equals + 1);
        }
        return std::string();
    };
    // "-mca KEY VALUE" and "-genv KEY VALUE" take two words.
    Words plain;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const bool before_program = i >= at;
        if (before_program && (words[i] == "-mca" || words[i] == "--mca") && i + 2 < words.size()) {
            if (words[i + 1] == "btl_tcp_if_include" || words[i + 1] == "oob_tcp_if_include") {
                line.job.interface_name = words[i + 2].substr(0, words[i + 2].find(','));
            } else {
                line.notes.push_back(text(kContext, "%1 %2: is Open MPI's own.", {words[i], words[i + 1]}));
            }
            i += 2;
        } else if (before_program && (words[i] == "-genv" || words[i] == "-env") && i + 2 < words.size()) {
            line.job.env[words[i + 1]] = words[i + 2];
            i += 2;
        } else {
            plain.push_back(words[i]);
        }
    }
    OptionRules rules{
        {"np n c", true, into_number(processes, 1, 1000000)},
        {"H host hosts", true, [&](const std::string& value) { return take_hosts(value, line); }},
        {"hostfile machinefile f", true, into_text(hostfile)},
        {"x", true, take_variable},
        {"N npernode ppn", true, into_number(per_node, 1, 1024)},
        {"map-by", true, into_text(map_by)},
        {"bynode", false,
         [&](const std::string&) {
             map_by = "node";
             return std::string();
         }},
        {"wdir wd", true, into_text(line.job.workdir)},
        {"bind-to", true,
         [&](const std::string& value) {
             if (value != "none") {
                 line.notes.push_back("--bind-to " + value + ": " + because::numactl_does_that());
             }
             return std::string();
         }},
    };
    leave_out(rules, because::that_is_done_in_our_way(), {"rank-by", "prefix"});
    leave_out(rules, because::logs_are_kept(), {"output-filename"});
    leave_out(rules, "", {},
              {"report-bindings", "tag-output", "timestamp-output", "oversubscribe", "allow-run-as-root",
               "v verbose", "q quiet"});
    if (auto fine = read_options(LauncherTool::Mpirun, plain, at, rules, line); !fine) {
        return fine;
    }
    if (map_by.starts_with("ppr:")) {
        per_node = std::atoi(map_by.c_str() + 4);
    } else if (map_by == "node") {
        line.job.rank_order = RankOrder::Cyclic;
    }
    if (per_node > 0) {
        line.job.procs_per_node = per_node;
        line.host_ranks.clear();
        line.nodes = processes > 0 && line.hosts.empty() ? processes / per_node : 0;
    } else if (line.hosts.empty() && hostfile.empty()) {
        line.nodes = 1;
        line.job.procs_per_node = processes;
    } else if (processes > 0) {
        // Slots are a limit; the first hosts are filled up.
        int left = processes;
        Words used;
        for (const auto& host : line.hosts) {
            int& slots = line.host_ranks[host];
            slots = std::min(slots, left);
            left -= slots;
            if (slots > 0) {
                used.push_back(host);
            } else {
                line.host_ranks.erase(host);
            }
        }
        line.hosts = used;
    }
    note_hostfile(hostfile, line);
    line.notes.push_back(
        text(kContext,
             "MPI itself is not started: a program that calls MPI_Init is alone in its world. Start such a "
             "program with srun (launcher: slurm), or with mpirun itself as the command."));
    return take_command(LauncherTool::Mpirun, plain, at, open_mpi_variables(), line);
}

}  // namespace rankscope::inline jobs::launch_lines
