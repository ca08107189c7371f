// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/utf8.h>
#include <remote/agent/probes/proc_text.h>
#include <remote/agent/probes/stack_text.h>

#include <nlohmann/json.hpp>

namespace rankscope::agent {
namespace {

constexpr std::size_t kLongestFrame = 1024;

std::string shortened(std::string_view file, const std::string& below) {
    if (!below.empty() && file.size() > below.size() + 1 && file.starts_with(below) &&
        file[below.size()] == '/') {
        file.remove_prefix(below.size() + 1);
    }
    return std::string(file);
}

std::string frame_of(std::string_view file, std::uint64_t line, std::string_view function,
                     const std::string& below) {
    std::string frame = shortened(file, below) + ':' + std::to_string(line) + " in ";
    frame += function;
    frame.resize(std::min(frame.size(), kLongestFrame));
    return as_utf8(std::move(frame));
}

std::string text_in(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

std::uint64_t number_in(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_number_unsigned() ? found->get<std::uint64_t>() : 0;
}

const nlohmann::json* thread_in(const nlohmann::json& threads, std::int64_t tid) {
    const nlohmann::json* best = nullptr;
    for (const auto& thread : threads) {
        if (!thread.is_object()) {
            continue;
        }
        if (tid > 0 && number_in(thread, "os_thread_id") == static_cast<std::uint64_t>(tid)) {
            return &thread;
        }
        if (best == nullptr || (text_in(thread, "thread_name") == "MainThread" &&
                                text_in(*best, "thread_name") != "MainThread")) {
            best = &thread;
        }
    }
    return best;
}

}  // namespace

std::vector<std::string> parse_py_spy(std::string_view json, std::int64_t tid, const std::string& below) {
    std::vector<std::string> stack;
    const auto threads = read_json(json);
    const auto* thread = threads.is_array() ? thread_in(threads, tid) : nullptr;
    const auto frames = thread == nullptr ? nlohmann::json() : thread->value("frames", nlohmann::json());
    if (!frames.is_array()) {
        return stack;
    }
    for (const auto& frame : frames) {
        if (frame.is_object() && stack.size() < kMostFrames && !text_in(frame, "name").empty()) {
            stack.push_back(frame_of(text_in(frame, "filename"), number_in(frame, "line"),
                                     text_in(frame, "name"), below));
        }
    }
    return stack;
}

std::vector<std::string> parse_interpreter(std::string_view text, const std::string& below) {
    std::vector<std::string> stack;
    std::vector<std::string_view> files;
    while (!text.empty() && stack.size() < kMostFrames) {
        auto line = next_line(text);
        const auto number = number_of(line.substr(0, line.find(' ')));
        const auto function_at = line.find(' ');
        const auto file_at =
            function_at == std::string_view::npos ? function_at : line.find(' ', function_at + 1);
        if (!number || file_at == std::string_view::npos || file_at == function_at + 1) {
            break;  // cut off: what follows may name a file that is not here
        }
        const auto function = line.substr(function_at + 1, file_at - function_at - 1);
        auto file = line.substr(file_at + 1);
        if (file.starts_with('=')) {
            const auto known = number_of(file.substr(1));
            if (!known || *known >= files.size()) {
                break;
            }
            file = files[static_cast<std::size_t>(*known)];
        } else {
            files.push_back(file);
        }
        stack.push_back(frame_of(file, *number, function, below));
    }
    return stack;
}

std::vector<std::string> parse_eu_stack(std::string_view text) {
    std::vector<std::string> stack;
    bool in_thread = false;
    while (!text.empty() && stack.size() < kMostFrames) {
        auto line = next_line(text);
        if (line.starts_with("TID ")) {
            if (in_thread) {
                break;
            }
            in_thread = true;
            continue;
        }
        if (!line.starts_with('#')) {
            continue;
        }
        next_word(line);  // its number
        next_word(line);  // its address
        const auto begin = line.find_first_not_of(" \t");
        if (begin == std::string_view::npos) {
            stack.emplace_back("?");
            continue;
        }
        line.remove_prefix(begin);
        stack.push_back(as_utf8(std::string(line.substr(0, kLongestFrame))));
    }
    return stack;
}

}  // namespace rankscope::agent
