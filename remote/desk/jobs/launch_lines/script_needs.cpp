// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/launch_lines/script_needs.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>
#include <utility>

namespace rankscope::inline jobs::launch_lines {
namespace {

bool is_name_char(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

/// The places of a script's text that fill in a variable or an argument.
struct Need {
    std::string name;
    bool has_default = false;  // "${NAME:-8}"
};

std::vector<Need> places_of(const std::string& text) {
    std::vector<Need> needs;
    for (std::size_t at = 0; (at = text.find('$', at)) != std::string::npos; ++at) {
        if (at > 0 && text[at - 1] == '\\') {
            continue;
        }
        const bool braces = text.compare(at, 2, "${") == 0;
        std::size_t end = at + (braces ? 2 : 1);
        const std::size_t begin = end;
        if (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
            do {
                ++end;
            } while (braces && end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0);
        } else if (end < text.size() && text[end] == '@') {
            ++end;
        } else {
            while (end < text.size() && is_name_char(text[end])) {
                ++end;
            }
        }
        if (end == begin) {
            continue;
        }
        Need need{text.substr(begin, end - begin), false};
        if (braces && end < text.size()) {
            const std::size_t operation = end + (text[end] == ':' ? 1 : 0);
            need.has_default = operation < text.size() &&
                               std::string_view("-=+").find(text[operation]) != std::string_view::npos;
        }
        needs.push_back(std::move(need));
    }
    return needs;
}

std::string without_comments(const std::string& text) {
    std::string kept;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::size_t first = text.find_first_not_of(" \t", at);
        if (first >= end || text[first] != '#') {
            kept += text.substr(at, end - at) + '\n';
        }
        at = end + 1;
    }
    return kept;
}

// "NAME=", "for NAME", "read NAME": the script itself gives it a value.
bool is_assigned(const std::string& text, const std::string& name) {
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos; at += name.size()) {
        const std::size_t end = at + name.size();
        if ((at > 0 && (is_name_char(text[at - 1]) || text[at - 1] == '$' || text[at - 1] == '{')) ||
            (end < text.size() && is_name_char(text[end]))) {
            continue;
        }
        if (text.compare(end, 1, "=") == 0 || text.compare(end, 2, "+=") == 0) {
            // "--lr NAME=…" of a program is none: only at the begin of a command, or after export.
            const std::size_t line = at == 0 ? std::string::npos : text.find_last_of("\n;&|(`", at - 1);
            const std::string before = text.substr(line == std::string::npos ? 0 : line + 1,
                                                   at - (line == std::string::npos ? 0 : line + 1));
            const bool all_assignments =
                before.find_first_not_of(" \t") == std::string::npos || before.find('=') != std::string::npos;
            const auto has = [&](const char* word) { return before.find(word) != std::string::npos; };
            if (all_assignments || has("export") || has("local") || has("declare") || has("readonly") ||
                has("typeset") || has("then") || has("do") || has("else") || has("{")) {
                return true;
            }
        }
        const std::size_t word = text.find_last_not_of(" \t", at == 0 ? 0 : at - 1);
        if (word != std::string::npos && word >= 2 && at > 0) {
            const std::size_t begin = text.find_last_of(" \t\n;", word);
            const std::string previous = text.substr(begin == std::string::npos ? 0 : begin + 1,
                                                     word - (begin == std::string::npos ? 0 : begin + 1) + 1);
            if (previous == "for" || previous == "read" || previous == "-r" || previous == "-a" ||
                previous == "-t" || previous == "mapfile") {
                return true;
            }
        }
    }
    return false;
}

bool is_of_the_shell(const std::string& name) {
    static const std::set<std::string> kOwn{
        "HOME",       "USER",         "PATH",          "PWD",          "OLDPWD",   "HOSTNAME", "RANDOM",
        "SECONDS",    "LINENO",       "UID",           "EUID",         "SHELL",    "TMPDIR",   "IFS",
        "PPID",       "BASHPID",      "REPLY",         "OPTARG",       "OPTIND",   "FUNCNAME", "BASH",
        "LANG",       "LC_ALL",       "TERM",          "LOGNAME",      "OSTYPE",   "SHLVL",    "BASH_SOURCE",
        "PIPESTATUS", "EPOCHSECONDS", "EPOCHREALTIME", "BASH_VERSION", "HOSTTYPE", "MACHTYPE", "GROUPS",
        "DIRSTACK",   "BASH_ARGV0"};
    return kOwn.count(name) > 0;
}

// What is put before a value that the user's account has; its text stays in the value.
bool is_a_search_path(const std::string& name) {
    return name == "LD_LIBRARY_PATH" || name == "PYTHONPATH" || name == "LIBRARY_PATH" || name == "CPATH";
}

constexpr std::size_t kMostArguments = 99;

}  // namespace

ScriptNeeds needs_of(const std::string& script, const std::map<std::string, std::string>& given,
                     const std::map<std::string, std::string>& known) {
    ScriptNeeds needs;
    const std::string code = without_comments(script);
    const auto places = places_of(code);
    std::set<std::string> defaulted;
    for (const auto& place : places) {
        if (place.has_default) {
            defaulted.insert(place.name);
        }
    }
    std::size_t arguments = 0;
    for (const auto& [name, has_default] : places) {
        const auto value = given.find(name);
        if (name == "@") {
            needs.takes_arguments = true;
        } else if (const auto number = parse_number<std::size_t>(name); number) {
            arguments = *number <= kMostArguments ? std::max(arguments, *number) : arguments;
        } else if (value != given.end()) {
            needs.variables[name] = value->second;
        } else if (is_a_search_path(name)) {
            needs.variables.try_emplace(name, '$' + name);
        } else if (!is_of_the_shell(name) && known.count(name) == 0 && defaulted.count(name) == 0 &&
                   !is_assigned(code, name) && needs.variables.try_emplace(name, "${" + name + '}').second) {
            needs.missing.push_back(name);
        }
    }
    std::vector<std::string> missing;
    for (std::size_t number = 1; number <= arguments; ++number) {
        const std::string name = std::to_string(number);
        const auto value = given.find(name);
        const bool is_missing = value == given.end() && defaulted.count(name) == 0;
        needs.arguments.push_back(value != given.end() ? value->second : is_missing ? '$' + name : "");
        if (is_missing) {
            missing.push_back(name);
        }
    }
    needs.missing.insert(needs.missing.begin(), missing.begin(), missing.end());
    return needs;
}

}  // namespace rankscope::inline jobs::launch_lines
