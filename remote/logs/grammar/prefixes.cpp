// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/grammar/prefix_parts.h>
#include <remote/logs/grammar/prefixes.h>
#include <remote/logs/grammar/scan.h>
#include <remote/logs/grammar/source_name.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace rankscope::logs {
namespace {

using namespace std::string_view_literals;

/// "host kernel: ", "host prog[pid]: " after the time of syslog or journald.
bool take_syslog(std::string_view& rest, LogLine& line, bool any_program) {
    const auto space = rest.find(' ');
    if (space == std::string_view::npos || space == 0 || space > 64 || !is_letter(rest[0]) ||
        !std::all_of(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(space), is_host_char)) {
        return false;
    }
    auto after = rest.substr(space + 1);
    const auto end = after.substr(0, 80).find(": ");
    if (end == std::string_view::npos) {
        return false;
    }
    auto program = after.substr(0, end);
    std::optional<std::int64_t> pid;
    if (const auto bracket = program.find('['); bracket != std::string_view::npos && program.ends_with(']')) {
        pid = parse_number<std::int64_t>(program.substr(bracket + 1, program.size() - bracket - 2));
        program = program.substr(0, bracket);
    }
    if (program.empty() || program.find(' ') != std::string_view::npos ||
        (!any_program && program != "kernel" && !pid)) {
        return false;
    }
    line.host = rest.substr(0, space);
    line.pid = pid.value_or(line.pid);
    if (program == "kernel") {
        line.speaker = Speaker::Kernel;
    } else if (program.starts_with("slurm")) {
        line.speaker = Speaker::Launcher;
    } else if (program == "sshd" || program == "ssh") {
        line.speaker = Speaker::Ssh;
    }
    rest = after.substr(end + 2);
    return true;
}

}  // namespace

bool take_glog(std::string_view& rest, LogLine& line, FileDate date) {
    if (rest.size() < 20 || !is_digit(rest[1]) || !is_digit(rest[4]) || rest[5] != ' ') {
        return false;
    }
    const auto level = level_of_letter(rest[0]);
    auto after = rest.substr(1);
    const auto stamp = level ? take_glog_time(after, date) : std::nullopt;
    if (!stamp || !take_glog_place(after, line)) {
        return false;
    }
    set_time(line, *stamp);
    line.level = *level;
    rest = after;
    return true;
}

bool take_time(std::string_view& rest, LogLine& line, FileDate date) {
    auto after = rest;
    bool syslog = false;
    auto stamp = take_iso_time(after);
    if (!stamp) {
        stamp = take_month_name_time(after, date);
        syslog = stamp.has_value();
    }
    if (!stamp) {
        stamp = take_unix_time(after);
    }
    if (!stamp) {
        stamp = take_clock_time(after);
    }
    if (!stamp ||
        (!after.empty() && after[0] != ' ' && after[0] != ':' && after[0] != '[' && after[0] != '|')) {
        return false;
    }
    take(after, ":");
    skip_spaces(after);
    set_time(line, *stamp);
    rest = after;
    if (rest.starts_with("stdout F ") || rest.starts_with("stderr F ") || rest.starts_with("stdout P ") ||
        rest.starts_with("stderr P ")) {
        rest.remove_prefix(9);
    } else if (!take_syslog(rest, line, syslog)) {
        take_after_time(rest, line);
    }
    return true;
}

bool take_task_label(std::string_view& rest, LogLine& line) {
    auto after = rest;
    const auto blanks = std::min(after.find_first_not_of(' '), after.size());
    if (blanks > 5) {
        return false;
    }
    after.remove_prefix(blanks);
    const auto task = take_number<int>(after, 6);
    if (!task || line.rank >= 0 || !take(after, ":") || (!after.empty() && after[0] != ' ')) {
        return false;
    }
    take(after, " ");
    line.rank = *task;
    rest = after;
    return true;
}

bool take_word_label(std::string_view& rest, LogLine& line) {
    auto after = rest;
    if (rest.starts_with("stderr: ") || rest.starts_with("stdout: ")) {  // accelerate test
        rest.remove_prefix(8);
        return true;
    }
    if (take(after, "rank ") || take(after, "Rank ")) {
        const auto rank = take_int(after);
        if (!rank || !take(after, ": ")) {
            return false;
        }
        line.rank = *rank;
        rest = after;
        return true;
    }
    for (const std::string_view own :
         {"(raylet", "(gcs_server", "(autoscaler"}) {  // of Ray: "(raylet, ip=10.0.0.1) "
        const auto end = rest.starts_with(own) ? rest.substr(0, 80).find(") ") : std::string_view::npos;
        if (end != std::string_view::npos) {
            if (const auto ip = rest.substr(0, end).find("ip="); ip != std::string_view::npos) {
                line.host = rest.substr(ip + 3, end - ip - 3);
            }
            rest.remove_prefix(end + 2);
            return true;
        }
    }
    if (rest[0] == '(') {  // "(RayTrainWorker pid=1234, ip=10.0.0.1) "
        const auto end = rest.substr(0, 120).find(") ");
        const auto pid = rest.substr(0, 60).find(" pid=");
        if (end == std::string_view::npos || pid == std::string_view::npos || pid > end) {
            return false;
        }
        auto digits = rest.substr(pid + 5);
        line.pid = take_number<std::int64_t>(digits).value_or(-1);
        if (const auto ip = rest.substr(0, end).find("ip="); ip != std::string_view::npos) {
            line.host = rest.substr(ip + 3, end - ip - 3);
        }
        rest.remove_prefix(end + 2);
        return true;
    }
    if (take(after, "LAUNCH ")) {  // PaddlePaddle: "LAUNCH INFO 2024-01-02 03:04:05,123 "
        const auto space = after.find(' ');
        const auto level = space == std::string_view::npos ? std::nullopt : level_of(after.substr(0, space));
        if (!level) {
            return false;
        }
        line.level = *level;
        line.speaker = Speaker::Launcher;
        rest = after.substr(space + 1);
        return true;
    }
    // "ERROR 07-28 23:29:37 worker.py:226] ", "INFO 03-23 21:43:38 [engine.py:448] " of vLLM.
    if (const auto space = rest.substr(0, 9).find(' '); space != std::string_view::npos && space >= 4) {
        auto date = rest.substr(space + 1);
        const auto end = date.substr(0, 100).find("] ");
        const bool dated = date.size() > 15 && is_digit(date[0]) && date[2] == '-' && date[5] == ' ' &&
                           is_digit(date[6]) && date[8] == ':' && date[14] == ' ';
        const auto level = dated ? level_of(rest.substr(0, space)) : std::nullopt;
        if (level && end != std::string_view::npos && end > 15) {
            line.level = *level;
            line.source = date.substr(15, end - 15);
            take(line.source, "[");
            rest = date.substr(end + 2);
            return true;
        }
    }
    // "ERROR:torch.distributed.elastic.multiprocessing.api:failed …" of Python's logging without a format.
    const auto colon = rest.substr(0, 9).find(':');
    if (colon != std::string_view::npos && colon + 2 < rest.size() && is_letter(rest[colon + 1])) {
        const auto level = level_of(rest.substr(0, colon));
        const auto end = rest.find(':', colon + 1);
        const auto logger =
            level && end != std::string_view::npos ? rest.substr(colon + 1, end - colon - 1) : ""sv;
        if (!logger.empty() && logger.find(' ') == std::string_view::npos) {
            line.level = *level;
            line.source = logger;
            line.speaker =
                logger.find("elastic") != std::string_view::npos || logger == "torch.distributed.run"
                    ? Speaker::Launcher
                : logger.starts_with("torch") ? Speaker::Torch
                                              : Speaker::Program;
            rest.remove_prefix(end + 1);
            take(rest, " ");
            return true;
        }
    }
    // "worker-1  | text" of docker compose.
    const auto bar = rest.substr(0, 64).find("| ");
    if (bar != std::string_view::npos && bar > 1 && rest[bar - 1] == ' ' && line.host.empty()) {
        auto name = rest.substr(0, bar);
        while (name.ends_with(' ')) {
            name.remove_suffix(1);
        }
        if (looks_like_host(name)) {
            line.host = name;
            rest.remove_prefix(bar + 2);
            return true;
        }
    }
    return false;
}

}  // namespace rankscope::logs
