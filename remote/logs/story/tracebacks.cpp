// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/grammar/exception_shape.h>
#include <remote/logs/grammar/scan.h>
#include <remote/logs/story/tracebacks.h>

#include <array>
#include <cstdint>
#include <string_view>

namespace rankscope::logs {
namespace {

constexpr std::size_t kLongestFrame = 120;

struct Frame {
    std::string text;
    bool of_library = false;
};

bool is_of_library(std::string_view file) {
    constexpr auto kLibraries =
        std::to_array<std::string_view>({"site-packages/", "dist-packages/", "/lib/python", "/lib64/python",
                                         "<frozen ", "<string>", "<stdin>", "/bin/"});
    for (const auto part : kLibraries) {
        if (file.find(part) != std::string_view::npos) {
            return true;
        }
    }
    return false;
}

// 'File "/w/train.py", line 141, in main'
bool read_frame(std::string_view message, Frame& frame) {
    skip_spaces(message);
    if (!take(message, "File \"")) {
        return false;
    }
    const auto end = message.find('"');
    if (end == std::string_view::npos) {
        return false;
    }
    const auto file = message.substr(0, end);
    message.remove_prefix(end + 1);
    const auto number = take(message, ", line ") ? take_number<std::int64_t>(message) : std::nullopt;
    if (!number) {
        return false;
    }
    frame.of_library = is_of_library(file);
    frame.text = file.substr(file.rfind('/') + 1);
    frame.text += ':' + std::to_string(*number);
    if (take(message, ", in ")) {
        frame.text.append(" (").append(trimmed(message)).append(")");
    }
    if (frame.text.size() > kLongestFrame) {
        frame.text.resize(kLongestFrame);
    }
    return true;
}

}  // namespace

void Tracebacks::take(const LogLine& line, std::size_t process) {
    const auto message = line.message;
    if (message.empty() || message.size() > 4000) {
        return;
    }
    const auto first = message.find_first_not_of(' ');
    if (first == std::string_view::npos) {
        return;
    }
    if (message[first] == 'F') {
        Frame frame;
        if (read_frame(message, frame) && (open_.size() < kMost || open_.contains(process))) {
            auto& open = open_[process];
            (frame.of_library ? open.last : open.own) = std::move(frame.text);
            return;
        }
    }
    if (open_.empty() || first != 0) {
        return;
    }
    const auto known = open_.find(process);
    if (known == open_.end()) {
        return;
    }
    if (begins_traceback(message)) {
        open_.erase(known);
    } else if (exception_at(message)) {
        if (frames_.size() < kMost) {
            auto& open = known->second;
            frames_.emplace(std::pair(line.place.file, line.place.line),
                            open.own.empty() ? open.last : open.own);
        }
        open_.erase(known);
    }
}

std::string Tracebacks::frame_of(const LinePlace& place) const {
    const auto known = frames_.find(std::pair(place.file, place.line));
    return known == frames_.end() ? std::string() : known->second;
}

}  // namespace rankscope::logs
