// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/import/rank_numbers.h>
#include <remote/logs/grammar/source_name.h>

#include <algorithm>
#include <vector>

namespace rankscope::inline archive {
namespace {

// The same for all files of one process: torchrun gives each a folder with its stdout and stderr, one for each attempt.
std::string process_name(const std::string& source, int local_rank) {
    std::string name = source;
    if (logs::facts_of_name(source).local_rank >= 0) {
        name.resize(std::min(name.rfind('/'), name.size()));
        if (const auto attempt = name.find("/attempt_"); attempt != std::string::npos) {
            name.erase(attempt, name.find('/', attempt + 1) - attempt);
        }
    }
    return name + '\n' + std::to_string(local_rank);
}

}  // namespace

void RankNumbers::note(const logs::LogLine& line) {
    Seen& seen = seen_[{line.place.file, line.local_rank}];
    if (seen.host.empty()) {
        seen.host = line.host;
    }
    if (line.rank < 0) {
        return;
    }
    seen.several = seen.several || (seen.rank >= 0 && seen.rank != line.rank);
    seen.rank = line.rank;
    auto& host = named_[line.rank];
    if (host.empty()) {
        host = line.host;
    }
}

void RankNumbers::number(const logs::SourceList& list) {
    std::map<std::string, int> of_process;
    const auto name_of = [&](const Process& process) {
        const bool known = process.first < list.sources.size();
        return process_name(known ? list.sources[process.first].name : std::string(), process.second);
    };
    for (const auto& [process, seen] : seen_) {
        if (process.second >= 0 && seen.rank >= 0 && !seen.several) {
            of_process.emplace(name_of(process), seen.rank);
        }
    }
    int next = 0;
    for (auto& [process, seen] : seen_) {
        if (process.second < 0) {
            seen.rank = seen.several ? 0 : std::max(seen.rank, 0);
        } else {
            const auto [entry, fresh] = of_process.emplace(name_of(process), -1);
            if (fresh) {
                while (named_.contains(next)) {
                    ++next;
                }
                entry->second = next++;
            }
            seen.rank = entry->second;
        }
        auto& host = named_[seen.rank];
        if (host.empty()) {
            host = seen.host;
        }
    }
}

int RankNumbers::of(const logs::LogLine& line) const {
    if (line.rank >= 0) {
        return line.rank;
    }
    const auto seen = seen_.find({line.place.file, line.local_rank});
    return seen == seen_.end() ? 0 : seen->second.rank;
}

ForeignRun::Ranks RankNumbers::ranks() const {
    return named_;
}

}  // namespace rankscope::inline archive
