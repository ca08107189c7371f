// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// accelerate launch (accelerate/commands/launch.py): typed once per node.

#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/shared/text.h>

#include <map>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

// "--fsdp_state_dict_type X" is FSDP_STATE_DICT_TYPE=X for the ranks, and others of the plugins alike: accelerate hands
// them over by their names (accelerate/utils/launch.py). Nothing: the launcher needs it itself.
std::string variable_of(std::string name) {
    static const std::map<std::string, std::string> other{
        {"FSDP_TRANSFORMER_LAYER_CLS_TO_WRAP", "FSDP_TRANSFORMER_CLS_TO_WRAP"},
        {"ZERO3_INIT_FLAG", "ACCELERATE_DEEPSPEED_ZERO3_INIT"},
        {"DEEPSPEED_CONFIG_FILE", "ACCELERATE_DEEPSPEED_CONFIG_FILE"},
        {"GRADIENT_CLIPPING", "ACCELERATE_GRADIENT_CLIPPING"}};
    for (char& c : name) {
        c = c == '-' ? '_' : c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
    if (const auto known = other.find(name); known != other.end()) {
        return known->second;
    }
    for (const char* family : {"FSDP_", "MEGATRON_LM_", "PARALLELISM_CONFIG_"}) {
        if (name.starts_with(family)) {
            return name;
        }
    }
    for (const char* family : {"ZERO_STAGE", "ZERO3_", "OFFLOAD_"}) {
        if (name.starts_with(family)) {
            return "ACCELERATE_DEEPSPEED_" + name;
        }
    }
    const bool is_dynamo = name.starts_with("DYNAMO_") || name.starts_with("USE_");
    return is_dynamo ? "ACCELERATE_" + name : std::string();
}

void add_environment_rules(const Words& words, std::size_t at, OptionRules& rules, PastedLine& line) {
    for (; at < words.size() && words[at].starts_with("--"); ++at) {
        const std::string name = words[at].substr(2, words[at].find('=') - 2);
        const std::string variable = variable_of(name);
        const bool joined = words[at].find('=') != std::string::npos;
        const bool is_flag = variable.starts_with("ACCELERATE_USE_") || name.starts_with("dynamo_use");
        if (!variable.empty()) {
            rules.push_back({name, !is_flag, [&line, variable](const std::string& value) {
                                 line.job.env[variable] = value.empty() ? "true" : value;
                                 return std::string();
                             }});
        }
        const bool alone = joined || at + 1 >= words.size() || words[at + 1].starts_with("--") ||
                           words[at + 1].ends_with(".py");
        if (!alone) {
            ++at;
        }
    }
}

}  // namespace

Result<LaunchLines> write_accelerate(const Job& job, const LaunchPlan& plan) {
    LaunchLines written;
    if (!uniform_ranks(plan)) {
        return not_understood(LauncherTool::Accelerate,
                              text(kContext, "accelerate starts the same number of ranks on every node."),
                              text(kContext, "Give procs_per_node one number."));
    }
    const ProgramWords program = program_of(common_command(job, written.notes), "--module", "--no_python");
    const int port = port_of(plan, written.notes);
    for (const auto& node : plan.nodes) {
        Words words{"accelerate", "launch", "--num_processes=" + std::to_string(plan.world_size)};
        words.push_back(plan.backend == "nccl" ? "--multi_gpu" : "--cpu");
        words.push_back("--num_machines=" + std::to_string(plan.nodes.size()));
        if (plan.nodes.size() > 1) {
            words.push_back("--machine_rank=" + std::to_string(node.group_rank));
            words.push_back("--main_process_ip=" + plan.master_addr);
        }
        words.push_back("--main_process_port=" + std::to_string(port));
        if (job.max_restarts > 0) {
            words.push_back("--max_restarts=" + std::to_string(job.max_restarts));
        }
        append(words, program.flags);
        append(words, program.words);
        written.lines.push_back({node.node, line_of(own_environment(plan, node.node, written.notes), words)});
    }
    return written;
}

Result<void> read_accelerate(const Words& words, std::size_t at, PastedLine& line) {
    ProgramStyle style;
    int processes = 0;
    int machines = 1;
    OptionRules rules{
        {"num-processes", true, into_number(processes, 1, 1000000)},
        {"num-machines", true, into_number(machines, 1, 100000)},
        {"main-process-port", true, into_number(line.job.master_port, 0, 65535)},
        {"max-restarts", true, into_number(line.job.max_restarts, 0, 1000)},
        {"gpu-ids", true,
         [&](const std::string& value) { return value == "all" ? "" : take_gpus(value, line); }},
        {"debug", false, into_variable(line, "ACCELERATE_DEBUG_MODE")},
        {"cpu", false,
         [&](const std::string&) {
             line.job.backend = BackendChoice::Gloo;
             line.job.env["ACCELERATE_USE_CPU"] = "true";
             return std::string();
         }},
        {"mixed-precision", true, into_variable(line, "ACCELERATE_MIXED_PRECISION")},
        {"gradient-accumulation-steps", true, into_variable(line, "ACCELERATE_GRADIENT_ACCUMULATION_STEPS")},
        {"dynamo-backend", true, into_variable(line, "ACCELERATE_DYNAMO_BACKEND")},
        {"num-cpu-threads-per-process", true, into_variable(line, "OMP_NUM_THREADS")},
        {"m module", false, into_flag(style.module)},
        {"no-python", false, into_flag(style.no_python)},
    };
    add_environment_rules(words, at, rules, line);
    leave_out(rules, because::nodes_are_in_order(), {"machine-rank"});
    leave_out(rules, because::the_master_is_found(), {"main-process-ip"});
    leave_out(rules, because::a_run_has_its_own_rendezvous(), {"rdzv-backend", "rdzv-conf"});
    leave_out(rules, because::an_exit_is_seen(), {"monitor-interval"});
    leave_out(rules, because::there_is_one_role(), {"role"});
    leave_out(rules, because::logs_are_kept(), {"log-dir", "tee"});
    leave_out(rules, text(kContext, "is not read; give what it says as options"), {"config-file"});
    leave_out(rules, "", {}, {"multi-gpu", "same-network", "quiet q"});
    if (auto fine = read_options(LauncherTool::Accelerate, words, at, rules, line); !fine) {
        return fine;
    }
    if (processes % machines != 0) {
        return not_understood(
            LauncherTool::Accelerate,
            text(kContext, "%1 processes on %2 machines: accelerate wants the same number on each.",
                 {std::to_string(processes), std::to_string(machines)}),
            text(kContext, "Correct --num_processes (it counts all machines)."));
    }
    line.nodes = machines;
    line.job.procs_per_node = processes / machines;
    return take_program(LauncherTool::Accelerate, words, at, style, line);
}

}  // namespace rankscope::inline jobs::launch_lines
