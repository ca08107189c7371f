// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/cleanup/live_runs.h>
#include <remote/agent/node/process_tree.h>
#include <remote/agent/supervise/supervisor.h>

#include <algorithm>
#include <utility>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kProgram = "rankscope-agent";
constexpr std::string_view kNodeFolder = "node-";
constexpr int kDeepest = 256;  // a chain of parents that is read while it changes has an end

std::vector<std::string_view> words_of(std::string_view cmdline) {
    std::vector<std::string_view> words;
    while (!cmdline.empty()) {
        const auto end = cmdline.find('\0');
        words.push_back(cmdline.substr(0, end));
        cmdline.remove_prefix(end == std::string_view::npos ? cmdline.size() : end + 1);
    }
    return words;
}

bool is_node_folder(const std::string& name) {
    return name.size() > kNodeFolder.size() && name.starts_with(kNodeFolder) &&
           std::all_of(name.begin() + kNodeFolder.size(), name.end(), is_digit);
}

}  // namespace

std::optional<fs::path> supervised_folder(std::string_view cmdline) {
    const auto words = words_of(cmdline);
    if (words.size() < 3 || (words[1] != "supervise" && words[1] != "slurm-supervise") || words[2].empty()) {
        return std::nullopt;
    }
    const auto slash = words[0].rfind('/');
    const auto name = slash == std::string_view::npos ? words[0] : words[0].substr(slash + 1);
    return name.starts_with(kProgram) ? std::optional(fs::path(words[2])) : std::nullopt;
}

std::string run_of_folder(const fs::path& folder) {
    const fs::path whole = folder.has_filename() ? folder : folder.parent_path();
    const std::string name = whole.filename().string();
    return as_utf8(is_node_folder(name) ? whole.parent_path().filename().string() : name);
}

LiveRuns LiveRuns::now() {
    LiveRuns live;
    for (const pid_t pid : all_processes()) {
        const auto cmdline = read_file("/proc/" + std::to_string(pid) + "/cmdline");
        const auto folder = cmdline ? supervised_folder(*cmdline) : std::nullopt;
        if (folder && is_own(pid) && !is_zombie(pid)) {
            live.by_pid_[pid] = live.all_.size();
            live.all_.push_back({pid, run_of_folder(*folder), RunDir{*folder}, started_at(pid)});
        }
    }
    return live;
}

const LiveSupervisor* LiveRuns::find(const std::string& run_id) const {
    const auto found = std::find_if(all_.begin(), all_.end(),
                                    [&](const LiveSupervisor& entry) { return entry.run_id == run_id; });
    return found == all_.end() || run_id.empty() ? nullptr : &*found;
}

// A supervisor is a child subreaper: nothing that a rank starts leaves the tree below it.
const LiveSupervisor* LiveRuns::above(pid_t pid) const {
    for (int level = 0; level < kDeepest && pid > 1; ++level, pid = parent_of(pid)) {
        if (const auto found = by_pid_.find(pid); found != by_pid_.end()) {
            return &all_[found->second];
        }
    }
    return nullptr;
}

RunOfProcess run_of_process(const NodePaths& paths, const LiveRuns& live, pid_t pid) {
    if (const LiveSupervisor* supervisor = live.above(pid)) {
        return {supervisor->run_id, true};
    }
    RunOfProcess of{run_of(pid), false};
    if (!of.run_id.empty()) {
        const RunDir own{paths.run(of.run_id)};
        of.live = live.find(of.run_id) != nullptr ||
                  (is_safe_name(of.run_id) && fs::exists(own.dir) && supervisor_is_alive(own));
    }
    return of;
}

bool is_elsewhere(const NodePaths& paths, const RunDir& dir) {
    std::error_code ignored;
    const fs::path own = fs::weakly_canonical(paths.runs(), ignored);
    const fs::path folder = fs::weakly_canonical(dir.dir, ignored);
    return std::mismatch(own.begin(), own.end(), folder.begin(), folder.end()).first != own.end();
}

std::optional<RunDir> find_run(const NodePaths& paths, const std::string& run_id) {
    if (!is_safe_name(run_id)) {
        return std::nullopt;
    }
    std::error_code ignored;
    if (const RunDir own{paths.run(run_id)}; fs::exists(own.spec(), ignored)) {
        return own;
    }
    const LiveRuns live = LiveRuns::now();
    const LiveSupervisor* elsewhere = live.find(run_id);
    return elsewhere != nullptr ? std::optional(elsewhere->dir) : std::nullopt;
}

}  // namespace rankscope::agent
