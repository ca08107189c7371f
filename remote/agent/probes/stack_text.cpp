// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

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
    const auto threads = nlohmann::json::parse(json, nullptr, false);
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

std::vector<std::string> parse_faulthandler(std::string_view text, const std::string& below) {
    constexpr std::string_view kFile = "  File \"";
    constexpr std::string_view kLine = "\", line ";
    constexpr std::string_view kIn = " in ";
    std::vector<std::string> stack;
    while (!text.empty()) {
        const auto line = next_line(text);
        if (line.ends_with("(most recent call first):")) {
            stack.clear();
            continue;
        }
        if (line == "...") {
            return {};  // more threads than it writes: the last one is not the main thread
        }
        // A name of a file may hold anything: the number stands behind the last `", line `.
        const auto number_at = line.rfind(kLine);
        if (!line.starts_with(kFile) || number_at == std::string_view::npos || number_at < kFile.size()) {
            continue;
        }
        const auto rest = line.substr(number_at + kLine.size());
        const auto in = rest.find(kIn);
        const auto number = in == std::string_view::npos ? std::nullopt : number_of(rest.substr(0, in));
        if (number && stack.size() < kMostFrames) {
            const auto file = line.substr(kFile.size(), number_at - kFile.size());
            stack.push_back(frame_of(file, *number, rest.substr(in + kIn.size()), below));
        }
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
