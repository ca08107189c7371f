// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Launchers that have no reader of their own (colossalai run, composer, dlrover-run, fabric run, torchx run dist.ddp, a
// team's own python -m tools.launch): they say in much the same words how many ranks and nodes there are, and a script
// comes behind.

#include <base/text.h>
#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/shared/text.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";

enum class Term { RanksPerNode, WorldSize, Nodes, Layout, Hosts, Port, Endpoint, Script, Module, Ours };

// Names with '-' for '_' and without the dashes before them.
std::optional<Term> term_of(const std::string& name) {
    static const std::map<std::string_view, Term> terms{{"nproc-per-node", Term::RanksPerNode},
                                                        {"nproc-per-machine", Term::RanksPerNode},
                                                        {"nprocs-per-node", Term::RanksPerNode},
                                                        {"procs-per-node", Term::RanksPerNode},
                                                        {"num-proc-per-node", Term::RanksPerNode},
                                                        {"num-processes-per-node", Term::RanksPerNode},
                                                        {"processes-per-node", Term::RanksPerNode},
                                                        {"ranks-per-node", Term::RanksPerNode},
                                                        {"workers-per-node", Term::RanksPerNode},
                                                        {"gpus-per-node", Term::RanksPerNode},
                                                        {"num-gpus-per-node", Term::RanksPerNode},
                                                        {"ngpus-per-node", Term::RanksPerNode},
                                                        {"devices-per-node", Term::RanksPerNode},
                                                        {"local-world-size", Term::RanksPerNode},
                                                        {"local-worker-num", Term::RanksPerNode},
                                                        {"nproc", Term::RanksPerNode},
                                                        {"nprocs", Term::RanksPerNode},
                                                        {"num-gpus", Term::RanksPerNode},
                                                        {"n-gpus", Term::RanksPerNode},
                                                        {"ngpus", Term::RanksPerNode},
                                                        {"devices", Term::RanksPerNode},
                                                        {"world-size", Term::WorldSize},
                                                        {"num-processes", Term::WorldSize},
                                                        {"num-procs", Term::WorldSize},
                                                        {"worker-num", Term::WorldSize},
                                                        {"total-gpus", Term::WorldSize},
                                                        {"nnodes", Term::Nodes},
                                                        {"nnode", Term::Nodes},
                                                        {"nodes", Term::Nodes},
                                                        {"num-nodes", Term::Nodes},
                                                        {"n-nodes", Term::Nodes},
                                                        {"node-num", Term::Nodes},
                                                        {"num-machines", Term::Nodes},
                                                        {"j", Term::Layout},
                                                        {"host", Term::Hosts},
                                                        {"hosts", Term::Hosts},
                                                        {"host-list", Term::Hosts},
                                                        {"hostlist", Term::Hosts},
                                                        {"master-port", Term::Port},
                                                        {"main-process-port", Term::Port},
                                                        {"main-port", Term::Port},
                                                        {"dist-port", Term::Port},
                                                        {"rdzv-endpoint", Term::Endpoint},
                                                        {"script", Term::Script},
                                                        {"m", Term::Module},
                                                        {"module", Term::Module},
                                                        {"node-rank", Term::Ours},
                                                        {"machine-rank", Term::Ours},
                                                        {"base-rank", Term::Ours},
                                                        {"master-addr", Term::Ours},
                                                        {"master-address", Term::Ours},
                                                        {"master-ip", Term::Ours},
                                                        {"main-address", Term::Ours},
                                                        {"main-process-ip", Term::Ours},
                                                        {"rdzv-backend", Term::Ours},
                                                        {"rdzv-id", Term::Ours}};
    const auto found = terms.find(name);
    return found == terms.end() ? std::nullopt : std::optional(found->second);
}

bool is_script(const std::string& word) {
    return word.ends_with(".py");
}

bool starts_python(const std::string& word) {
    return base_name(word).starts_with("python");
}

struct Option {
    std::string written;
    std::optional<Term> term;
    std::string value;
};

// The launcher's words up to the program.
struct Call {
    std::vector<Option> options;
    std::size_t program = 0;   ///< of its first word
    bool is_module = false;    ///< it is the name of a module
    std::string script = {};   ///< as the value of an option: its arguments come behind "--"
    bool names_ranks = false;  ///< an option says how many ranks or nodes there are, or which of them this is
};

std::optional<Call> call_at(const Words& words, std::size_t at) {
    Call call;
    for (; at < words.size(); ++at) {
        const std::string& word = words[at];
        if (word == "--") {
            ++at;
            break;
        }
        if (find_known_launcher(words, at)) {
            return std::nullopt;  // this one is only around it
        }
        if (word.size() < 2 || word[0] != '-') {
            if (is_script(word) || starts_python(word)) {
                break;
            }
            continue;  // "run", "dist.ddp"
        }
        const std::size_t equals = word.find('=');
        Option option{word, {}, equals == std::string::npos ? "" : word.substr(equals + 1)};
        std::string name = word.substr(0, equals);
        name.erase(0, name.find_first_not_of('-'));
        std::replace(name.begin(), name.end(), '_', '-');
        option.term = term_of(name);
        if (option.term == Term::Module) {
            call.is_module = true;
            at += equals == std::string::npos ? 1 : 0;
            break;
        }
        const bool has_value = at + 1 < words.size() && !words[at + 1].starts_with('-') &&
                               (option.term || (!is_script(words[at + 1]) && !starts_python(words[at + 1])));
        if (equals == std::string::npos && has_value) {
            option.value = words[++at];
            option.written += ' ' + option.value;
        }
        if (option.term == Term::Script) {
            call.script = option.value;
        } else {
            call.names_ranks = call.names_ranks || (option.term && option.term != Term::Hosts);
            call.options.push_back(std::move(option));
        }
    }
    call.program = at;
    const bool has_program =
        call.is_module ? at < words.size()
                       : !call.script.empty() ||
                             (at < words.size() && (is_script(words[at]) || starts_python(words[at])));
    return call.names_ranks && has_program ? std::optional(std::move(call)) : std::nullopt;
}

bool is_a_launching_module(const std::string& module) {
    const std::string last = module.substr(module.rfind('.') + 1);
    return last.find("launch") != std::string::npos || last == "run" || last == "runner";
}

std::string not_a_layout(const std::string& value) {
    return text(kContext, "\"%1\" is not NODES x RANKS, such as 2x4", {value});
}

// "2x4"; "4": ranks of one node; "1:2x4": at least one node.
std::string take_layout(std::string value, PastedLine& line) {
    value.erase(0, value.find(':') == std::string::npos ? 0 : value.find(':') + 1);
    const std::size_t cross = value.find('x');
    const auto nodes = parse_number<int>(cross == std::string::npos ? "1" : value.substr(0, cross));
    const auto ranks = parse_number<int>(cross == std::string::npos ? value : value.substr(cross + 1));
    if (!nodes || !ranks || *nodes < 1 || *ranks < 1) {
        return not_a_layout(value);
    }
    line.nodes = *nodes;
    line.job.procs_per_node = *ranks;
    return {};
}

}  // namespace

std::optional<FoundLauncher> find_other_launcher(const Words& words, std::size_t at) {
    FoundLauncher found;
    found.tool = LauncherTool::Other;
    const std::string name = base_name(words[at]);
    if (name == "accelerate") {
        return std::nullopt;  // `accelerate config`
    }
    std::size_t options = at + 1;
    if (starts_python(name)) {
        options += options < words.size() && words[options] == "-u" ? 1U : 0U;
        if (options + 1 >= words.size() || words[options] != "-m" ||
            !is_a_launching_module(words[options + 1])) {
            return std::nullopt;
        }
        found.python = words[at];
        options += 2;
    } else if (name.empty() || name[0] == '-' || is_script(name) || name.ends_with(".sh")) {
        return std::nullopt;
    }
    found.at = options;
    // composer -n 8 train.py: one letter is too little for a program that is not known.
    if (name == "composer") {
        for (std::size_t i = options; i + 1 < words.size() && !is_script(words[i]); ++i) {
            if (words[i] == "-n") {
                return found;
            }
        }
    }
    return call_at(words, options) ? std::optional(found) : std::nullopt;
}

Result<void> read_other_launcher(const Words& given, std::size_t at, const std::string& python,
                                 PastedLine& line) {
    constexpr LauncherTool kTool = LauncherTool::Other;
    Words words = given;
    if (at > 0 && base_name(words[at - 1]) == "composer") {
        for (std::size_t i = at; i < words.size() && !is_script(words[i]); ++i) {
            words[i] = words[i] == "-n" ? "--nproc" : words[i];
        }
    }
    const auto call = call_at(words, at);
    if (!call) {
        return not_understood(kTool, text(kContext, "The line names no program."),
                              text(kContext, "The script to train comes after the options."));
    }
    int world_size = 0;
    Words left_out;
    line.nodes = 0;
    for (const Option& option : call->options) {
        std::string wrong;
        switch (option.term.value_or(Term::Script)) {
            case Term::RanksPerNode:
                wrong = into_number(line.job.procs_per_node, -1, 1024)(
                    option.value == "auto" || option.value == "gpu" ? "0" : option.value);
                line.job.procs_per_node = std::max(line.job.procs_per_node, 0);  // -1: every GPU
                break;
            case Term::WorldSize:
                wrong = into_number(world_size, 1, 100000)(option.value);
                break;
            case Term::Nodes:
                if (auto taken = take_node_count(kTool, option.value, line); !taken) {
                    return taken;
                }
                break;
            case Term::Layout:
                wrong = take_layout(option.value, line);
                break;
            case Term::Hosts:
                wrong = take_hosts(option.value, line);
                break;
            case Term::Port:
                wrong = into_number(line.job.master_port, 0, 65535)(option.value);
                break;
            case Term::Endpoint:
                if (auto taken = take_port_of(kTool, option.written, option.value, line); !taken) {
                    return taken;
                }
                break;
            case Term::Ours:
                line.notes.push_back(option.written + ": " + because::that_is_done_in_our_way());
                break;
            case Term::Script:
            case Term::Module:
                left_out.push_back(option.written);
                break;
        }
        if (!wrong.empty()) {
            return not_understood(kTool, option.written + ": " + wrong, text(kContext, "Correct the value."));
        }
    }
    if (std::all_of(line.host_ranks.begin(), line.host_ranks.end(),
                    [](const auto& entry) { return entry.second == 1; })) {
        line.host_ranks.clear();  // names only: the other options say how many ranks each has
    }
    const int nodes = !line.hosts.empty() ? static_cast<int>(line.hosts.size()) : std::max(line.nodes, 1);
    if (world_size > 0 && line.job.procs_per_node == 0) {
        if (world_size % nodes != 0) {
            return not_understood(kTool,
                                  text(kContext, "%1 ranks do not divide among %2 nodes.",
                                       {std::to_string(world_size), std::to_string(nodes)}),
                                  text(kContext, "Correct the value."));
        }
        line.job.procs_per_node = world_size / nodes;
    } else if (world_size > 0 && line.nodes == 0 && line.hosts.empty() &&
               world_size % line.job.procs_per_node == 0) {
        line.nodes = world_size / line.job.procs_per_node;
    }
    line.nodes = line.nodes == 0 && line.hosts.empty() ? 1 : line.nodes;
    const std::string launcher = at > 0 ? base_name(words[at - 1]) : std::string();
    if (!left_out.empty()) {
        line.notes.push_back(text(kContext, "%1: left out; an option of %2 that has no counterpart.",
                                  {joined(left_out), launcher}));
    }
    if (!call->script.empty()) {
        line.job.command = {python, call->script};
        const auto rest = std::find(words.begin() + static_cast<std::ptrdiff_t>(at), words.end(), "--");
        line.job.command.insert(line.job.command.end(), rest == words.end() ? rest : rest + 1, words.end());
        return {};
    }
    ProgramStyle style;
    style.python = python;
    style.module = call->is_module;
    style.no_python = !call->is_module && starts_python(words[call->program]);
    return take_program(kTool, words, call->program, style, line);
}

}  // namespace rankscope::inline jobs::launch_lines
