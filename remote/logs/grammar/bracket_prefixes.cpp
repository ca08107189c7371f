// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/grammar/prefix_parts.h>
#include <remote/logs/grammar/prefixes.h>
#include <remote/logs/grammar/scan.h>

#include <cmath>
#include <cstdint>
#include <string>

namespace rankscope::logs {
namespace {

/// "] host…", "]: text": what ends a bracket.
void end_bracket(std::string_view& rest) {
    take(rest, ":");
    take(rest, " ");
}

/// "[rank3]:", "[default0]:", "[trainer1|5]:".
bool take_role_bracket(std::string_view& rest, LogLine& line) {
    std::size_t i = 1;
    while (i < rest.size() && (is_letter(rest[i]) || rest[i] == '_' || rest[i] == '-')) {
        ++i;
    }
    const auto word = rest.substr(1, i - 1);
    auto after = rest.substr(i);
    if (word == "Rank" || word == "rank") {
        take(after, " ");
    }
    const auto number = word.empty() ? std::nullopt : take_int(after);
    if (!number) {
        return false;
    }
    std::optional<int> global;
    if (take(after, "|")) {
        global = take_int(after);
    }
    if (!take(after, "]:")) {
        return false;
    }
    if (word == "rank" || word == "Rank") {
        line.rank = *number;
    } else {
        line.local_rank = *number;
        line.rank = global.value_or(line.rank);
    }
    take(after, " ");
    rest = after;
    return true;
}

/// "[rank: 3] " of Lightning.
bool take_spaced_rank(std::string_view& rest, LogLine& line) {
    auto after = rest;
    if (!take(after, "[rank: ")) {
        return false;
    }
    const auto rank = take_int(after);
    if (!rank || !take(after, "] ")) {
        return false;
    }
    line.rank = *rank;
    rest = after;
    return true;
}

/// "[node-a:4711] ", "[node-a:4711:0] " of Open MPI and UCX. A file and its line are written alike.
bool take_process_bracket(std::string_view& rest, LogLine& line) {
    std::size_t i = 1;
    while (i < rest.size() && is_host_char(rest[i])) {
        ++i;
    }
    const auto host = rest.substr(1, i - 1);
    auto after = rest.substr(i);
    if (host.size() < 2 || !is_letter(host[0]) || !take(after, ":")) {
        return false;
    }
    for (const std::string_view end : {".py", ".c", ".cc", ".cpp", ".cu", ".h", ".hpp", ".rs", ".go"}) {
        if (host.ends_with(end)) {
            return false;
        }
    }
    const auto pid = take_number<std::int64_t>(after);
    if (!pid) {
        return false;
    }
    take(after, " ");  // "[node-a:4711 :0:4712]" of older UCX
    if (take(after, ":")) {
        take_int(after);
        if (take(after, ":")) {  // "[node-a:4711:0:4712] Caught signal 11"
            take_int(after);
        }
    }
    if (!take(after, "] ")) {
        return false;
    }
    line.host = host;
    line.pid = *pid;
    skip_spaces(after);
    rest = after;
    return true;
}

/// "[1,3]<stderr>:", "[prterun-node1-77@1,3]<stdout>: ".
bool take_mpi_bracket(std::string_view& rest, LogLine& line) {
    const auto end = rest.substr(0, 120).find("]<std");
    if (end == std::string_view::npos) {
        return false;
    }
    auto inside = rest.substr(1, end - 1);
    inside.remove_prefix(inside.find('@') == std::string_view::npos ? 0 : inside.find('@') + 1);
    const auto job = take_int(inside);
    const bool comma = take(inside, ",");
    const auto rank = take_int(inside);
    const auto colon = rest.find(">:", end);
    if (!job || !comma || !rank || !inside.empty() || colon == std::string_view::npos || colon > end + 12) {
        return false;
    }
    line.rank = *rank;
    rest.remove_prefix(colon + 2);
    take(rest, " ");
    return true;
}

/// "[pod/worker-0/pytorch] " of kubectl logs --prefix.
bool take_pod_bracket(std::string_view& rest, LogLine& line) {
    if (!rest.starts_with("[pod/")) {
        return false;
    }
    const auto end = rest.find(']');
    const auto name_end = rest.find_first_of("/]", 5);
    if (end == std::string_view::npos || name_end == 5) {
        return false;
    }
    line.host = rest.substr(5, name_end - 5);
    rest.remove_prefix(end + 1);
    take(rest, " ");
    return true;
}

/// A level in its bracket, after a time: "[INFO] ", "[    INFO] ", and DeepSpeed's "[launch.py:325:sigkill_handler] ".
bool take_level_bracket(std::string_view& rest, LogLine& line) {
    const auto end = rest.find(']');
    if (end == std::string_view::npos || end > 100) {
        return false;
    }
    auto inside = rest.substr(1, end - 1);
    skip_spaces(inside);
    while (inside.ends_with(' ')) {
        inside.remove_suffix(1);
    }
    const auto level = level_of(inside);
    const bool place = !level && !std::isnan(line.time) && line.source.empty() &&
                       inside.find(".py:") != std::string_view::npos &&
                       inside.find(' ') == std::string_view::npos;
    if (!level && !place) {
        return false;
    }
    if (level) {
        line.level = *level;
    } else {
        const auto number = inside.find(':');
        line.source = inside.substr(0, std::min(inside.find(':', number + 1), inside.size()));
        if (line.source.starts_with("launch.py:") || line.source.starts_with("runner.py:") ||
            line.source.starts_with("multinode_runner.py:")) {
            line.speaker = Speaker::Launcher;
        }
    }
    rest.remove_prefix(end + 1);
    end_bracket(rest);
    return true;
}

/// "[2026-11-20 18:35:02] ", "[1795192288.724679] ", "[Fri Nov 20 18:35:02 2026] ", "[ 1234.567890] " of the kernel.
bool take_time_bracket(std::string_view& rest, LogLine& line, FileDate date) {
    auto after = rest.substr(1);
    auto stamp = take_iso_time(after);
    if (!stamp) {
        stamp = take_unix_time(after);
    }
    bool kernel = false;
    if (!stamp) {
        stamp = take_month_name_time(after, date);
        kernel = stamp.has_value();
    }
    if (!stamp) {
        stamp = take_clock_time(after);
    }
    if (stamp) {
        if (!take(after, "]")) {
            return false;
        }
        set_time(line, *stamp);
        line.speaker = kernel ? Speaker::Kernel : line.speaker;
    } else {
        skip_spaces(after);
        const auto seconds = take_number<std::int64_t>(after, 9);
        if (!seconds || after.size() < 8 || after[0] != '.' || after[7] != ']' ||
            after.substr(1, 6).find_first_not_of("0123456789") != std::string_view::npos) {
            return false;
        }
        after.remove_prefix(8);
        line.speaker = Speaker::Kernel;  // seconds since its start: no time that others have, too
    }
    end_bracket(after);
    rest = after;
    return true;
}

/// "[2024-01-01 10:00:00,000 E 11 12] " of Ray's own processes: level, process, thread.
bool take_ray_bracket(std::string_view& rest, LogLine& line) {
    auto after = rest.substr(1);
    const auto stamp = take_iso_time(after);
    if (!stamp || after.size() < 6 || after[0] != ' ' || after[2] != ' ') {
        return false;
    }
    const auto level = level_of_letter(after[1]);
    after.remove_prefix(3);
    const auto pid = take_number<std::int64_t>(after);
    const auto tid = pid && take(after, " ") ? take_number<std::int64_t>(after) : std::nullopt;
    if (!level || !tid || !take(after, "]")) {
        return false;
    }
    set_time(line, *stamp);
    line.level = *level;
    line.pid = line.pid < 0 ? *pid : line.pid;
    end_bracket(after);
    rest = after;
    return true;
}

/// "[W1120 18:35:02.265149503 socket.cpp:460] ", "[E ProcessGroupNCCL.cpp:828] ".
bool take_glog_bracket(std::string_view& rest, LogLine& line, FileDate date) {
    if (rest.size() < 6) {
        return false;
    }
    const auto level = level_of_letter(rest[1]);
    if (!level || (rest[2] != ' ' && !is_digit(rest[2]))) {
        return false;
    }
    auto after = rest.substr(2);
    std::optional<TimeStamp> stamp;
    if (is_digit(after[0])) {
        // "[E810 03:04:11.06 …]": older PyTorch writes the month without its zero.
        std::string padded;
        std::string_view digits = after;
        if (after.size() > 4 && after[3] == ' ') {
            padded.append("0").append(after.substr(0, 40));
            digits = padded;
        }
        const auto before = digits.size();
        stamp = take_glog_time(digits, date);
        if (!stamp) {
            return false;
        }
        after.remove_prefix(before - digits.size() - (padded.empty() ? 0 : 1));
    }
    if (!take_glog_place(after, line)) {
        return false;
    }
    if (stamp) {
        set_time(line, *stamp);
    }
    line.level = *level;
    rest = after;
    return true;
}

}  // namespace

bool take_bracket(std::string_view& rest, LogLine& line, FileDate date) {
    if (rest.size() < 4) {
        return false;
    }
    if (take_glog_bracket(rest, line, date) || take_role_bracket(rest, line) ||
        take_spaced_rank(rest, line) || take_mpi_bracket(rest, line) || take_process_bracket(rest, line) ||
        take_pod_bracket(rest, line) || take_ray_bracket(rest, line) || take_time_bracket(rest, line, date) ||
        take_level_bracket(rest, line)) {
        if (!std::isnan(line.time)) {
            take_after_time(rest, line);
        }
        return true;
    }
    // "[3] node-1:4711:4711 [3] NCCL INFO …" of mpirun -prepend-rank: only before what cannot be anything else.
    auto after = rest.substr(1);
    const auto rank = take_int(after);
    if (rank && take(after, "]") && (take(after, ": ") || take(after, " ") || take(after, ":")) &&
        begins_with_certain_prefix(after)) {
        line.rank = *rank;
        rest = after;
        return true;
    }
    return false;
}

bool begins_with_certain_prefix(std::string_view rest) {
    LogLine probe;
    if (rest.empty()) {
        return false;
    }
    if (rest.starts_with("NCCL version ") || take_nccl(rest, probe) || take_glog(rest, probe, 0)) {
        return true;
    }
    return rest[0] == '[' && (take_role_bracket(rest, probe) || take_glog_bracket(rest, probe, 0) ||
                              take_time_bracket(rest, probe, 0));
}

}  // namespace rankscope::logs
