// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/failure_bundle/command_secrets.h>

#include <algorithm>
#include <array>
#include <optional>

namespace rankscope::inline archive {
namespace {

using IsSecret = std::function<bool(std::string_view name)>;

std::string_view without_dashes(std::string_view word) {
    word.remove_prefix(std::min(word.find_first_not_of('-'), word.size()));
    return word;
}

bool is_flag(std::string_view word) {
    return word.starts_with('-') && !without_dashes(word).empty() && word.find('=') == word.npos &&
           word.find(' ') == word.npos;
}

// "--lr", "-v": a value may begin with one dash as well.
bool is_another_flag(std::string_view word) {
    return word.starts_with("--") || (word.starts_with('-') && word.size() == 2);
}

bool is_sshpass(std::string_view program) {
    return program == "sshpass" || program.ends_with("/sshpass");
}

// Curl's and other programs' "NAME:PASSWORD".
bool takes_login(std::string_view flag) {
    static constexpr auto kFlags =
        std::to_array<std::string_view>({"-u", "--user", "--proxy-user", "--auth", "--login"});
    return std::find(kFlags.begin(), kFlags.end(), flag) != kFlags.end();
}

bool is_header_of_secret(std::string_view name, const IsSecret& is_secret) {
    static constexpr auto kHeaders =
        std::to_array<std::string_view>({"authorization", "proxy-authorization", "cookie", "set-cookie"});
    std::string lower(name);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    return std::find(kHeaders.begin(), kHeaders.end(), lower) != kHeaders.end() || is_secret(name);
}

// "NAME=VALUE", also behind other names: "--env=NAME=VALUE".
std::optional<CommandSecret> in_assignment(std::string_view word, const IsSecret& is_secret) {
    std::size_t begin = 0;
    for (auto equals = word.find('='); equals != word.npos; equals = word.find('=', begin)) {
        const auto name = without_dashes(word.substr(begin, equals - begin));
        if (!name.empty() && name.find(' ') == name.npos && is_secret(name)) {
            return CommandSecret{0, equals + 1, std::string(name)};
        }
        begin = equals + 1;
    }
    return std::nullopt;
}

// "Name: VALUE", "Authorization: Bearer VALUE".
std::optional<CommandSecret> in_header(std::string_view word, const IsSecret& is_secret) {
    const auto colon = word.find(':');
    const auto name = word.substr(0, colon);
    if (colon == word.npos || name.empty() || name.find_first_of(" /=") != name.npos ||
        !is_header_of_secret(name, is_secret)) {
        return std::nullopt;
    }
    auto from = std::min(word.find_first_not_of(' ', colon + 1), word.size());
    const auto blank = word.find(' ', from);
    if (blank != word.npos && name.find("ookie") == name.npos) {  // a scheme
        from = std::min(word.find_first_not_of(' ', blank), word.size());
    }
    return CommandSecret{0, from, std::string(name)};
}

}  // namespace

std::vector<CommandSecret> command_secrets(const std::vector<std::string>& words, const IsSecret& is_secret) {
    std::vector<CommandSecret> found;
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string& word = words[i];
        if (i > 0 && words[i - 1] == "-c" && word.find(' ') != std::string::npos) {
            continue;  // a text for a shell
        }
        auto own = in_assignment(word, is_secret);
        own = own ? own : in_header(word, is_secret);
        if (own) {
            own->word = i;
            found.push_back(std::move(*own));
            continue;
        }
        if (i > 0 && is_sshpass(words[i - 1]) && word.starts_with("-p")) {
            if (word.size() > 2) {
                found.push_back({i, 2, "-p"});
            } else if (i + 1 < words.size()) {
                found.push_back({++i, 0, "-p"});
            }
            continue;
        }
        if (!is_flag(word) || i + 1 == words.size() || is_another_flag(words[i + 1])) {
            continue;
        }
        if (is_secret(without_dashes(word))) {
            found.push_back({i + 1, 0, std::string(without_dashes(word))});
            ++i;
        } else if (const auto colon = words[i + 1].find(':');
                   takes_login(word) && colon != std::string::npos && colon > 0) {
            found.push_back({i + 1, colon + 1, word});
            ++i;
        }
    }
    return found;
}

}  // namespace rankscope::inline archive
