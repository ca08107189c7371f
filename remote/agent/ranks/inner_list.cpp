// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/text.h>
#include <remote/agent/ranks/inner_list.h>

#include <string>

namespace rankscope::agent {

std::filesystem::path inner_list_of(const RunDir& dir, int outer_rank) {
    return dir.rank_dir(outer_rank) / "inner";
}

void write_inner_list(const RunDir& dir, int outer_rank, const std::vector<InnerListEntry>& ranks) {
    std::string text;
    for (const auto& entry : ranks) {
        text += std::to_string(entry.rank) + ' ' + std::to_string(entry.pid) + ' ' +
                std::to_string(entry.start_ticks) + '\n';
    }
    write_file_atomically(inner_list_of(dir, outer_rank), text);
}

std::vector<InnerListEntry> read_inner_list(const RunDir& dir, int outer_rank) {
    std::vector<InnerListEntry> ranks;
    const auto text = read_file(inner_list_of(dir, outer_rank)).value_or("");
    for (const auto line : split(text, '\n')) {
        const auto words = split(line, ' ');
        if (words.size() != 3) {
            continue;
        }
        const auto rank = parse_number<int>(words[0]);
        const auto pid = parse_number<pid_t>(words[1]);
        const auto start = parse_number<std::uint64_t>(words[2]);
        if (rank && *rank >= 0 && pid && *pid > 0 && start) {
            ranks.push_back({*rank, *pid, *start});
        }
    }
    return ranks;
}

}  // namespace rankscope::agent
