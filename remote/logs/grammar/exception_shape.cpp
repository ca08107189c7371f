// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/grammar/exception_shape.h>

#include <algorithm>
#include <array>

namespace rankscope::logs {
namespace {

using namespace std::string_view_literals;

constexpr std::size_t kLongestType = 120;

bool is_name_char(char c) {
    return is_letter(c) || is_digit(c) || c == '_';
}

// "RuntimeError", "JSONDecodeError", "OutOfMemoryError", "KeyboardInterrupt"; warnings are none.
bool names_exception(std::string_view name) {
    constexpr std::array kEnds = {"Error"sv,     "Exception"sv, "Exit"sv,       "Interrupt"sv, "NotFound"sv,
                                  "Failure"sv,   "Errors"sv,    "Fault"sv,      "Abort"sv,     "Timeout"sv,
                                  "Corrupted"sv, "Mismatch"sv,  "Unavailable"sv};
    return name == "StopIteration" || (!name.empty() && name[0] >= 'A' && name[0] <= 'Z' &&
                                       std::any_of(kEnds.begin(), kEnds.end(), [&](auto end) {
                                           return name.size() > end.size() && name.ends_with(end);
                                       }));
}

}  // namespace

std::optional<ExceptionShape> exception_at(std::string_view message) {
    std::size_t end = 0;
    std::size_t name = 0;  // where its last part begins
    while (end < message.size() && end < kLongestType &&
           (is_name_char(message[end]) || message[end] == '.')) {
        name = message[end] == '.' ? end + 1 : name;
        ++end;
    }
    if (end == 0 || is_digit(message[0]) || !names_exception(message.substr(name, end - name))) {
        return std::nullopt;
    }
    const auto type = message.substr(0, end);
    auto rest = message.substr(end);
    if (rest.empty()) {
        return ExceptionShape{type, {}};
    }
    if (rest.starts_with('(') && type.ends_with("RayTaskError")) {
        rest = rest.substr(std::min(rest.find(')'), rest.size() - 1) + 1);
    }
    if (!rest.starts_with(':') || (rest.size() > 1 && rest[1] != ' ')) {
        return std::nullopt;
    }
    return ExceptionShape{type, trimmed(rest.substr(1))};
}

bool begins_traceback(std::string_view message) {
    return message.starts_with("Traceback (most recent call last)") ||
           message.starts_with("Exception raised from ") || message.starts_with("Fatal Python error: ");
}

}  // namespace rankscope::logs
