// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/metrics_line.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/probes/proc_folder.h>
#include <remote/agent/probes/rank_processes.h>
#include <remote/agent/ranks/inner_list.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>

namespace rankscope::agent {
namespace {

constexpr std::size_t kMostProcesses = 65536;
constexpr std::size_t kLargestTree = 256;

pid_t pid_in(const std::filesystem::path& file) {
    const auto text = read_file(file).value_or(std::string());
    std::string_view rest = text;
    const auto number = number_of(next_word(rest));
    return number && *number <= 0x7fffffff ? static_cast<pid_t>(*number) : 0;
}

// Nodes that share a file system may have supervisors with the same number.
bool is_in_folder(pid_t pid, const std::filesystem::path& rank_dir) {
    const std::string pipe = std::string(kMetricsPipeVariable) + '=' + (rank_dir / "metrics").string();
    return ('\0' + environment_of(pid)).find('\0' + pipe + '\0') != std::string::npos;
}

void add_ranks_of(const RunDir& dir, int rank, pid_t pid, const ProcessTable& table,
                  std::map<int, RankRoot>& found) {
    const auto inner = read_inner_list(dir, rank);
    for (const auto& entry : inner) {
        const auto* process = table.find(entry.pid);
        if (process != nullptr && (entry.start_ticks == 0 || entry.start_ticks == process->start_ticks)) {
            found.insert_or_assign(entry.rank, RankRoot{entry.pid, rank});
        }
    }
    if (inner.empty()) {
        found.emplace(rank, RankRoot{pid, rank});
    }
}

bool has_ended(const ProcessStat& process) {
    return process.state == 'X' || (process.state == 'Z' && process.threads <= 1);
}

bool is_shell(const std::string& command) {
    static constexpr std::array<std::string_view, 9> kShells{"sh",  "bash", "dash", "zsh", "ksh",
                                                             "ash", "fish", "csh",  "tcsh"};
    return std::find(kShells.begin(), kShells.end(), command) != kShells.end();
}

}  // namespace

ProcessTable ProcessTable::read() {
    ProcessTable table;
    const ProcFolder proc("/proc");
    for (const pid_t pid : proc.numbers(kMostProcesses)) {
        if (auto stat = parse_process_stat(proc.read(std::to_string(pid) + "/stat"))) {
            table.children_.emplace(static_cast<pid_t>(stat->parent), pid);
            table.processes_.emplace(pid, std::move(*stat));
        }
    }
    return table;
}

const ProcessStat* ProcessTable::find(pid_t pid) const {
    const auto found = processes_.find(pid);
    return found == processes_.end() ? nullptr : &found->second;
}

std::vector<pid_t> ProcessTable::all() const {
    std::vector<pid_t> pids;
    for (const auto& [pid, process] : processes_) {
        pids.push_back(pid);
    }
    return pids;
}

std::vector<pid_t> ProcessTable::children_of(pid_t pid) const {
    std::vector<pid_t> children;
    const auto [begin, end] = children_.equal_range(pid);
    for (auto it = begin; it != end; ++it) {
        children.push_back(it->second);
    }
    return children;
}

std::vector<pid_t> ProcessTable::tree_of(pid_t root) const {
    std::vector<pid_t> tree{root};
    for (std::size_t i = 0; i < tree.size() && tree.size() < kLargestTree; ++i) {
        for (const pid_t child : children_of(tree[i])) {
            tree.push_back(child);
        }
    }
    return tree;
}

std::map<int, RankRoot> rank_processes(const RunDir& dir, bool shared, const ProcessTable& table) {
    std::map<int, RankRoot> found;
    const pid_t supervisor = pid_in(dir.supervisor_pid());
    if (supervisor <= 0 || table.find(supervisor) == nullptr) {
        return found;
    }
    std::error_code error;
    for (std::filesystem::directory_iterator entry(dir.dir, error), end; !error && entry != end;
         entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        constexpr std::string_view kPrefix = "rank-";
        const auto rank = name.starts_with(kPrefix) ? number_of(std::string_view(name).substr(kPrefix.size()))
                                                    : std::nullopt;
        if (!rank || *rank > 0xffffff) {
            continue;
        }
        const pid_t pid = pid_in(dir.rank_pid(static_cast<int>(*rank)));
        const auto* process = table.find(pid);
        if (process == nullptr) {
            continue;
        }
        // In a container it is another's child.
        const bool is_child = process->parent == supervisor;
        if ((is_child && !shared) || is_in_folder(pid, dir.rank_dir(static_cast<int>(*rank)))) {
            add_ranks_of(dir, static_cast<int>(*rank), pid, table, found);
        }
    }
    return found;
}

pid_t working_process(pid_t root, const ProcessTable& table, const std::function<bool(pid_t)>& connects,
                      const std::function<bool(pid_t)>& waits) {
    const auto tree = table.tree_of(root);
    if (tree.size() == 1) {
        return root;
    }
    const auto connected = std::find_if(tree.begin(), tree.end(), connects);
    if (connected != tree.end()) {
        return *connected;
    }
    pid_t works = root;
    for (std::size_t depth = 0; depth < tree.size(); ++depth) {
        const auto* process = table.find(works);
        auto children = table.children_of(works);
        std::erase_if(children, [&](pid_t child) { return has_ended(*table.find(child)); });
        if (process == nullptr || children.empty() || !(is_shell(process->command) || waits(works))) {
            break;
        }
        works = *std::max_element(children.begin(), children.end(), [&](pid_t left, pid_t right) {
            return table.find(left)->cpu_ticks < table.find(right)->cpu_ticks;
        });
    }
    return works;
}

}  // namespace rankscope::agent
