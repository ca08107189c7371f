// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <base/utf8.h>
#include <remote/wire/log_json.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace rankscope {
namespace {

constexpr std::string_view kStart = R"({"stream":"std)";
constexpr std::string_view kText = R"(","text":")";
constexpr std::string_view kDropped = R"(,"dropped_bytes":)";
constexpr std::string_view kControl = R"(\u00)";
constexpr std::string_view kHex = "0123456789abcdef";
constexpr std::string_view kShared = R"(,"shared":true)";
constexpr std::array<std::pair<char, char>, 7> kEscapes{
    {{'\b', 'b'}, {'\t', 't'}, {'\n', 'n'}, {'\f', 'f'}, {'\r', 'r'}, {'"', '"'}, {'\\', '\\'}}};

bool stands_for_itself(char c) {
    return static_cast<unsigned char>(c) >= ' ' && c != '"' && c != '\\';
}

bool skip(std::string_view& text, std::string_view start) {
    const bool starts = text.starts_with(start);
    text.remove_prefix(starts ? start.size() : 0);
    return starts;
}

void append_escaped(std::string& out, std::string_view text) {
    while (!text.empty()) {
        const auto end = std::find_if_not(text.begin(), text.end(), stands_for_itself);
        out.append(text.begin(), end);
        text.remove_prefix(static_cast<std::size_t>(end - text.begin()));
        if (text.empty()) {
            break;
        }
        const auto known = std::find_if(kEscapes.begin(), kEscapes.end(),
                                        [&](const auto& pair) { return pair.first == text.front(); });
        if (known != kEscapes.end()) {
            out += '\\';
            out += known->second;
        } else {
            out.append(kControl).append(text.front() < '\x10' ? "0" : "1");
            out += kHex[static_cast<unsigned char>(text.front()) % kHex.size()];
        }
        text.remove_prefix(1);
    }
}

// Up to the closing quote, which is taken as well.
bool take_string(std::string_view& json, std::string& out) {
    while (true) {
        const auto end = std::find_if_not(json.begin(), json.end(), stands_for_itself);
        out.append(json.begin(), end);
        json.remove_prefix(static_cast<std::size_t>(end - json.begin()));
        if (skip(json, "\"")) {
            return true;
        }
        if (json.size() < 2 || json[0] != '\\') {
            return false;
        }
        const auto known = std::find_if(kEscapes.begin(), kEscapes.end(),
                                        [&](const auto& pair) { return pair.second == json[1]; });
        if (known != kEscapes.end()) {
            out += known->first;
            json.remove_prefix(2);
            continue;
        }
        const bool control = skip(json, kControl) && json.size() >= 2 && (json[0] == '0' || json[0] == '1');
        const auto low = control ? kHex.find(json[1]) : std::string_view::npos;
        if (low == std::string_view::npos) {
            return false;
        }
        out += static_cast<char>((json[0] - '0') * static_cast<int>(kHex.size()) + static_cast<int>(low));
        json.remove_prefix(2);
    }
}

}  // namespace

std::optional<std::string> log_json(const LogEvent& log) {
    if (first_bad_byte(log.text) != std::string_view::npos) {
        return std::nullopt;
    }
    std::string json;
    json.reserve(log.text.size() + log.text.size() / 32 + 96);
    json.append(kStart).append(log.is_stderr ? "err" : "out").append(kText);
    append_escaped(json, log.text);
    json += '"';
    if (log.dropped_bytes > 0) {
        json.append(kDropped).append(std::to_string(log.dropped_bytes));
    }
    json.append(log.shared ? kShared : "");
    json += '}';
    return json;
}

std::optional<LogEvent> log_of_json(std::string_view json) {
    LogEvent log;
    if (!skip(json, kStart) || first_bad_byte(json) != std::string_view::npos) {
        return std::nullopt;
    }
    log.is_stderr = json.starts_with("err");
    log.text.reserve(json.size());
    if (!skip(json, log.is_stderr ? "err" : "out") || !skip(json, kText) || !take_string(json, log.text)) {
        return std::nullopt;
    }
    if (skip(json, kDropped)) {
        const auto digits = json.substr(0, std::min(json.find_first_not_of("0123456789"), json.size()));
        const auto dropped = parse_number<std::uint64_t>(digits);
        if (!dropped || (digits.size() > 1 && digits[0] == '0')) {
            return std::nullopt;
        }
        log.dropped_bytes = *dropped;
        json.remove_prefix(digits.size());
    }
    log.shared = skip(json, kShared);
    return json == "}" ? std::optional(std::move(log)) : std::nullopt;
}

}  // namespace rankscope
