// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/launch_lines/container_line.h>
#include <remote/desk/jobs/launch_lines/shell_words.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

struct Option {
    std::string name;  ///< the long one, without dashes
    std::string value;
    bool has_value = false;
};

// docker-run(1), docker-exec(1), apptainer exec: those that take a value, and what they are called in one letter.
const std::map<std::string_view, std::string_view>& letters() {
    static const std::map<std::string_view, std::string_view> names{
        {"v", "volume"},   {"e", "env"},     {"w", "workdir"}, {"p", "publish"},    {"u", "user"},
        {"h", "hostname"}, {"m", "memory"},  {"l", "label"},   {"c", "cpu-shares"}, {"B", "bind"},
        {"H", "home"},     {"W", "workdir"}, {"o", "overlay"}};
    return names;
}

bool takes_value(std::string_view name) {
    static const std::set<std::string_view> kNames{
        "volume",     "env",      "name",         "workdir",      "network",     "net",
        "gpus",       "shm-size", "ulimit",       "mount",        "publish",     "user",
        "entrypoint", "ipc",      "device",       "runtime",      "env-file",    "hostname",
        "cap-add",    "cap-drop", "memory",       "memory-swap",  "cpus",        "cpuset-cpus",
        "add-host",   "label",    "pid",          "security-opt", "platform",    "log-driver",
        "log-opt",    "restart",  "group-add",    "tmpfs",        "pull",        "bind",
        "home",       "pwd",      "overlay",      "app",          "cpu-shares",  "userns",
        "cgroupns",   "uts",      "stop-timeout", "volumes-from", "mac-address", "ip",
        "dns",        "sysctl",   "annotation",   "authfile",     "arch"};
    return kNames.count(name) > 0;
}

// Of a run's container in any case, or without a meaning for it.
bool is_given_anyway(const Option& option) {
    static const std::set<std::string_view> kNames{
        "rm",         "it",      "ti",   "interactive", "tty",      "detach",  "i",           "t",
        "d",          "itd",     "name", "shm-size",    "env",      "init",    "nv",          "cleanenv",
        "entrypoint", "restart", "pull", "log-driver",  "hostname", "publish", "stop-timeout"};
    const bool host = option.value == "host";
    return kNames.count(option.name) > 0 || (option.name == "gpus" && option.value == "all") ||
           (host && (option.name == "network" || option.name == "net" || option.name == "ipc" ||
                     option.name == "pid" || option.name == "uts"));
}

// Reads options up to the image or name.
std::vector<Option> options_before_image(const Words& words, std::size_t& at) {
    std::vector<Option> options;
    for (; at < words.size() && words[at].size() > 1 && words[at][0] == '-'; ++at) {
        const bool is_long = words[at].starts_with("--");
        std::string_view text = words[at];
        text.remove_prefix(is_long ? 2 : 1);
        const auto equals = text.find('=');
        Option option{std::string(text.substr(0, equals)), "", equals != std::string_view::npos};
        if (option.has_value) {
            option.value = text.substr(equals + 1);
        }
        if (!is_long) {
            if (const auto letter = letters().find(text.substr(0, 1)); letter != letters().end()) {
                option = {std::string(letter->second), std::string(text.substr(1)), text.size() > 1};
            }
        }
        if (!option.has_value && takes_value(option.name) && at + 1 < words.size()) {
            option.value = words[++at];
            option.has_value = true;
        }
        options.push_back(std::move(option));
    }
    return options;
}

void take_mount(const std::string& text, ContainerLine& line) {
    const auto parts = split(text, ':');
    std::string mount(parts[0]);
    if (parts.size() > 1) {
        mount += ':' + std::string(parts[1]);
    }
    if (parts.size() > 2) {
        for (const auto option : split(parts[2], ',')) {
            mount += option == "ro" ? ":ro" : "";
        }
    }
    (is_mount(mount) ? line.container.mounts : line.left_out).push_back(mount);
}

void take_mounts(const std::string& list, ContainerLine& line) {
    for (const auto mount : split(list, ',')) {
        take_mount(std::string(mount), line);
    }
}

void note_left_out(const std::vector<std::string>& mounts, PastedLine& line) {
    for (const auto& mount : mounts) {
        line.notes.push_back(text(kContext,
                                  "%1: a folder of this computer. push: brings it to the nodes, or "
                                  "container.mounts names one that they have.",
                                  {mount}));
    }
}

// "type=bind,source=/data,target=/data,readonly"
void take_long_mount(const std::string& text, ContainerLine& line) {
    std::map<std::string, std::string> values;
    for (const auto part : split(text, ',')) {
        const auto equals = part.find('=');
        values[std::string(part.substr(0, equals))] =
            equals == std::string_view::npos ? "true" : std::string(part.substr(equals + 1));
    }
    const auto first_of = [&values](std::initializer_list<const char*> names) {
        for (const char* name : names) {
            if (const auto value = values.find(name); value != values.end()) {
                return value->second;
            }
        }
        return std::string();
    };
    const std::string source = first_of({"source", "src"});
    const std::string target = first_of({"target", "dst", "destination"});
    const bool read_only = values.count("readonly") > 0 || values.count("ro") > 0;
    if (!source.empty() && !target.empty()) {
        take_mount(source + ':' + target + (read_only ? ":ro" : ""), line);
    }
}

void take_option(const Option& option, ContainerLine& line) {
    if (option.name == "volume") {
        take_mount(option.value, line);
    } else if (option.name == "bind") {
        take_mounts(option.value, line);
    } else if (option.name == "mount") {
        take_long_mount(option.value, line);
    } else if (option.name == "workdir" || option.name == "pwd") {
        line.workdir = option.value;
    } else if (option.name == "gpus" && option.value.find(',') != std::string::npos) {
        line.container.options.push_back("--gpus=\"" + option.value +
                                         '"');  // it reads comma-separated values
    } else if (!is_given_anyway(option)) {
        const std::string dashes = option.name.size() > 1 ? "--" : "-";
        line.container.options.push_back(dashes + option.name + (option.has_value ? '=' + option.value : ""));
    }
}

}  // namespace

std::optional<ContainerLine> read_container_line(const std::string& text) {
    const auto split_text = split_shell_text(text);
    if (split_text.commands.size() != 1) {
        return std::nullopt;
    }
    const Words& words = split_text.commands.front().words;
    static const std::map<std::string, ContainerRuntime> kRuntimes{
        {"docker", ContainerRuntime::Docker},
        {"podman", ContainerRuntime::Podman},
        {"apptainer", ContainerRuntime::Apptainer},
        {"singularity", ContainerRuntime::Apptainer}};
    const auto runtime =
        words.empty() ? kRuntimes.end() : kRuntimes.find(words[0].substr(words[0].rfind('/') + 1));
    const bool runs = words.size() > 2 && (words[1] == "run" || words[1] == "exec");
    if (runtime == kRuntimes.end() || !runs) {
        return std::nullopt;
    }
    ContainerLine line;
    line.container.runtime = runtime->second;
    std::size_t at = 2;
    for (const auto& option : options_before_image(words, at)) {
        take_option(option, line);
    }
    if (at >= words.size()) {
        return std::nullopt;
    }
    const bool is_instance = words[at].starts_with("instance://");
    const bool enters = runtime->second != ContainerRuntime::Apptainer ? words[1] == "exec" : is_instance;
    if (enters) {
        line.container.name =
            is_instance ? words[at].substr(std::string_view("instance://").size()) : words[at];
        line.container.mounts.clear();
    } else {
        line.container.image = words[at];
    }
    return line;
}

void take_container(const std::string& written, PastedLine& line) {
    const auto found = line.job.container.wanted() ? std::nullopt : read_container_line(written);
    if (!found) {
        return;
    }
    line.job.container = found->container;
    if (!found->workdir.empty()) {
        line.job.workdir = found->workdir;
    }
    line.notes.push_back(text(kContext, "%1: each node makes a container for its ranks.", {written}));
    note_left_out(found->left_out, line);
}

// reference: Pyxis' README, "Usage"
void add_pyxis(OptionRules& rules, PastedLine& line) {
    JobContainer& container = line.job.container;
    rules.push_back({"container-image", true, [&container](const std::string& value) {
                         container.image = value;
                         std::replace(container.image.begin(), container.image.end(), '#',
                                      '/');  // REGISTRY#IMAGE
                         return std::string();
                     }});
    rules.push_back({"container-mounts", true, [&line](const std::string& value) {
                         ContainerLine read;
                         take_mounts(value, read);
                         line.job.container.mounts = read.container.mounts;
                         note_left_out(read.left_out, line);
                         return std::string();
                     }});
    rules.push_back({"container-workdir", true, into_text(line.job.workdir)});
    leave_out(rules, text(kContext, "a run makes a container of its own"),
              {"container-name", "container-env", "container-save"},
              {"container-mount-home", "no-container-mount-home", "container-writable", "container-readonly",
               "container-remap-root", "no-container-remap-root", "no-container-entrypoint",
               "container-entrypoint"});
}

}  // namespace rankscope::inline jobs::launch_lines
