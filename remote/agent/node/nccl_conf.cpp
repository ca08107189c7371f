// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/communication_variable.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/node/nccl_conf.h>

namespace rankscope::agent {
namespace {

constexpr std::size_t kLongestValue = 1024;
constexpr std::string_view kPrefix = "NCCL_";

template <typename IsWanted>
std::map<std::string, std::string> read_settings(std::string_view text, IsWanted is_wanted) {
    std::map<std::string, std::string> settings;
    for (const auto line : split(text, '\n')) {
        const auto equals = line.find('=');
        const auto name = trimmed(line.substr(0, equals));
        if (equals == line.npos || !is_wanted(name) || name.size() > kLongestValue) {
            continue;
        }
        const auto value = trimmed(line.substr(equals + 1)).substr(0, kLongestValue);
        settings.emplace(as_utf8(std::string(name)), as_utf8(std::string(value)));
    }
    return settings;
}

}  // namespace

std::map<std::string, std::string> read_nccl_conf(std::string_view text) {
    return read_settings(text, [](std::string_view name) { return name.starts_with(kPrefix); });
}

std::map<std::string, std::string> read_communication_settings(std::string_view text) {
    return read_settings(text, is_communication_variable);
}

}  // namespace rankscope::agent
