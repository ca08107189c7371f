// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_quote.h>
#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/jobs/plan/framework_environment.h>
#include <remote/desk/jobs/plan/local_rank_argument.h>
#include <remote/desk/jobs/plan/nccl_plugin.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <set>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";
constexpr int kUsualPort = 29500;

// What every launcher sets by itself, or what names one rank.
bool is_the_launchers(const std::string& name, const std::string& value) {
    static const std::set<std::string> names{"RANK",
                                             "LOCAL_RANK",
                                             "WORLD_SIZE",
                                             "LOCAL_WORLD_SIZE",
                                             "GROUP_RANK",
                                             "GROUP_WORLD_SIZE",
                                             "ROLE_RANK",
                                             "ROLE_NAME",
                                             "ROLE_WORLD_SIZE",
                                             "MASTER_ADDR",
                                             "MASTER_PORT",
                                             "TORCH_NCCL_ASYNC_ERROR_HANDLING"};
    return names.count(name) != 0 || name.starts_with("TORCHELASTIC_") || is_framework_variable(name) ||
           (name == "OMP_NUM_THREADS" && value == "1");
}

bool is_plain_python(const std::string& word) {
    const auto name = word.substr(word.rfind('/') + 1);
    return name.starts_with("python") && name.find_first_not_of("python3.0123456789") == std::string::npos;
}

}  // namespace

std::map<std::string, std::string> own_environment(const LaunchPlan& plan, const std::string& node,
                                                   std::vector<std::string>& notes) {
    std::map<std::string, std::string> common;
    std::set<std::string> differing;
    bool first = true;
    for (const auto& rank : plan.ranks) {
        if (!node.empty() && rank.node != node) {
            continue;
        }
        const auto env = environment_without_nccl_plugin(rank);
        for (const auto& [name, value] : env) {
            const auto known = common.find(name);
            if (is_the_launchers(name, value)) {
                continue;
            }
            if (first) {
                common[name] = value;
            } else if (known == common.end() || known->second != value) {
                differing.insert(name);
            }
        }
        for (const auto& [name, value] : common) {
            if (env.count(name) == 0) {
                differing.insert(name);
            }
        }
        first = false;
    }
    for (const auto& name : differing) {
        common.erase(name);
        const auto note = text(kContext, "%1 differs from rank to rank; this line cannot say that.", {name});
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) {
            notes.push_back(note);
        }
    }
    return common;
}

std::string assignments(const std::map<std::string, std::string>& environment) {
    std::string front;
    for (const auto& [name, value] : environment) {
        front += shell_assignment(name, value) + ' ';
    }
    return front;
}

Words common_command(const Job& job, std::vector<std::string>& notes, std::string* local_rank_flag) {
    if (job.train) {
        notes.push_back(text(kContext, "train.json is the job's train section as JSON."));
        return {"rankscope-worker", "--config", "train.json"};
    }
    Words words = job.command;
    add_local_rank(words, job.own.local_rank_argument);
    Words command;
    for (const auto& word : words) {
        if (local_rank_flag != nullptr &&
            (word == "--local-rank={local_rank}" || word == "--local_rank={local_rank}")) {
            *local_rank_flag = word.substr(0, word.find('='));
            continue;
        }
        for (const char* placeholder : {"{rank}", "{local_rank}", "{node_rank}", "{node}", "{address}"}) {
            if (word.find(placeholder) != std::string::npos) {
                notes.push_back(
                    text(kContext, "%1 differs from rank to rank; this line cannot say that.", {word}));
            }
        }
        command.push_back(word);
    }
    return command;
}

ProgramWords program_of(const Words& command, const char* module_flag, const char* no_python_flag) {
    ProgramWords program;
    std::size_t at = 0;
    if (!command.empty() && is_plain_python(command[0])) {
        program.python = command[0];
        at = command.size() > 1 && command[1] == "-u" ? 2 : 1;
        if (at + 1 < command.size() && command[at] == "-m") {
            program.flags.emplace_back(module_flag);
            ++at;
        } else if (at >= command.size() || command[at].starts_with('-')) {
            program.python.clear();  // python -c …: more than these launchers start themselves
        }
    }
    if (program.python.empty()) {
        program.python = "python3";
        program.flags.emplace_back(no_python_flag);
        at = 0;
    }
    program.words.assign(command.begin() + static_cast<std::ptrdiff_t>(at), command.end());
    return program;
}

Words wrapped_command(const Job& job, const LaunchPlan& plan, std::vector<std::string>& notes,
                      const std::string& rank, const std::string& local_rank, const std::string& world_size,
                      const std::string& local_world_size) {
    std::string script = "export RANK=" + rank + " LOCAL_RANK=" + local_rank + " WORLD_SIZE=" + world_size;
    if (!local_world_size.empty()) {
        script += " LOCAL_WORLD_SIZE=" + local_world_size;
    }
    script += " MASTER_ADDR=" + sh_quote(plan.master_addr) +
              " MASTER_PORT=" + std::to_string(port_of(plan, notes)) + "; exec \"$@\"";
    Words words{"sh", "-c", script, "sh"};
    const Words command = common_command(job, notes);
    words.insert(words.end(), command.begin(), command.end());
    return words;
}

void append(Words& words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
}

std::string line_of(const std::map<std::string, std::string>& environment, const Words& words) {
    std::string line = assignments(environment);
    for (const auto& word : words) {
        line += shell_quote(word) + ' ';
    }
    line.pop_back();
    return line;
}

int port_of(const LaunchPlan& plan, std::vector<std::string>& notes) {
    if (plan.master_port != 0) {
        return plan.master_port;
    }
    notes.push_back(text(kContext, "master_port: 0 lets Rankscope find a free port; here it is %1.",
                         {std::to_string(kUsualPort)}));
    return kUsualPort;
}

std::optional<int> uniform_ranks(const LaunchPlan& plan) {
    for (const auto& node : plan.nodes) {
        if (node.local_world_size != plan.nodes.front().local_world_size) {
            return std::nullopt;
        }
    }
    return plan.nodes.empty() ? std::nullopt : std::optional(plan.nodes.front().local_world_size);
}

std::string hosts_with_slots(const LaunchPlan& plan) {
    std::string hosts;
    for (const auto& node : plan.nodes) {
        hosts += (hosts.empty() ? "" : ",") + node.address + ':' + std::to_string(node.local_world_size);
    }
    return hosts;
}

}  // namespace rankscope::inline jobs::launch_lines
