// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/paths.h>
#include <base/text.h>
#include <remote/desk/nodes/transport/process_channel.h>
#include <remote/desk/nodes/transport/ssh_config_libssh.h>
#include <remote/desk/nodes/transport/ssh_target.h>
#include <remote/desk/nodes/transport/transport.h>
#include <remote/desk/shared/text.h>

#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <mutex>
#include <ranges>
#include <set>
#include <sstream>

namespace rankscope::inline nodes {
namespace {

constexpr const char* kContext = "SshTarget";
constexpr double kResolveTimeout = 15;  // a Match exec may ask a server

// The names ssh itself tries when nothing is configured (readconf.c, fill_default_options).
const std::set<std::string>& default_identities() {
    static const std::set<std::string> names{
        "~/.ssh/id_rsa",     "~/.ssh/id_dsa",        "~/.ssh/id_ecdsa", "~/.ssh/id_ecdsa_sk",
        "~/.ssh/id_ed25519", "~/.ssh/id_ed25519_sk", "~/.ssh/id_xmss"};
    return names;
}

struct Account {
    std::string name;
    std::string home;
};

// Who runs this program, by the password file; empty where it does not say. Not getpwuid(3): all nodes are
// connected to at the same time, each on a thread of its own.
Account own_account() {
    std::vector<char> room(1024);
    passwd entry{};
    passwd* found = nullptr;
    while (::getpwuid_r(::geteuid(), &entry, room.data(), room.size(), &found) == ERANGE) {
        room.resize(room.size() * 2);
    }
    return found != nullptr ? Account{entry.pw_name, entry.pw_dir} : Account{};
}

std::vector<std::string> words_of(const std::string& value) {
    std::istringstream stream(value);
    std::vector<std::string> words;
    for (std::string word; stream >> word;) {
        words.push_back(word);
    }
    return words;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) {
        parts.push_back(part);
    }
    return parts;
}

// ssh writes "me@[login]:22" for what was "me@login:22"; only an IPv6 address needs that.
std::string without_needless_brackets(std::string jump) {
    const auto open = jump.find('[');
    const auto close = jump.find(']');
    if (open != std::string::npos && close != std::string::npos && open < close &&
        jump.find(':', open) > close) {
        jump.erase(close, 1);
        jump.erase(open, 1);
    }
    return jump;
}

int number_of(const std::string& value, int otherwise) {
    int number = otherwise;
    std::from_chars(value.data(), value.data() + value.size(), number);
    return number;
}

// ssh's complaints name file and line; its last line only counts them.
Failure config_fault(const NodeSpec& node, const std::string& said) {
    std::string first = said.substr(0, said.find('\n'));
    while (!first.empty() && (first.back() == '\r' || first.back() == '.')) {
        first.pop_back();
    }
    return {"ssh-config", node.name, text(kContext, "The SSH configuration has a fault: %1.", {first}),
            text(kContext, "Fix that line; `ssh -G %1` must print no error.", {node.host}), said};
}

}  // namespace

std::string SshTarget::option(const std::string& name) const {
    const auto found = options.find(name);
    return found == options.end() ? std::string() : found->second;
}

bool SshTarget::is_on(const std::string& name) const {
    const std::string value = option(name);
    return value == "yes" || value == "true";
}

SshTarget parse_resolved_options(const NodeSpec& node, const std::string& printed) {
    SshTarget target;
    target.node = node.name;
    target.alias = node.host;
    target.host = node.host;
    std::istringstream lines(printed);
    for (std::string line; std::getline(lines, line);) {
        const auto blank = line.find(' ');
        const std::string name = line.substr(0, blank);
        const std::string value = blank == std::string::npos ? "" : line.substr(blank + 1);
        target.options[name] = value;
        if (name == "hostname") {
            target.host = value;
        } else if (name == "port") {
            target.port = number_of(value, 22);
        } else if (name == "user") {
            target.user = value;
        } else if (name == "identityfile") {
            if (std::find(target.identity_files.begin(), target.identity_files.end(), value) ==
                target.identity_files.end()) {
                target.identity_files.push_back(value);
            }
        } else if (name == "certificatefile") {
            target.certificate_files.push_back(value);
        } else if (name == "proxyjump" && value != "none") {
            target.proxy_jump = value;
        } else if (name == "proxycommand" && value != "none") {
            target.proxy_command = value;
        } else if (name == "userknownhostsfile" || name == "globalknownhostsfile") {
            auto files = words_of(value);
            target.known_hosts.insert(name[0] == 'u' ? target.known_hosts.begin() : target.known_hosts.end(),
                                      files.begin(), files.end());
        } else if (name == "connecttimeout") {
            target.connect_timeout_s = number_of(value, 0);
        }
    }
    target.identities_only = target.is_on("identitiesonly");
    target.identities_named =
        !node.identity_file.empty() ||
        std::any_of(target.identity_files.begin(), target.identity_files.end(),
                    [](const std::string& file) { return !default_identities().contains(file); });
    return target;
}

Result<SshTarget> resolve_ssh_target(const NodeSpec& node, const std::stop_token& stop) {
    std::error_code error;  // of a name that is too long, for example
    if (!node.identity_file.empty() && !std::filesystem::exists(expand_home(node.identity_file), error)) {
        return Failure{
            "ssh-no-identity", node.name,
            text(kContext, "The key file %1 does not exist.", {node.identity_file}),
            text(kContext,
                 "Correct identity_file: in the inventory, or make one: `rankscopectl keys generate`."),
            ""};
    }
    std::vector<std::string> argv{"ssh", "-G", "-T"};
    const auto config = ssh_config_argument();
    argv.insert(argv.end(), config.begin(), config.end());
    const auto give = [&](const char* option, const std::string& value) {
        if (!value.empty()) {
            argv.insert(argv.end(), {option, value});
        }
    };
    give("-p", node.port != 0 ? std::to_string(node.port) : "");
    give("-l", node.user);
    give("-i", node.identity_file.empty() ? "" : expand_home(node.identity_file).string());
    give("-J", node.proxy_jump);
    argv.insert(argv.end(), {"--", node.host});
    auto captured = capture_program(argv, {{"LC_ALL", "C"}}, kResolveTimeout, stop);
    if (!captured) {
        return resolve_with_libssh(node);
    }
    if (stop.stop_requested()) {
        return cancelled(node.name);
    }
    if (captured->timed_out) {
        return Failure{"ssh-config", node.name,
                       text(kContext, "Reading the SSH configuration took more than %1 s.",
                            {std::to_string(static_cast<int>(kResolveTimeout))}),
                       text(kContext, "A `Match exec` in ssh_config waits: try `ssh -G %1`.", {node.host}),
                       captured->errors};
    }
    if (captured->status != 0) {
        return config_fault(node, captured->errors);
    }
    return parse_resolved_options(node, captured->output);
}

std::vector<std::string> ssh_config_argument() {
    const std::string home = own_account().home;
    if (home.empty() || home_dir() == home) {
        return {};
    }
    const auto config = home_dir() / ".ssh" / "config";
    return {"-F", ::access(config.c_str(), R_OK) == 0 ? config.string() : "/dev/null"};
}

const SshTarget& ssh_defaults(const std::stop_token& stop) {
    static std::mutex mutex;
    static SshTarget defaults;
    const std::lock_guard lock(mutex);
    if (defaults.options.empty()) {
        NodeSpec node;
        node.host = "localhost";
        auto captured = capture_program({"ssh", "-F", "none", "-G", "-T", "localhost"}, {{"LC_ALL", "C"}},
                                        kResolveTimeout, stop);
        if (captured && captured->status == 0) {
            defaults = parse_resolved_options(node, captured->output);
        }
    }
    return defaults;
}

std::string expand_ssh_path(const SshTarget& target, const std::string& path) {
    std::string result;
    const std::string start = expand_home(path).string();
    for (std::size_t i = 0; i < start.size(); ++i) {
        if (start[i] != '%' || i + 1 == start.size()) {
            result += start[i];
            continue;
        }
        switch (start[++i]) {
            case 'd':
                result += home_dir().string();
                break;
            case 'h':
                result += target.host;
                break;
            case 'n':
                result += target.alias;
                break;
            case 'p':
                result += std::to_string(target.port);
                break;
            case 'r':
                result += target.user;
                break;
            case 'u':
                result += own_account().name;
                break;
            case '%':
                result += '%';
                break;
            default:
                result += std::string("%") + start[i];
        }
    }
    return result;
}

std::string shorten_home(const std::string& path) {
    const std::string home = home_dir().string();
    return home.size() > 1 && path.starts_with(home + '/') ? '~' + path.substr(home.size()) : path;
}

std::string describe_target(const SshTarget& target, const std::string& key) {
    std::string said = target.account() + ':' + std::to_string(target.port);
    if (!target.proxy_jump.empty()) {
        const auto jumps = split(target.proxy_jump, ',');
        said = text(kContext, "%1 through %2",
                    {said, joined(jumps | std::views::transform(without_needless_brackets))});
    } else if (!target.proxy_command.empty()) {
        said = text(kContext, "%1 through \"%2\"", {said, target.proxy_command});
    }
    if (!key.empty()) {
        return text(kContext, "%1 with %2", {said, key});
    }
    for (const auto& file : target.identity_files) {
        const std::string path = expand_ssh_path(target, file);
        if (::access(path.c_str(), F_OK) == 0) {
            return text(kContext, "%1 with %2", {said, shorten_home(path)});
        }
    }
    return said;
}

}  // namespace rankscope::inline nodes
