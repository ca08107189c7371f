// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/grammar/part_header.h>
#include <remote/logs/grammar/source_name.h>

#include <array>
#include <cstddef>

namespace rankscope::logs {
namespace {

/// "==> name <==".
std::string_view of_tail(std::string_view text) {
    return text.size() > 8 && text.starts_with("==> ") && text.ends_with(" <==")
               ? text.substr(4, text.size() - 8)
               : "";
}

/// "===== node-2 =====", "### gpu-01.log ###": one word, or "node node-2".
std::string_view of_frame(std::string_view text) {
    const char frame = text.empty() ? ' ' : text[0];
    if (frame != '=' && frame != '-' && frame != '#' && frame != '*' && frame != '~') {
        return {};
    }
    const auto begin = text.find_first_not_of(frame);
    const auto end = text.find_last_not_of(frame);
    if (begin == std::string_view::npos || begin < 3 || text.size() - end - 1 < 3) {
        return {};
    }
    auto name = trimmed(text.substr(begin, end + 1 - begin));
    if (name.ends_with(':')) {
        name.remove_suffix(1);
    }
    for (const std::string_view word : {"node ", "host ", "Node ", "Host ", "NODE ", "HOST "}) {
        if (name.starts_with(word)) {
            name.remove_prefix(word.size());
        }
    }
    const auto facts = name.find(' ') == std::string_view::npos ? facts_of_name(name) : NameFacts{};
    return !facts.host.empty() || facts.rank >= 0 ? name : std::string_view();
}

/// "node1 | CHANGED | rc=0 >>", "node1 | UNREACHABLE! => {".
std::string_view of_ansible(std::string_view text) {
    constexpr std::array<std::string_view, 4> kStates = {"CHANGED", "SUCCESS", "FAILED", "UNREACHABLE"};
    constexpr std::size_t kLongestName = 64;
    const auto bar = text.substr(0, kLongestName + 3).find(" | ");
    if (bar == std::string_view::npos) {
        return {};
    }
    for (const auto state : kStates) {
        if (text.substr(bar + 3).starts_with(state)) {
            return text.substr(0, bar);
        }
    }
    return {};
}

bool is_rule(std::string_view text) {
    return text.size() >= 8 && text.find_first_not_of('-') == std::string_view::npos;
}

}  // namespace

bool PartHeaders::feed(std::string_view text) {
    if (text.size() < 4 && !after_rule_) {
        candidate_.clear();
        return false;
    }
    auto name = of_tail(text);
    if (name.empty()) {
        name = of_frame(text);
    }
    if (name.empty()) {
        name = of_ansible(text);
    }
    if (!name.empty()) {
        enter(name);
        return true;
    }
    const bool rule = is_rule(text);
    if (rule && !candidate_.empty()) {
        const auto part = candidate_;
        enter(part);
        return true;
    }
    candidate_ = after_rule_ && !rule && looks_like_host(text) ? text : std::string_view();
    after_rule_ = rule;
    return false;
}

void PartHeaders::enter(std::string_view name) {
    const auto facts = facts_of_name(name);
    part_ = name;
    host_ = facts.host;
    rank_ = facts.rank;
    local_rank_ = facts.local_rank;
    candidate_.clear();
    after_rule_ = false;
}

}  // namespace rankscope::logs
