// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/launch_lines/script_values.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr std::size_t kLongest = 64U << 10U;  // of a word, filled in

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_open(const std::string& word) {
    return word.find_first_of("$`") != std::string::npos;
}

// "4*2", "2 * 4 + 1", of small numbers: what scripts count processes with. From left to right, products first.
std::optional<std::int64_t> value_of_sum(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
    std::int64_t sum = 0;
    std::int64_t product = 1;
    int sign = 1;
    char operation = '*';
    std::size_t at = 0;
    while (true) {
        const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
        const auto number = end - at > 6
                                ? std::nullopt
                                : parse_number<std::int64_t>(std::string_view(text).substr(at, end - at));
        if (!number || (operation == '/' && *number == 0)) {
            return std::nullopt;
        }
        product = operation == '/' ? product / *number : product * *number;
        if (product > 1000000000) {
            return std::nullopt;
        }
        if (end == text.size()) {
            return sum + sign * product;
        }
        operation = text[end];
        if (operation == '+' || operation == '-') {
            sum += sign * product;
            sign = operation == '-' ? -1 : 1;
            product = 1;
            operation = '*';
        } else if (operation != '*' && operation != '/') {
            return std::nullopt;
        }
        at = end + 1;
    }
}

// The end of "(…)" or "{…}" that opens at `at`, behind its close.
std::size_t end_of_group(const std::string& word, std::size_t at) {
    const char open = word[at];
    const char close = open == '(' ? ')' : '}';
    int depth = 0;
    for (; at < word.size(); ++at) {
        depth += word[at] == open ? 1 : word[at] == close ? -1 : 0;
        if (depth == 0) {
            return at + 1;
        }
    }
    return word.size();
}

}  // namespace

bool is_set_by_rankscope(const std::string& variable) {
    static constexpr std::array<std::string_view, 10> kOwn{
        "MASTER_ADDR", "MASTER_PORT",      "RANK",      "LOCAL_RANK", "WORLD_SIZE",
        "GROUP_RANK",  "LOCAL_WORLD_SIZE", "NODE_RANK", "NNODES",     "NPROC_PER_NODE"};
    return std::find(kOwn.begin(), kOwn.end(), variable) != kOwn.end();
}

ScriptValues::ScriptValues(bool slurm) {
    if (slurm) {
        values_ = {{"SLURM_NNODES", "{nodes}"},
                   {"SLURM_JOB_NUM_NODES", "{nodes}"},
                   {"SLURM_NTASKS", "{world_size}"},
                   {"SLURM_NPROCS", "{world_size}"},
                   {"SLURM_NTASKS_PER_NODE", "{local_world_size}"},
                   {"MASTER_ADDR", "{master_addr}"},
                   {"MASTER_PORT", "{master_port}"}};
    }
}

std::string ScriptValues::filled(const std::string& word) const {
    std::string result;
    for (std::size_t at = 0; at < word.size() && result.size() < kLongest;) {
        if (word[at] != '$' || at + 1 >= word.size()) {
            result += word[at++];
            continue;
        }
        const char next = word[at + 1];
        if (next == '(' && word.compare(at, 3, "$((") == 0) {
            const std::size_t end = end_of_group(word, at + 1);
            std::string inner = word.substr(at + 3, end > at + 5 ? end - at - 5 : 0);
            std::string counted;
            for (std::size_t i = 0; i < inner.size();) {  // names count there without their $
                if (is_name(inner[i]) && std::isdigit(static_cast<unsigned char>(inner[i])) == 0) {
                    std::size_t name_end = i;
                    while (name_end < inner.size() && is_name(inner[name_end])) {
                        ++name_end;
                    }
                    const std::string name = inner.substr(i, name_end - i);
                    const auto known = values_.find(name);
                    counted += known != values_.end() ? known->second : name;
                    i = name_end;
                } else {
                    counted += inner[i] == '$' || inner[i] == '{' || inner[i] == '}' ? ' ' : inner[i];
                    ++i;
                }
            }
            const auto value = value_of_sum(counted);
            result += value ? std::to_string(*value) : word.substr(at, end - at);
            at = end;
            continue;
        }
        std::size_t end = at + 1;
        std::string name;
        std::optional<std::string> otherwise;
        if (next == '{') {
            end = end_of_group(word, at + 1);
            name = word.substr(at + 2, end > at + 3 ? end - at - 3 : 0);
            if (const auto colon = name.find(":-"); colon != std::string::npos) {
                otherwise = name.substr(colon + 2);
                name.erase(colon);
            }
        } else {
            while (end < word.size() && is_name(word[end])) {
                ++end;
            }
            name = word.substr(at + 1, end - at - 1);
        }
        const auto known = values_.find(name);
        if (known != values_.end()) {
            result += known->second;
        } else if (otherwise && !is_open(*otherwise)) {
            result += *otherwise;
        } else {
            result += word.substr(at, std::max(end, at + 1) - at);
        }
        at = std::max(end, at + 1);
    }
    return result;
}

void ScriptValues::fill(WrittenCommand& command) const {
    std::vector<std::string> words;
    std::vector<std::string> unfilled;
    for (const auto& word : command.words) {
        const auto open = std::find(command.unfilled.begin(), command.unfilled.end(), word);
        if (open == command.unfilled.end()) {
            words.push_back(word);
            continue;
        }
        const std::string whole = filled(word);
        const std::size_t behind = word.size() > 1 && word[1] == '{' ? 1 : 0;
        const bool one_variable = word.size() > 1 + 2 * behind && word[0] == '$' &&
                                  std::all_of(word.begin() + static_cast<std::ptrdiff_t>(1 + behind),
                                              word.end() - static_cast<std::ptrdiff_t>(behind), is_name);
        if (is_open(whole) || whole.find_first_of("*?") != std::string::npos) {
            unfilled.push_back(whole);
            words.push_back(whole);
        } else if (one_variable &&
                   std::find(command.quoted.begin(), command.quoted.end(), word) == command.quoted.end()) {
            for (const auto part : split(whole, ' ')) {
                if (!part.empty()) {
                    words.emplace_back(part);
                }
            }
        } else {
            words.push_back(whole);
        }
    }
    command.words = std::move(words);
    command.unfilled = std::move(unfilled);
}

}  // namespace rankscope::inline jobs::launch_lines
