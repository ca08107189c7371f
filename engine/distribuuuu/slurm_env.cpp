// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <engine/distribuuuu/slurm_env.h>
#include <engine/error.h>

#include <algorithm>
#include <vector>

namespace rankscope::engine::distribuuuu {
namespace {

std::string number(const Lookup& variable, const std::string& name) {
    const std::string text = variable(name).value_or("");
    if (text.empty() || text.size() >= 10 || !std::all_of(text.begin(), text.end(), is_digit)) {
        throw ConfigError(
            name + "=" + text + ": a whole number is expected. SLURM_JOB_ID is set, so the ranks are " +
            "taken from Slurm: start them with srun, or unset SLURM_JOB_ID and set RANK and WORLD_SIZE.");
    }
    return text;
}

/// "4(x2),3" and this node's place among the nodes → tasks on this node.
std::string tasks_here(const std::string& tasks_per_node, std::size_t node) {
    std::vector<std::string> counts;
    for (std::size_t at = 0; at < tasks_per_node.size();) {
        const std::size_t end = std::min(tasks_per_node.find(',', at), tasks_per_node.size());
        const std::string item = tasks_per_node.substr(at, end - at);
        const std::size_t times = item.find("(x");
        const std::size_t repeat =
            times == std::string::npos ? 1 : std::strtoul(item.c_str() + times + 2, nullptr, 10);
        for (std::size_t i = 0; i < repeat && counts.size() <= node; ++i) {
            counts.push_back(item.substr(0, times));
        }
        at = end + 1;
    }
    return node < counts.size() ? counts[node] : "1";
}

}  // namespace

std::string first_host(const std::string& node_list) {
    const std::size_t bracket = node_list.find('[');
    const std::size_t comma = node_list.find(',');
    if (bracket == std::string::npos || comma < bracket) {
        return node_list.substr(0, comma);
    }
    const std::size_t end = node_list.find_first_of("-,]", bracket);
    if (end == std::string::npos) {
        return node_list;
    }
    const std::size_t close = node_list.find(']', bracket);
    const std::size_t next = node_list.find(',', close);
    const std::string suffix =
        close == std::string::npos ? "" : node_list.substr(close + 1, next - close - 1);
    return node_list.substr(0, bracket) + node_list.substr(bracket + 1, end - bracket - 1) + suffix;
}

std::map<std::string, std::string> slurm_environment(const Lookup& variable) {
    if (!variable("SLURM_JOB_ID")) {
        return {};
    }
    std::map<std::string, std::string> found{{"RANK", number(variable, "SLURM_PROCID")},
                                             {"WORLD_SIZE", number(variable, "SLURM_NTASKS")},
                                             {"LOCAL_RANK", number(variable, "SLURM_LOCALID")}};
    const std::string node = variable("SLURM_NODEID").value_or("0");
    if (const auto tasks =
            variable("SLURM_STEP_TASKS_PER_NODE").value_or(variable("SLURM_TASKS_PER_NODE").value_or(""));
        !tasks.empty()) {
        found["LOCAL_WORLD_SIZE"] = tasks_here(tasks, std::strtoul(node.c_str(), nullptr, 10));
    }
    const std::string hosts =
        variable("SLURM_STEP_NODELIST").value_or(variable("SLURM_NODELIST").value_or(""));
    if (hosts.empty() && !variable("MASTER_ADDR")) {
        throw ConfigError("SLURM_NODELIST is not set: set MASTER_ADDR to rank 0's host");
    }
    found["MASTER_ADDR"] = first_host(hosts);
    found["MASTER_PORT"] = "29566";
    for (auto entry = found.begin(); entry != found.end();) {
        const bool theirs = entry->first.starts_with("MASTER_") || entry->first == "LOCAL_WORLD_SIZE";
        entry = theirs && variable(entry->first) ? found.erase(entry) : std::next(entry);
    }
    return found;
}

}  // namespace rankscope::engine::distribuuuu
