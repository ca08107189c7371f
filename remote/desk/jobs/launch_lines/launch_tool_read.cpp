// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <ranges>
#include <sstream>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

std::string normal(std::string name) {
    std::replace(name.begin(), name.end(), '_', '-');
    return name;
}

bool is_called(const OptionRule& rule, const std::string& name) {
    std::istringstream names(rule.names);
    for (std::string known; names >> known;) {
        if (normal(known) == name) {
            return true;
        }
    }
    return false;
}

std::vector<std::string> split(const std::string& text, char at) {
    std::vector<std::string> parts;
    std::istringstream stream(text);
    for (std::string part; std::getline(stream, part, at);) {
        parts.push_back(part);
    }
    return parts;
}

bool is_python(const std::string& word) {
    const auto name = word.substr(word.rfind('/') + 1);
    return name.starts_with("python") || name.starts_with("pypy");
}

// What the writers put before a command: sh -c 'export RANK=$…; exec "$@"' sh.
bool is_our_wrapper(const Words& words, std::size_t at) {
    return at + 4 < words.size() && (words[at] == "sh" || words[at] == "bash") && words[at + 1] == "-c" &&
           words[at + 2].starts_with("export RANK=$") && words[at + 2].ends_with("; exec \"$@\"");
}

}  // namespace

Failure not_understood(LauncherTool tool, const std::string& what, const std::string& remedy) {
    return {"bad-command-line", to_string(tool), what, remedy, ""};
}

namespace {

// Where options end, if one of them is not known: what follows is started, and no value.
bool is_a_program(const Words& words, std::size_t at) {
    const std::string& word = words[at];
    const std::string name = word.substr(word.rfind('/') + 1);
    return find_launcher(words, at) || name.starts_with("python") || name == "bash" || name == "sh" ||
           name == "env" || word.find('/') != std::string::npos || name.ends_with(".py");
}

}  // namespace

Result<void> read_options(LauncherTool tool, const Words& words, std::size_t& at, const OptionRules& rules,
                          PastedLine& line) {
    for (; at < words.size() && words[at].size() > 1 && words[at][0] == '-'; ++at) {
        const std::string& word = words[at];
        if (word == "--") {
            ++at;
            break;
        }
        const auto equals = word.find('=');
        std::string written = word.substr(0, equals);
        std::string name = normal(
            word.substr(word[1] == '-' ? 2 : 1,
                        equals == std::string::npos ? std::string::npos : equals - (word[1] == '-' ? 2 : 1)));
        std::optional<std::string> value;
        if (equals != std::string::npos) {
            value = word.substr(equals + 1);
        }
        auto rule =
            std::find_if(rules.begin(), rules.end(), [&](const auto& one) { return is_called(one, name); });
        if (rule == rules.end() && word[1] != '-' && word.size() > 2) {  // -n4
            rule = std::find_if(rules.begin(), rules.end(), [&](const auto& one) {
                return one.has_value && is_called(one, word.substr(1, 1));
            });
            value = word.substr(2);
            written = word.substr(0, 2);
        }
        if (rule == rules.end()) {
            // Newer versions and sites have options of their own. A value is no option and no program.
            const bool has_value = equals == std::string::npos && at + 1 < words.size() &&
                                   words[at + 1][0] != '-' && !is_a_program(words, at + 1);
            const std::string whole = has_value ? word + '=' + words[at + 1] : word;
            at += has_value ? 1 : 0;
            if (tool == LauncherTool::Srun && word.starts_with("--")) {
                line.allocation_extra.push_back(whole);
                line.notes.push_back(
                    text(kContext, "%1: belongs to the allocation; the job's nodes are used as they are",
                         {whole}));
                line.allocation_notes.push_back(line.notes.back());
            } else {
                line.notes.push_back(text(kContext, "%1 is not known and was left out.", {whole}));
            }
            continue;
        }
        if (rule->has_value && !value) {
            if (at + 1 >= words.size()) {
                return not_understood(tool, text(kContext, "%1 has no value.", {word}),
                                      text(kContext, "Is the end of the line missing?"));
            }
            value = words[++at];
        }
        if (!rule->take) {
            if (!rule->why.empty()) {
                line.notes.push_back(written + (value ? ' ' + *value : "") + ": " + rule->why);
            }
            continue;
        }
        const std::string wrong = rule->take(value.value_or(std::string()));
        if (!wrong.empty()) {
            return not_understood(tool, word + ": " + wrong, text(kContext, "Correct the value."));
        }
    }
    return {};
}

TakeValue into_number(int& out, int min, int max) {
    return [&out, min, max](const std::string& value) {
        const auto number = parse_number<int>(value);
        if (!number || *number < min || *number > max) {
            return text(kContext, "\"%1\" is not a number from %2 to %3",
                        {value, std::to_string(min), std::to_string(max)});
        }
        out = *number;
        return std::string();
    };
}

TakeValue into_text(std::string& out) {
    return [&out](const std::string& value) {
        out = value;
        return std::string();
    };
}

TakeValue into_flag(bool& out, bool value) {
    return [&out, value](const std::string&) {
        out = value;
        return std::string();
    };
}

TakeValue into_variable(PastedLine& line, const std::string& name) {
    return [&line, name](const std::string& value) {
        line.job.env[name] = value;
        return std::string();
    };
}

void leave_out(OptionRules& rules, const std::string& why, std::initializer_list<const char*> with_value,
               std::initializer_list<const char*> flags) {
    for (const char* names : with_value) {
        rules.push_back({names, true, nullptr, why});
    }
    for (const char* names : flags) {
        rules.push_back({names, false, nullptr, why});
    }
}

namespace because {

std::string logs_are_kept() {
    return text(kContext, "each rank's output is kept anyway");
}
std::string ssh_is_the_inventorys() {
    return text(kContext, "the inventory says how nodes are reached");
}
std::string a_run_has_its_own_rendezvous() {
    return text(kContext, "each run has a rendezvous of its own");
}
std::string nodes_are_fixed() {
    return text(kContext, "the number of nodes is fixed in a run");
}
std::string nodes_are_in_order() {
    return text(kContext, "ranks follow from the order of the nodes");
}
std::string the_master_is_found() {
    return text(kContext, "the master's address is found out");
}
std::string an_exit_is_seen() {
    return text(kContext, "an exit is seen at once");
}
std::string there_is_one_role() {
    return text(kContext, "there is one role");
}
std::string addresses_are_the_inventorys() {
    return text(kContext, "address: in the inventory says that");
}
std::string numactl_does_that() {
    return text(kContext, "start numactl in command: instead");
}
std::string that_is_done_in_our_way() {
    return text(kContext, "Rankscope does that in its own way");
}

}  // namespace because

std::string take_hosts(const std::string& value, PastedLine& line) {
    for (const auto& entry : split(value, ',')) {
        const auto colon = entry.rfind(':');
        const std::string host = entry.substr(0, colon);
        int slots = 1;
        if (colon != std::string::npos) {
            const auto number = parse_number<int>(entry.substr(colon + 1));
            if (!number || *number < 1) {
                return text(kContext, "\"%1\" is not host:slots", {entry});
            }
            slots = *number;
        }
        if (host.empty()) {
            return text(kContext, "\"%1\" names no host", {value});
        }
        // Open MPI: a host that is named again has one slot more.
        if (std::find(line.hosts.begin(), line.hosts.end(), host) == line.hosts.end()) {
            line.hosts.push_back(host);
        }
        line.host_ranks[host] += slots;
    }
    return {};
}

std::string take_gpus(const std::string& value, PastedLine& line) {
    for (const auto& entry : split(value, ',')) {
        const auto number = parse_number<int>(entry);
        if (!number || *number < 0) {
            return text(kContext, "\"%1\" is not a list of GPUs (0,1,2)", {value});
        }
        if (std::find(line.gpus.begin(), line.gpus.end(), *number) == line.gpus.end()) {
            line.gpus.push_back(*number);
        }
    }
    return {};
}

Result<void> take_node_count(LauncherTool tool, std::string value, PastedLine& line) {
    if (const auto colon = value.find(':'); colon != std::string::npos) {
        line.notes.push_back(text(
            kContext, "--nnodes %1: the number of nodes is fixed in a run; the larger is taken.", {value}));
        value = value.substr(colon + 1);
    }
    if (const auto wrong = into_number(line.nodes, 1, 100000)(value); !wrong.empty()) {
        return not_understood(tool, "--nnodes: " + wrong, text(kContext, "Give the number of nodes."));
    }
    return {};
}

Result<void> take_port_of(LauncherTool tool, const std::string& option, const std::string& endpoint,
                          PastedLine& line) {
    const auto colon = endpoint.rfind(':');
    const auto wrong = colon == std::string::npos
                           ? std::string()
                           : into_number(line.job.master_port, 0, 65535)(endpoint.substr(colon + 1));
    if (!wrong.empty()) {
        return not_understood(tool, option + ": " + wrong, text(kContext, "Write it as HOST:PORT."));
    }
    return {};
}

void note_hostfile(const std::string& file, PastedLine& line) {
    if (!file.empty()) {
        line.notes.push_back(
            text(kContext, "--hostfile %1: `rankscopectl nodes import %1` adds its nodes.", {file}));
    }
}

Result<void> take_program(LauncherTool tool, const Words& words, std::size_t at, const ProgramStyle& style,
                          PastedLine& line) {
    if (at >= words.size()) {
        return not_understood(tool, text(kContext, "The line names no program."),
                              text(kContext, "The script to train comes after the options."));
    }
    Words& command = line.job.command;
    if (!style.no_python) {
        command.push_back(style.python);
        if (style.module) {
            command.push_back("-m");
        }
    }
    command.insert(command.end(), words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
    return {};
}

void add_local_rank(const ProgramStyle& style, PastedLine& line) {
    Words& command = line.job.command;
    const std::ptrdiff_t script = style.no_python ? 1 : style.module ? 3 : 2;
    command.insert(command.begin() + script, "--local_rank={local_rank}");
}

Result<void> take_command(LauncherTool tool, const Words& words, std::size_t at,
                          const std::map<std::string, std::string>& own, PastedLine& line) {
    if (is_our_wrapper(words, at)) {
        std::istringstream exports(words[at + 2]);
        for (std::string word; exports >> word;) {
            constexpr std::string_view kPort = "MASTER_PORT=";
            if (word.starts_with(kPort)) {
                line.job.master_port =
                    parse_number<int>(word.substr(kPort.size(), word.find(';') - kPort.size())).value_or(0);
            }
        }
        at += 4;
    } else {
        line.job.env.insert(own.begin(), own.end());
        line.notes.push_back(text(kContext, "The program gets what %1 would set: %2.",
                                  {to_string(tool), joined(own | std::views::keys)}));
    }
    if (at >= words.size()) {
        return not_understood(tool, text(kContext, "The line names no program."),
                              text(kContext, "The program to run comes after the options."));
    }
    line.job.command.assign(words.begin() + static_cast<std::ptrdiff_t>(at), words.end());
    // `mpirun python -u train.py`: unbuffered is how ranks run anyway.
    if (line.job.command.size() > 2 && is_python(line.job.command[0]) && line.job.command[1] == "-u") {
        line.job.command.erase(line.job.command.begin() + 1);
    }
    return {};
}

}  // namespace rankscope::inline jobs::launch_lines
