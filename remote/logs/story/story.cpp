// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/rules/literal_scan.h>
#include <remote/logs/story/story.h>

#include <re2/re2.h>

#include <algorithm>
#include <array>

namespace rankscope::logs {
namespace {

constexpr std::size_t kLongestText = 2000;
constexpr std::size_t kLongestField = 200;

Moment moment_of(const LogLine& line) {
    return {line.time, line.time_of_day_only};
}

KeptLine kept(const LogLine& line) {
    return {line.place, std::string(line.text.substr(0, kLongestText)), moment_of(line)};
}

const re2::RE2& field_of_summary() {
    static const re2::RE2 pattern(R"(^\s*(host|rank|exitcode)\s+: (-?[\w.-]+)(?: \(pid: (\d+)\))?)");
    return pattern;
}

// What else says how a process ended. Each has some of the groups host, rank, pid, code, signal.
struct ExitShape {
    const char* anchor;
    re2::RE2 pattern;
};

const std::array<ExitShape, 6>& exit_shapes() {
    static const std::array<ExitShape, 6> shapes{{
        {"failed (exitcode:",
         re2::RE2(R"(failed \(exitcode: (?P<code>-?\d+)\) local_rank: \d+ \(pid: (?P<pid>\d+)\))")},
        {"died from signal",
         re2::RE2(R"((?P<host>[\w.-]+): rank (?P<rank>\d+) died from signal (?P<signal>\d+))")},
        {"exited on signal",
         re2::RE2(
             R"(process rank (?P<rank>\d+) with PID (?P<pid>\d+) on node (?P<host>[\w.-]+) exited on signal (?P<signal>\d+))")},
        {"Exited with exit code",
         re2::RE2(
             R"(srun: error: (?P<host>[\w.-]+): tasks? (?P<rank>\d+): Exited with exit code (?P<code>\d+))")},
        {"Out Of Memory", re2::RE2(R"(srun: error: (?P<host>[\w.-]+): tasks? (?P<rank>\d+): Out Of Memory)")},
        {"Killing subprocess", re2::RE2(R"(launch\.py.*Killing subprocess (?P<pid>\d+))")},
    }};
    return shapes;
}

// Lines that say how a process ended, in the order of exit_shapes(), then those of a collective that timed out: one look
// at a line instead of one for each.
const LiteralScan& rare_words() {
    static const LiteralScan scan([] {
        std::vector<std::string> words;
        for (const auto& shape : exit_shapes()) {
            words.emplace_back(shape.anchor);
        }
        for (const std::string_view word : TimedOutWorks::kWords) {
            words.emplace_back(word);
        }
        return words;
    }());
    return scan;
}

// "  rank      : 1 (local_rank: 1)"
bool may_be_field_of_summary(std::string_view text) {
    if (text.size() >= kLongestField) {
        return false;
    }
    text = text.substr(std::min(text.find_first_not_of(" \t"), text.size()));
    return text.starts_with("host") || text.starts_with("rank") || text.starts_with("exitcode");
}

int number(const std::string& text) {
    int value = 0;
    return re2::RE2::FullMatch(text, R"((-?\d+))", &value) ? value : 0;
}

}  // namespace

std::size_t Story::process_of(const LogLine& line) {
    const auto same = [&](const Process& process) {
        return process.file == line.place.file && process.rank == line.rank && process.pid == line.pid &&
               process.host == line.host && process.part == line.part;
    };
    if (latest_ < processes_.size() && same(processes_[latest_])) {
        return latest_;
    }
    std::string key;
    key.append(line.host).append(1, '\n').append(line.part).append(1, '\n');
    key += std::to_string(line.rank) + ' ' + std::to_string(line.pid) + ' ' + std::to_string(line.place.file);
    const auto known = index_.find(key);
    if (known != index_.end()) {
        return latest_ = known->second;
    }
    if (processes_.size() >= kMost) {
        return latest_ = processes_.size() - 1;
    }
    latest_ = processes_.size();
    index_.emplace(std::move(key), latest_);
    Process process;
    process.file = line.place.file;
    process.part = line.part;
    process.host = line.host;
    process.view = line.view;
    process.rank = line.rank;
    process.pid = line.pid;
    process.begin = moment_of(line);
    processes_.push_back(std::move(process));
    return latest_;
}

void Story::take_exit(const LogLine& line) {
    const auto message = line.message;
    const bool may_be_field = may_be_field_of_summary(message);
    if (exits_.size() >= kMost || (!may_be_field && rare_.empty())) {
        return;
    }
    ProcessExit exit{.place = line.place,
                     .text = std::string(line.text.substr(0, kLongestText)),
                     .host = {},
                     .printed_on = std::string(line.origin()),
                     .moment = moment_of(line)};
    if (may_be_field) {
        std::string field;
        std::string value;
        std::string pid;
        if (re2::RE2::PartialMatch({message.data(), message.size()}, field_of_summary(), &field, &value,
                                   &pid)) {
            auto& summary = summaries_[line.place.file];
            if (field == "host") {
                summary.host = value;
            } else if (field == "rank") {
                summary.rank = number(value);
            } else {
                exit.host = summary.host;
                exit.rank = summary.rank;
                exit.code = number(value);
                exit.pid = number(pid);
                exits_.push_back(std::move(exit));
                summaries_.erase(line.place.file);
            }
            return;
        }
    }
    for (const std::uint32_t word : rare_) {
        if (word >= exit_shapes().size()) {
            break;
        }
        const auto& shape = exit_shapes()[word];
        std::array<re2::StringPiece, 6> groups;
        const auto& names = shape.pattern.NamedCapturingGroups();
        if (!shape.pattern.Match({line.text.data(), line.text.size()}, 0, line.text.size(),
                                 re2::RE2::UNANCHORED, groups.data(), static_cast<int>(groups.size()))) {
            continue;
        }
        const auto group = [&](const char* name) {
            const auto found = names.find(name);
            return found == names.end() ? std::string()
                                        : std::string(groups[static_cast<std::size_t>(found->second)]);
        };
        exit.host = group("host").empty() ? std::string(line.host) : group("host");
        exit.rank = group("rank").empty() ? line.rank : number(group("rank"));
        exit.pid = group("pid").empty() ? -1 : number(group("pid"));
        exit.code = group("signal").empty() ? number(group("code")) : -number(group("signal"));
        exits_.push_back(std::move(exit));
        return;
    }
}

void Story::take(ProcessExit exit) {
    if (exits_.size() < kMost) {
        exits_.push_back(std::move(exit));
    }
}

void Story::take_rendezvous(const LogLine& line) {
    if (line.origin().empty() || line.time_of_day_only || std::isnan(line.time) ||
        rendezvous_.size() >= kMost ||
        line.message.find("Rendezvous complete for workers") == std::string_view::npos) {
        return;
    }
    Rendezvous one{.host = std::string(line.origin()), .time = line.time};
    one.number = rendezvous_of_host_[one.host]++;
    rendezvous_.push_back(std::move(one));
}

std::size_t Story::take(const LogLine& line) {
    ++lines_;
    const std::size_t index = process_of(line);
    auto& process = processes_[index];
    ++process.lines;
    if (const auto moment = moment_of(line); moment.known()) {
        if (!process.begin.known()) {
            process.begin = moment;
        }
        process.end = moment;
    }
    if (line.level == LineLevel::Error) {
        ++process.errors;
        if (!process.first_error) {
            process.first_error = kept(line);
        }
    }
    if (line.text.find_first_not_of(" \t") != std::string_view::npos) {
        process.last.place = line.place;
        process.last.moment = moment_of(line);
        process.last.text.assign(line.text.substr(0, kLongestText));
    }
    if (line.speaker != Speaker::Nccl) {
        rare_.clear();
        rare_words().scan(line.text, rare_);
        take_exit(line);
        if (!rare_.empty() && rare_.back() >= exit_shapes().size()) {
            works_.take(line);
        }
        take_rendezvous(line);
        progress_.take(line);
        tracebacks_.take(line, index);
    }
    return index;
}

}  // namespace rankscope::logs
