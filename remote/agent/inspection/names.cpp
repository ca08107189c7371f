// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/files.h>
#include <base/text.h>
#include <base/utf8.h>
#include <remote/agent/inspection/names.h>
#include <remote/agent/node/ask_program.h>

#include <arpa/inet.h>
#include <strings.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <string>

namespace rankscope::agent {
namespace {

constexpr double kNamePatience = 2;
constexpr double kQuickNamePatience = 0.2;
constexpr std::size_t kMostNames = 128;  // so many programs run at the same time
constexpr std::size_t kLongestName = 253;

bool is_numeric(const std::string& text) {
    std::array<char, sizeof(in6_addr)> bytes{};
    const std::string address = text.substr(0, text.find('%'));
    return ::inet_pton(AF_INET, address.c_str(), bytes.data()) == 1 ||
           ::inet_pton(AF_INET6, address.c_str(), bytes.data()) == 1;
}

void add_once(std::vector<std::string>& addresses, std::string address) {
    if (std::find(addresses.begin(), addresses.end(), address) == addresses.end()) {
        addresses.push_back(std::move(address));
    }
}

std::vector<std::string_view> words_of(std::string_view line) {
    std::vector<std::string_view> words;
    constexpr std::string_view kBlank = " \t\r";
    for (auto begin = line.find_first_not_of(kBlank); begin != std::string_view::npos;
         begin = line.find_first_not_of(kBlank)) {
        line.remove_prefix(begin);
        words.push_back(line.substr(0, line.find_first_of(kBlank)));
        line.remove_prefix(words.back().size());
    }
    return words;
}

void set_addresses(wire::ResolvedName& name, const std::vector<std::string>& addresses) {
    name.mutable_addresses()->Assign(addresses.begin(), addresses.end());
}

// A program would take a name that starts with '-' for an option.
bool is_askable(const std::string& name) {
    return !name.empty() && name.size() <= kLongestName && name.front() != '-' &&
           name.find('\0') == std::string::npos;
}

std::vector<std::string> wanted_names(const wire::InspectHost& request) {
    utsname self{};
    ::uname(&self);
    std::vector<std::string> names;
    add_once(names, as_utf8(self.nodename));
    for (const auto& name : request.names()) {
        add_once(names, name);
    }
    return names;
}

void ask_hosts_file(wire::HostInspection& found) {
    const std::string hosts = read_file("/etc/hosts").value_or(std::string());
    for (auto& name : *found.mutable_names()) {
        const auto addresses =
            is_numeric(name.name()) ? std::vector{name.name()} : read_hosts(hosts, name.name());
        set_addresses(name, addresses);
        name.set_error(addresses.empty() ? "not-found" : "");
    }
}

// getent asks for addresses of the families that this node has. A name that has others alone is found by the older
// database, which knows no such filter.
void ask_getent(const std::string& getent, const InspectionScope& scope, wire::HostInspection& found) {
    const double patience = scope.patience(kNamePatience, kQuickNamePatience);
    const double begin = monotonic_s();
    std::vector<wire::ResolvedName*> waiting;
    for (auto& name : *found.mutable_names()) {
        is_askable(name.name()) ? waiting.push_back(&name) : name.set_error("not-a-name");
    }
    for (const char* database : {"ahosts", "hosts"}) {
        const double left = begin + patience - monotonic_s();
        if (waiting.empty() || left <= 0 || scope.stop.stop_requested()) {
            return;
        }
        std::vector<ProgramQuestion> questions;
        questions.reserve(waiting.size());
        for (const auto* name : waiting) {
            questions.push_back({.argv = {getent, database, name->name()},
                                 .seconds = left,
                                 .environment = tool_environment()});
        }
        const auto answers = ask_programs(questions, scope.stop);
        std::vector<wire::ResolvedName*> missing;
        for (std::size_t i = 0; i < answers.size(); ++i) {
            auto& name = *waiting[i];
            const auto addresses = read_getent(answers[i].output);
            name.set_seconds(name.seconds() + answers[i].seconds);
            if (answers[i].start_error != 0) {
                add_unseen(found, "names." + name.name(), answers[i].why());
                name.set_error("not-asked");
            } else if (answers[i].late) {
                name.set_error(name.error().empty() ? "late" : name.error());
            } else if (!addresses.empty()) {
                set_addresses(name, addresses);
                name.set_error(name.error().empty() ? "" : "no-family");
            } else if (name.error().empty()) {
                name.set_error("not-found");
                missing.push_back(&name);
            }
        }
        waiting = std::move(missing);
    }
}

}  // namespace

std::vector<std::string> read_getent(std::string_view text) {
    std::vector<std::string> addresses;
    for (const auto line : split(text, '\n')) {
        const auto words = words_of(line);
        if (!words.empty() && is_numeric(std::string(words.front()))) {
            add_once(addresses, as_utf8(std::string(words.front())));
        }
    }
    return addresses;
}

std::vector<std::string> read_hosts(std::string_view text, std::string_view name) {
    std::vector<std::string> addresses;
    for (const auto line : split(text, '\n')) {
        const auto words = words_of(line.substr(0, line.find('#')));
        const bool names_it =
            words.size() > 1 && std::any_of(words.begin() + 1, words.end(), [name](std::string_view word) {
                return word.size() == name.size() &&
                       ::strncasecmp(word.data(), name.data(), name.size()) == 0;
            });
        if (names_it && is_numeric(std::string(words.front()))) {
            add_once(addresses, as_utf8(std::string(words.front())));
        }
    }
    return addresses;
}

wire::HostInspection inspect_names(const InspectionScope& scope, const Tools& tools) {
    wire::HostInspection found;
    const auto names = wanted_names(scope.request);
    found.set_hostname(names.front());
    for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
        found.add_names()->set_name(names[i]);
    }
    if (names.size() > kMostNames) {
        add_unseen(found, "names", "only the first 128 names are resolved");
    }
    const auto getent = tools.find("getent");
    if (getent == tools.end()) {
        add_unseen(found, "names", "getent is not installed: only /etc/hosts was read");
        ask_hosts_file(found);
    } else {
        ask_getent(getent->second, scope, found);
    }
    return found;
}

}  // namespace rankscope::agent
