// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <base/utf8.h>
#include <remote/desk/jobs/config/job_keys.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/jobs/launch_lines/script.h>
#include <remote/desk/jobs/launch_lines/shell_words.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <array>
#include <ranges>
#include <set>
#include <utility>

namespace rankscope::inline jobs {
namespace {

using launch_lines::Words;

constexpr const char* kContext = "LaunchLines";

constexpr std::array<std::pair<LauncherTool, const char*>, 8> kNames{
    {{LauncherTool::Torchrun, "torchrun"},
     {LauncherTool::TorchLaunch, "torch.distributed.launch"},
     {LauncherTool::Srun, "srun"},
     {LauncherTool::DeepSpeed, "deepspeed"},
     {LauncherTool::Accelerate, "accelerate"},
     {LauncherTool::Horovodrun, "horovodrun"},
     {LauncherTool::Mpirun, "mpirun"},
     {LauncherTool::Paddle, "paddle"}}};

std::string known_launchers() {
    return joined(kNames | std::views::values);
}

const NodeSpec* node_for(const std::string& host, const Inventory& inventory) {
    const std::string bare = host.substr(host.find('@') + 1);
    for (const auto& node : inventory.nodes) {
        if (node.name == bare || node.host == bare || node.address == bare) {
            return &node;
        }
    }
    return nullptr;
}

bool is_this_computer(const std::string& host) {
    return host == "localhost" || host == "127.0.0.1" || host == "::1" || host == kLocalNodeName;
}

Result<LaunchLines> write_lines(LauncherTool tool, const Job& job, const LaunchPlan& plan) {
    using namespace launch_lines;
    switch (tool) {
        case LauncherTool::Torchrun:
            return write_torchrun(job, plan);
        case LauncherTool::TorchLaunch:
            return write_torch_launch(job, plan);
        case LauncherTool::Srun:
            return write_srun(job, plan);
        case LauncherTool::DeepSpeed:
            return write_deepspeed(job, plan);
        case LauncherTool::Accelerate:
            return write_accelerate(job, plan);
        case LauncherTool::Horovodrun:
            return write_horovodrun(job, plan);
        case LauncherTool::Mpirun:
            return write_mpirun(job, plan);
        case LauncherTool::Paddle:
            return write_paddle(job, plan);
        case LauncherTool::Other:
        case LauncherTool::Program:
            break;
    }
    return LaunchLines{};
}

}  // namespace

const std::vector<LauncherTool>& all_launcher_tools() {
    static const std::vector<LauncherTool> all = [] {
        std::vector<LauncherTool> tools;
        for (const auto& [tool, name] : kNames) {
            tools.push_back(tool);
        }
        return tools;
    }();
    return all;
}

const char* to_string(LauncherTool tool) {
    if (tool == LauncherTool::Program) {
        return "program";
    }
    if (tool == LauncherTool::Other) {
        return "launcher";
    }
    const auto* found =
        std::find_if(kNames.begin(), kNames.end(), [tool](const auto& entry) { return entry.first == tool; });
    return found->second;
}

std::optional<LauncherTool> launcher_tool_from(const std::string& name) {
    const auto* found =
        std::find_if(kNames.begin(), kNames.end(), [&](const auto& entry) { return entry.second == name; });
    return found == kNames.end() ? std::nullopt : std::optional(found->first);
}

Result<LaunchLines> write_launch_lines(LauncherTool tool, const Job& job, const LaunchPlan& plan) {
    auto lines = write_lines(tool, job, plan);
    if (lines && job.container.wanted()) {
        const auto& container = job.container;
        lines->notes.push_back(
            container.name.empty()
                ? text(kContext, "The ranks run in containers of %1: type the lines within one on each node.",
                       {container.image})
                : text(kContext, "The ranks run in the container %1 of each node: type the lines within it.",
                       {container.name}));
    }
    return lines;
}

std::string to_text(const LaunchLines& lines) {
    std::string out;
    for (const auto& note : lines.notes) {
        out += "# " + note + '\n';
    }
    if (!lines.file_name.empty()) {
        out += "cat > " + lines.file_name + " <<'END'\n" + lines.file + "END\n";
    }
    for (const auto& line : lines.lines) {
        if (!line.node.empty()) {
            out += "# on " + line.node + '\n';
        }
        out += line.text + '\n';
    }
    return out;
}

std::string launch_lines::name_for(const Words& command) {
    for (std::size_t i = 0; i < command.size(); ++i) {
        const std::string name = base_name(command[i]);
        if (i == 0 && name.starts_with("python")) {
            continue;
        }
        if (!name.empty() && name[0] != '-') {
            return name.ends_with(".py") ? name.substr(0, name.size() - 3) : name;
        }
    }
    return "pasted";
}

Result<PastedLine> read_launch_line(const std::string& pasted) {
    if (first_bad_byte(pasted) != std::string::npos) {
        return Failure{"bad-command-line", "", text(kContext, "The text is not UTF-8."),
                       text(kContext, "Copy the command line as text."), ""};
    }
    const auto split = split_shell_text(pasted);
    if (!split.problem.empty()) {
        return Failure{"bad-command-line", "",
                       text(kContext, "The text cannot be split into words: %1.", {split.problem}),
                       text(kContext, "Copy the whole command line."), ""};
    }
    auto script = launch_lines::read_script(pasted, split.commands);
    if (!script) {
        return script.failure();
    }
    if (script->launchers.empty()) {
        if (!script->left_out.empty()) {
            return Failure{
                "bad-command-line", "",
                text(kContext, "Rankscope does not know the launcher \"%1\".", {script->left_out.front()}),
                text(kContext, "Known launchers: %1. Write any other program into command: as it is.",
                     {known_launchers()}),
                ""};
        }
        return Failure{"bad-command-line", "", text(kContext, "There is no launcher in the text."),
                       text(kContext, "Known launchers: %1.", {known_launchers()}), ""};
    }
    auto line = launch_lines::read_start(*script, launch_lines::starts_of(*script).front());
    if (line && line->job.name.empty()) {
        line->job.name = launch_lines::name_for(line->job.command);
    }
    return line;
}

bool can_be_one_node(const PastedLine& line) {
    std::set<int> seen;
    for (const auto& gpus : line.gpus_of_lines) {
        for (const int gpu : gpus) {
            if (!seen.insert(gpu).second) {
                return false;
            }
        }
        if (gpus.empty()) {
            return false;
        }
    }
    return line.gpus_of_lines.size() > 1 && static_cast<int>(line.gpus_of_lines.size()) == line.nodes;
}

Job submitted_job(const PastedLine& line, const std::string& launcher, const std::string& login) {
    Job job = line.job;
    constexpr int kPortOfC10d = 29400;  // torchrun's own
    job.master_port = job.master_port == kPortOfC10d ? 0 : job.master_port;
    choose_launcher(job, launcher);
    set_submit_node(job, login);
    set_node_count(job, std::max(line.nodes, line.hosts.empty() ? 1 : int(line.hosts.size())));
    const auto put = [&](const std::string& name, const nlohmann::json& value) {
        if (const auto* key = job_keys().find(launcher + '.' + name)) {
            config::ConfigProblems ignored;  // the job's own check reports what Slurm does not take
            key->read({config::from_json(value), key->info, key->info.path, true, ignored}, job);
        }
    };
    for (const auto& [name, value] : line.allocation) {
        put(name, value);
    }
    if (!line.allocation_extra.empty()) {
        put("extra", line.allocation_extra);
    }
    return job;
}

Result<Job> job_from(const PastedLine& line, const Inventory& inventory,
                     const std::vector<std::string>& chosen) {
    Job job = line.job;
    const auto too_many = [&](int have) {
        return Failure{
            "which-nodes", to_string(line.tool),
            text(kContext, "The line asks for %1 nodes, but does not name them, and %2 are chosen.",
                 {std::to_string(line.nodes), std::to_string(have)}),
            text(kContext, "Choose %1 nodes (rankscopectl: --nodes node1,node2).",
                 {std::to_string(line.nodes)}),
            ""};
    };
    const bool as_one = can_be_one_node(line) && chosen.size() == 1;
    if (!chosen.empty()) {
        if (!as_one && line.nodes > 0 && line.nodes != static_cast<int>(chosen.size())) {
            return too_many(static_cast<int>(chosen.size()));
        }
        job.nodes = chosen;
        // "-H a:2,b:2" of others: as many on each of these.
        const auto& slots = line.host_ranks;
        if (job.procs_per_node == 0 && slots.size() == chosen.size() &&
            std::all_of(slots.begin(), slots.end(),
                        [&](const auto& entry) { return entry.second == slots.begin()->second; })) {
            job.procs_per_node = slots.begin()->second;
        }
    } else if (!line.hosts.empty()) {
        std::map<std::string, std::vector<int>> devices;
        for (const auto& host : line.hosts) {
            const NodeSpec* node = node_for(host, inventory);
            if (node == nullptr && !is_this_computer(host)) {
                return Failure{"unknown-node", to_string(line.tool),
                               text(kContext, "The line's host %1 is not in the inventory.", {host}),
                               text(kContext, "Add it with `rankscopectl nodes add %1`.", {host}), ""};
            }
            const std::string name = node != nullptr ? node->name : kLocalNodeName;
            job.nodes.push_back(name);
            if (const auto slots = line.host_ranks.find(host); slots != line.host_ranks.end()) {
                job.procs_of_node[name] = slots->second;
            }
            if (const auto gpus = job.devices.find(host); gpus != job.devices.end()) {
                devices[name] = gpus->second;
            }
        }
        job.devices = std::move(devices);
    } else if (line.nodes == 1) {
        job.nodes = {kLocalNodeName};
    } else if (line.nodes == 0 || line.nodes == static_cast<int>(inventory.nodes.size())) {
        job.all_nodes = true;
    } else {
        return too_many(static_cast<int>(inventory.nodes.size()));
    }
    if (as_one) {
        job.procs_per_node *= line.nodes;
        for (const auto& gpus : line.gpus_of_lines) {
            auto& devices = job.devices[chosen.front()];
            devices.insert(devices.end(), gpus.begin(), gpus.end());
        }
    }
    for (std::size_t i = 0; !as_one && i < line.gpus_of_lines.size() && i < job.nodes.size(); ++i) {
        if (!line.gpus_of_lines[i].empty()) {
            job.devices.emplace(job.nodes[i], line.gpus_of_lines[i]);
        }
    }
    if (!line.gpus.empty()) {
        for (const auto& node : job.nodes) {
            job.devices.emplace(node, line.gpus);
        }
        if (job.all_nodes) {
            for (const auto& node : inventory.nodes) {
                job.devices.emplace(node.name, line.gpus);
            }
        }
    }
    // One number says it as well, where all nodes give the same.
    const bool same = !job.procs_of_node.empty() && job.procs_of_node.size() == job.nodes.size() &&
                      std::all_of(job.procs_of_node.begin(), job.procs_of_node.end(), [&](const auto& entry) {
                          return entry.second == job.procs_of_node.begin()->second;
                      });
    if (same) {
        job.procs_per_node = job.procs_of_node.begin()->second;
        job.procs_of_node.clear();
    }
    return job;
}

}  // namespace rankscope::inline jobs
