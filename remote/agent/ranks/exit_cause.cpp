// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/metrics_line.h>
#include <base/text.h>
#include <remote/agent/ranks/exit_cause.h>

#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kTraceback = "Traceback (most recent call last):";

// "0::/user.slice/…" is the one line of cgroup v2; "4:memory:/…" that of v1's memory controller. Both files
// hold a line "oom_kill N".
std::string oom_count_file(const std::string& process) {
    std::istringstream lines(read_file("/proc/" + process + "/cgroup").value_or(std::string()));
    std::string v2;
    for (std::string line; std::getline(lines, line);) {
        const auto path = line.find(':', line.find(':') + 1);
        if (path == std::string::npos) {
            continue;
        }
        if (line.find(":memory:") != std::string::npos) {
            return "/sys/fs/cgroup/memory" + line.substr(path + 1) + "/memory.oom_control";
        }
        if (line.starts_with("0::")) {
            v2 = "/sys/fs/cgroup" + line.substr(path + 1) + "/memory.events";
        }
    }
    return v2;
}

// As a number of its own, not as a part of a longer one.
bool has_number(std::string_view text, std::string_view number) {
    for (auto at = text.find(number); at != std::string_view::npos; at = text.find(number, at + 1)) {
        const auto end = at + number.size();
        if ((at == 0 || !is_digit(text[at - 1])) && (end == text.size() || !is_digit(text[end]))) {
            return true;
        }
    }
    return false;
}

// What cannot be known any more becomes "*".
std::string expand(const std::string& pattern, const CoreFacts& facts) {
    std::string out;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
        if (pattern[i] != '%' || i + 1 == pattern.size()) {
            out += pattern[i];
            continue;
        }
        switch (pattern[++i]) {
            case '%':
                out += '%';
                break;
            case 'p':
                out += std::to_string(facts.pid);
                break;
            case 's':
                out += std::to_string(facts.signal);
                break;
            case 'u':
                out += std::to_string(facts.uid);
                break;
            case 'e':
                out += facts.program.substr(0, 15) + '*';
                break;
            default:
                out += '*';
        }
    }
    return out;
}

}  // namespace

std::optional<std::uint64_t> oom_kills_in(std::string_view memory_events) {
    std::istringstream fields{std::string(memory_events)};
    std::string key;
    std::uint64_t value = 0;
    while (fields >> key >> value) {
        if (key == "oom_kill") {
            return value;
        }
    }
    return std::nullopt;
}

OomWatch::OomWatch(const fs::path& kernel_log) : log_(kernel_log) {
    add_cgroup("self");
}

void OomWatch::watch_cgroup_of(pid_t pid) {
    add_cgroup(std::to_string(pid));
}

void OomWatch::add_cgroup(const std::string& process) {
    const std::string file = oom_count_file(process);
    const bool known = std::any_of(counts_.begin(), counts_.end(),
                                   [&file](const Count& count) { return count.file == file; });
    if (!file.empty() && !known) {
        counts_.push_back({file, read_count(file)});
    }
}

std::optional<std::uint64_t> OomWatch::read_count(const std::string& file) {
    const auto text = read_file(file);
    return text ? oom_kills_in(*text) : std::nullopt;
}

std::string OomWatch::evidence(pid_t pid, std::string_view names) {
    constexpr std::size_t kMostKilled = 4096;
    log_.read([this](std::string_view record) {
        if (const auto killed = read_oom_kill(record); killed && killed_.size() < kMostKilled) {
            killed_.insert(*killed);
        }
    });
    for (auto& count : counts_) {
        const auto now = read_count(count.file);
        if (now && count.before && *now > *count.before) {
            count.before = now;
            return "cgroup";
        }
    }
    const bool named = std::any_of(killed_.begin(), killed_.end(), [&](pid_t killed) {
        return killed == pid || has_number(names, std::to_string(killed));
    });
    return named ? "kernel log" : "";
}

std::string find_core(std::string pattern, const CoreFacts& facts) {
    while (!pattern.empty() && std::isspace(static_cast<unsigned char>(pattern.back())) != 0) {
        pattern.pop_back();
    }
    if (pattern.starts_with('|')) {
        return pattern.substr(0, pattern.find(' '));
    }
    if (pattern.empty()) {
        return {};
    }
    const fs::path wanted = facts.workdir / expand(pattern, facts);  // an absolute pattern replaces workdir
    const std::string name = wanted.filename().string();
    // core_uses_pid puts ".PID" behind a pattern without %p.
    const std::string with_pid = name + '.' + std::to_string(facts.pid);
    fs::path newest;
    fs::file_time_type newest_time;
    std::error_code error;
    for (fs::directory_iterator it(wanted.parent_path(), error), end; !error && it != end;
         it.increment(error)) {
        const std::string entry = it->path().filename().string();
        if (::fnmatch(name.c_str(), entry.c_str(), 0) != 0 &&
            ::fnmatch(with_pid.c_str(), entry.c_str(), 0) != 0) {
            continue;
        }
        std::error_code ignored;
        const auto time = fs::last_write_time(it->path(), ignored);
        if (newest.empty() || time > newest_time) {
            newest = it->path();
            newest_time = time;
        }
    }
    return newest.string();
}

std::string find_core(const CoreFacts& facts) {
    return find_core(read_file("/proc/sys/kernel/core_pattern").value_or(std::string()), facts);
}

bool lost_its_peers(const wire::Exit& exit) {
    if (exit.code() == kExitPeerLost || exit.has_missing_rank()) {
        return true;
    }
    if (exit.reason().starts_with("rankscope-worker:")) {
        return false;  // the native engine says so itself
    }
    // What torch.distributed, Gloo and NCCL write. Only the end of the traceback or of the output counts.
    const auto& lines = exit.traceback_size() > 0 ? exit.traceback() : exit.last_lines();
    std::string text = exit.reason();
    for (int i = std::max(0, lines.size() - 6); i < lines.size(); ++i) {
        text += '\n' + lines[i];
    }
    text = lower_case(text);
    constexpr std::array kSigns{
        "timed out",   "timeout",       "connection closed by peer", "connection reset",
        "broken pipe", "socket closed", "remote process exited"};
    return std::any_of(kSigns.begin(), kSigns.end(),
                       [&text](const char* sign) { return text.find(sign) != std::string::npos; });
}

bool TracebackReader::feed(std::string_view text) {
    bool ended = false;
    while (!text.empty()) {
        const auto end = text.find('\n');
        if (partial_.size() < kLineLength) {
            partial_ += text.substr(0, std::min(end, kLineLength - partial_.size()));
        }
        if (end == std::string_view::npos) {
            break;
        }
        ended = take(partial_) || ended;
        partial_.clear();
        text.remove_prefix(end + 1);
    }
    return ended;
}

bool TracebackReader::take(std::string_view line) {
    if (line.starts_with("[rank") && line.find("]: ") != std::string_view::npos) {
        line.remove_prefix(line.find("]: ") + 3);
    }
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    if (line.ends_with(kTraceback)) {
        inside_ = true;
        current_.clear();
    }
    if (!inside_) {
        return false;
    }
    const bool exception = !line.ends_with(kTraceback) && !line.empty() && line[0] != ' ';
    if (current_.size() >= kLines) {
        current_.erase(current_.begin() + 1);  // the deepest calls say most
    }
    current_.emplace_back(line);
    if (exception) {
        last_ = std::move(current_);
        current_.clear();
        inside_ = false;
    }
    return exception;
}

}  // namespace rankscope::agent
