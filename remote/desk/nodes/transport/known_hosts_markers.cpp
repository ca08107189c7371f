// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <base/text.h>
#include <remote/desk/nodes/transport/known_hosts_markers.h>
#include <remote/desk/nodes/transport/ssh_failures.h>

#include <algorithm>
#include <cctype>
#include <sstream>
#include <string_view>

namespace rankscope::inline nodes {
namespace {

// '*' and '?', without recursion: the last star is where to go back to.
bool pattern_fits(std::string_view pattern, std::string_view name) {
    std::size_t p = 0;
    std::size_t n = 0;
    std::size_t star = std::string_view::npos;
    std::size_t resume = 0;
    while (n < name.size()) {
        if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == name[n])) {
            ++p;
            ++n;
        } else if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            resume = n;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            n = ++resume;
        } else {
            return false;
        }
    }
    return std::all_of(pattern.begin() + static_cast<std::ptrdiff_t>(p), pattern.end(),
                       [](char c) { return c == '*'; });
}

template <typename Wanted>
std::optional<std::string> find_marked(const SshTarget& target, Wanted wanted) {
    for (const auto& file : target.known_hosts) {
        const std::string path = expand_ssh_path(target, file);
        const auto content = read_file(path);
        if (!content || content->find('@') == std::string::npos) {
            continue;
        }
        for (const auto& key : parse_marked_keys(*content)) {
            if (wanted(key) && hosts_match(key.hosts, known_hosts_name(target))) {
                return shorten_home(path) + ':' + std::to_string(key.line);
            }
        }
    }
    return std::nullopt;
}

}  // namespace

std::vector<MarkedKey> parse_marked_keys(const std::string& known_hosts) {
    std::vector<MarkedKey> keys;
    std::istringstream lines(known_hosts);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
        ++number;
        MarkedKey key;
        key.line = number;
        std::istringstream words(line);
        if (words >> key.marker && key.marker[0] == '@' && words >> key.hosts >> key.type >> key.base64) {
            keys.push_back(std::move(key));
        }
    }
    return keys;
}

bool hosts_match(const std::string& patterns, const std::string& name) {
    if (patterns.starts_with("|1|")) {
        return true;
    }
    bool fits = false;
    std::istringstream list(lower_case(patterns));
    const std::string wanted = lower_case(name);
    for (std::string pattern; std::getline(list, pattern, ',');) {
        const bool negated = pattern.starts_with('!');
        if (pattern_fits(std::string_view(pattern).substr(negated ? 1 : 0), wanted)) {
            if (negated) {
                return false;
            }
            fits = true;
        }
    }
    return fits;
}

std::optional<std::string> revoked_at(const SshTarget& target, const std::string& base64) {
    return find_marked(target, [&](const MarkedKey& key) {
        return key.marker == "@revoked" && (base64.empty() || key.base64 == base64);
    });
}

std::optional<std::string> authority_at(const SshTarget& target) {
    return find_marked(target, [](const MarkedKey& key) { return key.marker == "@cert-authority"; });
}

}  // namespace rankscope::inline nodes
