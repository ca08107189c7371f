// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/nccl_inspector/inspector_intake.h>
#include <remote/observe/nccl_inspector/inspector_lines.h>

#include <set>

namespace rankscope {
namespace {

constexpr std::size_t kMostProcesses = 65536;

}  // namespace

bool InspectorIntake::take(std::string_view text, int rank) {
    const auto line = read_inspector_line(text);
    if (!line) {
        return false;
    }
    const auto key = std::pair(line->host, line->pid);
    auto process = processes_.find(key);
    if (process == processes_.end()) {
        if (processes_.size() == kMostProcesses) {
            return true;
        }
        process = processes_.emplace(key, Process{.number = static_cast<int>(processes_.size())}).first;
    }
    ++lines_;
    Process& of = process->second;
    if (rank >= 0) {
        of.rank = rank;
        of.given = true;
    } else if (!of.given && line->communicator.ranks > of.ranks) {
        of.rank = line->communicator.rank;
        of.ranks = line->communicator.ranks;
    }
    stats_.take(of.number, line->communicator, line->operation);
    return true;
}

CollectiveReport InspectorIntake::report() {
    CollectiveReport report = stats_.report();
    std::map<int, int> names;
    std::set<int> ranks;
    bool unique = true;
    for (const auto& [key, process] : processes_) {
        names[process.number] = process.rank;
        unique = unique && process.rank >= 0 && ranks.insert(process.rank).second;
    }
    if (unique) {
        rename_ranks(report, names);
    }
    return report;
}

}  // namespace rankscope
