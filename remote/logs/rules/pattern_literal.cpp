// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/rules/rule_file.h>

#include <algorithm>
#include <cctype>
#include <string_view>

namespace rankscope::logs {
namespace {

// The position after the group that begins at `at` with '('; the end for one that is not closed.
std::size_t after_group(std::string_view pattern, std::size_t at) {
    int depth = 0;
    bool in_class = false;
    for (; at < pattern.size(); ++at) {
        const char c = pattern[at];
        if (c == '\\') {
            ++at;
        } else if (in_class) {
            in_class = c != ']';
        } else if (c == '[') {
            in_class = true;
        } else if (c == '(') {
            ++depth;
        } else if (c == ')' && --depth == 0) {
            return at + 1;
        }
    }
    return pattern.size();
}

std::size_t after_class(std::string_view pattern, std::size_t at) {
    for (++at; at < pattern.size() && pattern[at] != ']'; ++at) {
        at += pattern[at] == '\\' ? std::size_t{1} : 0;
    }
    return at < pattern.size() ? at + 1 : at;
}

}  // namespace

std::string literal_of(const std::string& pattern, std::size_t shortest) {
    std::string longest;
    std::string run;
    const auto end_run = [&] {
        if (run.size() > longest.size()) {
            longest = run;
        }
        run.clear();
    };
    std::size_t at = 0;
    while (at < pattern.size()) {
        const char c = pattern[at];
        if (c == '|' || pattern.compare(at, 4, "(?i)") == 0) {
            return {};  // either side alone; or letters of both cases
        }
        if (c == '(') {
            end_run();
            at = after_group(pattern, at);
        } else if (c == '[') {
            end_run();
            at = after_class(pattern, at);
        } else if (c == '?' || c == '*' || c == '{') {
            if (!run.empty()) {
                run.pop_back();  // it may be absent
            }
            end_run();
            at = c == '{' ? pattern.find('}', at) : at;
            at = at == std::string::npos ? pattern.size() : at + 1;
        } else if (c == '.' || c == '+' || c == '^' || c == '$' || c == ')') {
            end_run();
            ++at;
        } else if (c == '\\' && at + 1 < pattern.size()) {
            const char next = pattern[at + 1];
            if (std::isalnum(static_cast<unsigned char>(next)) != 0) {
                end_run();  // \d, \s, \b …
            } else {
                run += next;
            }
            at += 2;
        } else {
            run += c;
            ++at;
        }
    }
    end_run();
    return longest.size() < shortest ? std::string() : longest;
}

bool says_only(const std::string& pattern, const std::vector<std::string>& words) {
    std::vector<std::string> said(1);
    for (std::size_t at = 0; at < pattern.size(); ++at) {
        const char c = pattern[at];
        if (c == '|') {
            said.emplace_back();
        } else if (c == '\\' && at + 1 < pattern.size() &&
                   std::ispunct(static_cast<unsigned char>(pattern[at + 1])) != 0) {
            said.back() += pattern[++at];
        } else if (std::string_view("\\^$.[]()?*+{}").find(c) != std::string_view::npos) {
            return false;
        } else {
            said.back() += c;
        }
    }
    return std::is_permutation(said.begin(), said.end(), words.begin(), words.end());
}

}  // namespace rankscope::logs
