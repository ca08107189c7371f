// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/grammar/prefix_parts.h>
#include <remote/logs/grammar/scan.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace rankscope::logs {
namespace {

/// "file.cpp:683", "torch/distributed/run.py:766".
bool is_source_place(std::string_view text) {
    const auto colon = text.rfind(':');
    return colon != std::string_view::npos && colon > 0 && colon + 1 < text.size() &&
           text.substr(colon + 1).find_first_not_of("0123456789") == std::string_view::npos &&
           text.find(' ') == std::string_view::npos;
}

}  // namespace

void set_time(LogLine& line, const TimeStamp& stamp) {
    if (std::isnan(line.time) || line.time_of_day_only) {
        line.time = stamp.time;
        line.time_of_day_only = stamp.time_of_day_only;
    }
}

std::optional<LineLevel> level_of(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, LineLevel>, 16> kWords = {{
        {"INFO", LineLevel::Info},
        {"WARNING", LineLevel::Warn},
        {"ERROR", LineLevel::Error},
        {"DEBUG", LineLevel::Info},
        {"CRITICAL", LineLevel::Error},
        {"FATAL", LineLevel::Error},
        {"WARN", LineLevel::Warn},
        {"TRACE", LineLevel::Info},
        {"Info", LineLevel::Info},
        {"Warning", LineLevel::Warn},
        {"Error", LineLevel::Error},
        {"info", LineLevel::Info},
        {"warning", LineLevel::Warn},
        {"error", LineLevel::Error},
        {"rank_zero", LineLevel::Info},
        {"warn", LineLevel::Warn},
    }};
    for (const auto& [name, level] : kWords) {
        if (word == name) {
            return level;
        }
    }
    return std::nullopt;
}

std::optional<LineLevel> level_of_letter(char letter) {
    switch (letter) {
        case 'I':
        case 'V':
        case 'D':
            return LineLevel::Info;
        case 'W':
            return LineLevel::Warn;
        case 'E':
        case 'F':
        case 'C':
            return LineLevel::Error;
        default:
            return std::nullopt;
    }
}

bool take_glog_place(std::string_view& rest, LogLine& line) {
    auto after = rest;
    skip_spaces(after);
    auto number = after;
    const auto thread = take_number<std::int64_t>(number, 18);
    if (thread && take(number, " ")) {
        after = number;
        skip_spaces(after);
    }
    const auto end = after.find(']');
    if (end == std::string_view::npos || end > 200 || !is_source_place(after.substr(0, end))) {
        return false;
    }
    line.source = after.substr(0, end);
    const bool python = line.source.find(".py:") != std::string_view::npos;
    line.speaker = python && line.source.find("elastic") == std::string_view::npos &&
                           line.source.find("torch") == std::string_view::npos
                       ? Speaker::Program
                       : Speaker::Torch;
    if (line.source.find("distributed/elastic") != std::string_view::npos ||
        line.source.find("distributed/run.py") != std::string_view::npos ||
        line.source.find("distributed/launch") != std::string_view::npos) {
        line.speaker = Speaker::Launcher;
    }
    if (line.source.find("gloo") != std::string_view::npos) {
        line.speaker = Speaker::Gloo;
    }
    if (thread && line.pid < 0) {
        line.pid = python ? *thread : line.pid;  // Python's handler prints the process, glog the thread
        line.tid = python ? line.tid : *thread;
    }
    rest = after.substr(end + 1);
    skip_spaces(rest);
    return true;
}

void take_after_time(std::string_view& rest, LogLine& line) {
    if (rest.starts_with("torch.") || rest.starts_with("lightning.") || rest.starts_with("accelerate.")) {
        const auto colon = rest.find(": [");
        const auto end = colon == std::string_view::npos ? colon : rest.find(']', colon);
        const auto level =
            end == std::string_view::npos ? std::nullopt : level_of(rest.substr(colon + 3, end - colon - 3));
        if (level && colon < 100) {
            line.source = rest.substr(0, colon);
            line.speaker =
                line.source.find(".elastic") != std::string_view::npos || line.source.ends_with(".run")
                    ? Speaker::Launcher
                    : Speaker::Torch;
            line.level = *level;
            rest.remove_prefix(end + 1);
            skip_spaces(rest);
            return;
        }
    }
    auto after = rest;
    take(after, " - ") || take(after, "- ") || take(after, "| ");
    const auto word_end = after.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ");
    if (word_end == std::string_view::npos || word_end < 4) {
        return;
    }
    if (const auto level = level_of(after.substr(0, word_end))) {
        line.level = *level;
        after.remove_prefix(word_end);
        skip_spaces(after);
        take(after, ": ") || take(after, "- ") || take(after, "| ");
        rest = after;
    }
}

}  // namespace rankscope::logs
