// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/command_parts.h>
#include <base/files.h>
#include <base/text.h>
#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/jobs/launch_lines/program_line.h>
#include <remote/desk/jobs/launch_lines/script.h>
#include <remote/desk/jobs/launch_lines/script_values.h>
#include <remote/desk/shared/text.h>

#include <re2/re2.h>

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace rankscope::inline jobs::launch_lines {
namespace {

constexpr const char* kContext = "LaunchLines";
constexpr const char* kNodeRank = "{node_rank}";

// What starts ranks: functions that are called with what each rank runs, and libraries that start processes of their own.
const RE2& starts_ranks() {
    static const RE2 pattern(
        R"((?m)\b(?:mp|xmp|multiprocessing|pjrt)\.spawn\s*\(|\bstart_processes\s*\(|\b\w*_launcher\s*\(|\bidist\.Parallel\s*\()"
        R"(|^\s*from\s+\S*(?:torch\.multiprocessing|paddle\.distributed)\S*\s+import\s.*\bspawn\b|\bdist\.spawn\s*\()"
        R"(|^\s*from\s+detectron2\S*\s+import\s.*\blaunch\b)"
        R"(|^\s*(?:import|from)\s+(?:lightning|pytorch_lightning|lightning_fabric|ultralytics|ray|jax|tensorflow|keras)\b)");
    return pattern;
}

const RE2& starts_processes() {
    static const RE2 pattern(R"(\bProcess\s*\(\s*\w|\bos\.fork\s*\()");
    return pattern;
}

// Libraries that take RANK and its kin from the environment.
const RE2& reads_through_a_library() {
    static const RE2 pattern(
        R"((?m)^\s*(?:import|from)\s+(?:accelerate|transformers|trl|deepspeed|composer|colossalai|mmengine|mmcv|timm)\b)"
        R"(|\benv://|\binit_process_group\s*\(|\binit_distributed\s*\(|\binit_device_mesh\s*\()");
    return pattern;
}

// The name, and what comes behind it: a variable that is set is not read.
bool reads_rank(const std::string& source) {
    static const RE2 pattern(
        R"((?:environ(?:\.get)?|getenv)\s*[\[(]\s*["'](?:RANK|LOCAL_RANK|WORLD_SIZE)["']\s*(?:,[^\])\n]*)?[\])]\s*(=?=?))");
    re2::StringPiece left(source);
    std::string behind;
    while (RE2::FindAndConsume(&left, pattern, &behind)) {
        if (behind != "=") {
            return true;
        }
    }
    return false;
}

std::string without_comments(std::string_view source) {
    std::string text;
    for (const auto line : split(source, '\n')) {
        const auto begin = std::min(line.find_first_not_of(" \t"), line.size());
        text += line.substr(begin).starts_with('#') ? std::string_view() : line;
        text += '\n';
    }
    return text;
}

std::string option_name(const std::string& word) {
    std::string name = word.substr(0, word.find('='));
    name.erase(0, name.find_first_not_of('-'));
    std::replace(name.begin(), name.end(), '-', '_');
    return word.starts_with('-') ? name : std::string();
}

bool is_one_of_names(const std::string& name, std::initializer_list<std::string_view> names) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

// mpirun's words without those that name its hosts: the run's nodes are its hosts.
std::vector<std::string> without_hosts(const std::vector<std::string>& words) {
    std::vector<std::string> kept{words.front()};
    std::size_t i = 1;
    for (; i < words.size() && words[i].starts_with('-'); ++i) {
        std::string name = words[i].substr(0, words[i].find('='));
        name.erase(0, name.find_first_not_of('-'));
        const bool names_hosts =
            is_one_of_names(name, {"H", "host", "hosts", "hostfile", "machinefile", "f", "default-hostfile"});
        if (names_hosts) {
            i += words[i].find('=') == std::string::npos ? std::size_t{1} : std::size_t{0};
            continue;
        }
        kept.push_back(words[i]);
        const bool takes_two = is_one_of_names(name, {"mca", "prtemca", "genv", "env"});
        const bool takes_one = is_one_of_names(
            name, {"np", "n", "c", "x", "N", "npernode", "ppn", "map-by", "rank-by", "bind-to", "wdir", "wd",
                   "prefix", "output-filename", "launcher", "iface"});
        const int values = words[i].find('=') != std::string::npos ? 0 : takes_two ? 2 : takes_one ? 1 : 0;
        for (int more = values; more > 0 && i + 1 < words.size(); --more) {
            kept.push_back(words[++i]);
        }
    }
    kept.insert(kept.end(), words.begin() + static_cast<std::ptrdiff_t>(std::min(i, words.size())),
                words.end());
    return kept;
}

// The value of an option that says which node this is.
bool counts_nodes(const std::string& option) {
    return is_one_of_names(option_name(option), {"node_rank", "noderank", "nr", "machine_rank", "node_id",
                                                 "nodeid", "node_index", "rank", "host_rank", "host_id",
                                                 "worker_id", "worker_index", "process_id", "task_index"});
}

// What the script has set, without what Rankscope sets for each rank.
std::map<std::string, std::string> own_environment_of(const RecordedStart& start) {
    auto environment = start.environment;
    std::erase_if(environment, [](const auto& entry) {
        return is_set_by_rankscope(entry.first) || entry.first == "CUDA_VISIBLE_DEVICES";
    });
    return environment;
}

// "0" of the first line, "2" of the third, with the same text before: "--nr=2".
bool counts_on(const std::string& first, const std::string& next, std::size_t number) {
    return !first.empty() && first.back() == '0' &&
           next == first.substr(0, first.size() - 1) + std::to_string(number) &&
           (first.size() == 1 || first[first.size() - 2] == '=');
}

// "0", "1", … of the lines, with the same text before: "--nr=0".
bool counts_lines(const std::vector<std::vector<std::string>>& lines, std::size_t word, std::string& before) {
    const std::string& first = lines.front()[word];
    if (first.empty() || first.back() != '0') {
        return false;
    }
    before = first.substr(0, first.size() - 1);
    if (!before.empty() && before.back() != '=') {
        return false;
    }
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (lines[i][word] != before + std::to_string(i)) {
            return false;
        }
    }
    return true;
}

}  // namespace

RankStart rank_start_of(std::string_view source) {
    const std::string text = without_comments(source);
    RankStart start;
    const bool reads = reads_rank(text);
    start.itself =
        RE2::PartialMatch(text, starts_ranks()) || (!reads && RE2::PartialMatch(text, starts_processes()));
    start.launcher = reads || RE2::PartialMatch(text, reads_through_a_library());
    static const RE2 jax(R"(\bdistributed\.initialize\s*\(\s*\))");
    start.mpi_names = RE2::PartialMatch(text, jax) && text.find("jax") != std::string::npos;
    return start;
}

bool is_line_of_next_node(const std::vector<RecordedStart>& lines, const RecordedStart& next) {
    const RecordedStart& first = lines.front();
    if (first.words.size() != next.words.size() || first.words.front() != next.words.front() ||
        own_environment_of(first) != own_environment_of(next)) {
        return false;
    }
    const bool says_how_many = nodes_in_options(first.words) > static_cast<int>(lines.size());
    for (std::size_t i = 1; i < first.words.size(); ++i) {
        const bool is_option = first.words[i].starts_with('-');
        const bool is_value = !is_option && first.words[i - 1].starts_with('-') &&
                              first.words[i - 1].find('=') == std::string::npos;
        const bool of_nodes = counts_nodes(is_option ? first.words[i] : first.words[i - 1]);
        if (counts_on(first.words[i], next.words[i], lines.size()) &&
            (of_nodes || says_how_many || (!is_option && !is_value))) {
            return true;
        }
    }
    for (const char* name : {"RANK", "NODE_RANK", "GROUP_RANK", "MACHINE_RANK"}) {
        const auto here = first.environment.find(name);
        const auto there = next.environment.find(name);
        if (first.words == next.words && here != first.environment.end() && there != next.environment.end() &&
            counts_on(here->second, there->second, lines.size())) {
            return true;
        }
    }
    return false;
}

bool starts_the_same(const std::vector<RecordedStart>& lines, const RecordedStart& next) {
    return std::any_of(lines.begin(), lines.end(), [&](const RecordedStart& line) {
        return line.words == next.words && own_environment_of(line) == own_environment_of(next);
    });
}

std::vector<std::string> words_for_all_nodes(const std::vector<std::vector<std::string>>& lines,
                                             std::vector<std::string>& notes) {
    std::vector<std::string> words = lines.front();
    for (std::size_t i = 0; i < words.size(); ++i) {
        std::string before;
        const auto differs = [&](const std::vector<std::string>& line) { return line[i] != words[i]; };
        if (std::any_of(lines.begin(), lines.end(), differs)) {
            if (counts_lines(lines, i, before)) {
                words[i] = before + kNodeRank;
            } else {
                notes.push_back(text(
                    kContext, "%1 differs from line to line: each node gets that of the first.", {words[i]}));
            }
            continue;
        }
        // One line for all of them.
        const bool alone = lines.size() == 1;
        const auto equals = words[i].find('=');
        if (alone && equals != std::string::npos && counts_nodes(words[i]) &&
            words[i].substr(equals + 1) == "0") {
            words[i].replace(equals + 1, 1, kNodeRank);
        } else if (alone && i > 0 && words[i] == "0" && words[i - 1].find('=') == std::string::npos &&
                   counts_nodes(words[i - 1])) {
            words[i] = kNodeRank;
        }
    }
    return words;
}

EvaluatedScript starts_as_written(const std::vector<WrittenCommand>& commands) {
    const auto is_assignment = [](const std::string& word) {
        const auto equals = word.find('=');
        return equals != std::string::npos && VariableName::of(word.substr(0, equals)).has_value();
    };
    EvaluatedScript script;
    std::map<std::string, std::string> exported;
    std::string folder;
    for (const auto& command : commands) {
        RecordedStart start;
        start.kind = RecordedStart::Kind::Other;
        start.environment = exported;
        start.folder = folder;
        const bool is_export = !command.words.empty() && command.words.front() == "export";
        auto word = command.words.begin() + (is_export ? 1 : 0);
        for (; word != command.words.end() && is_assignment(*word); ++word) {
            const auto equals = word->find('=');
            start.environment[word->substr(0, equals)] = word->substr(equals + 1);
        }
        start.words.assign(word, command.words.end());
        if (is_export) {
            exported = start.environment;
        } else if (start.words.size() == 2 && start.words.front() == "cd") {
            folder = start.words.back();
        } else if (!start.words.empty()) {
            if (base_name(start.words.front()).starts_with("python")) {
                start.kind = RecordedStart::Kind::Start;
            }
            script.starts.push_back(std::move(start));
        }
    }
    return script;
}

std::string source_of_script(const std::vector<std::string>& words,
                             const std::vector<std::filesystem::path>& folders) {
    const auto script = std::find_if(words.begin(), words.end(),
                                     [](const std::string& word) { return word.ends_with(".py"); });
    if (script == words.end()) {
        return {};
    }
    for (const auto& folder : folders) {
        if (auto content = read_file(folder / *script)) {
            return std::move(*content);
        }
    }
    return {};
}

void take_mpi(std::string_view source, const std::vector<WrittenCommand>& commands, PastedLine& line) {
    static const RE2 uses_mpi(R"((?m)^\s*(?:import|from)\s+mpi4py\b)");
    const auto& program = line.job.command;
    const bool is_python = std::any_of(program.begin(), program.end(), [](const std::string& word) {
        return word.ends_with(".py") || base_name(word).starts_with("python");
    });
    if (line.tool != LauncherTool::Mpirun ||
        (is_python && !RE2::PartialMatch(without_comments(source), uses_mpi))) {
        return;
    }
    const bool one_node = line.nodes == 1 && line.hosts.size() <= 1;
    for (const auto& command : commands) {
        for (std::size_t at = 0; at < command.words.size(); ++at) {
            const auto found = find_launcher(command.words, at);
            if (!found || found->tool != LauncherTool::Mpirun) {
                continue;
            }
            std::erase_if(line.job.env,
                          [](const auto& entry) { return entry.first.starts_with("OMPI_COMM_WORLD_"); });
            line.job.name = line.job.name.empty() ? name_for(program) : line.job.name;
            std::erase_if(line.notes, [&](const std::string& note) {
                const auto& own = line.launcher_notes;
                return std::find(own.begin(), own.end(), note) != own.end();
            });
            line.job.command =
                without_hosts({command.words.begin() + static_cast<std::ptrdiff_t>(at), command.words.end()});
            if (one_node) {
                line.job.procs_per_node = 1;
                line.host_ranks.clear();
                line.job.own.own_ranks = true;
                line.notes.push_back(
                    text(kContext,
                         "The program uses MPI: mpirun itself is the command, and the ranks that it starts "
                         "become ranks of the run (own_ranks: true)."));
                return;
            }
            line.job.own.mpi = true;
            line.notes.push_back(text(
                kContext,
                "The program uses MPI: mpirun itself is the command. It starts on the first node, and its "
                "daemons on the others (mpi: true); procs_per_node: says how many ranks each may have."));
            return;
        }
    }
}

int nodes_in_options(const std::vector<std::string>& words) {
    for (std::size_t i = 1; i < words.size(); ++i) {
        if (!is_one_of_names(option_name(words[i]),
                             {"nodes", "nnodes", "num_nodes", "n_nodes", "num_machines", "machines"})) {
            continue;
        }
        const auto equals = words[i].find('=');
        const std::string value = equals != std::string::npos ? words[i].substr(equals + 1)
                                  : i + 1 < words.size()      ? words[i + 1]
                                                              : std::string();
        if (const auto number = parse_number<int>(value); number && *number > 1) {
            return *number;
        }
    }
    return 0;
}

void take_rank_start(const RankStart& start, const std::map<std::string, std::string>& environment,
                     PastedLine& line) {
    const bool set = environment.contains("RANK") || environment.contains("WORLD_SIZE") ||
                     environment.contains("LOCAL_RANK");
    const bool is_told =
        std::any_of(line.job.command.begin(), line.job.command.end(),
                    [](const std::string& word) { return word.find(kNodeRank) != std::string::npos; });
    const std::string program = name_for(line.job.command);
    if (start.mpi_names) {
        for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
                 {"OMPI_MCA_orte_hnp_uri", "0.0;tcp://{master_addr}:{master_port}"},
                 {"OMPI_COMM_WORLD_SIZE", "{world_size}"},
                 {"OMPI_COMM_WORLD_RANK", "{rank}"},
                 {"OMPI_COMM_WORLD_LOCAL_RANK", "{local_rank}"}}) {
            line.job.env.emplace(name, value);
        }
        line.notes.push_back(
            text(kContext,
                 "jax.distributed.initialize() without arguments takes number and rank of its "
                 "processes from Open MPI's variables; env: has them."));
    }
    if (set || (!is_told && !start.itself && start.launcher)) {
        line.notes.push_back(
            text(kContext, "%1: one rank is started on each node, with RANK and its kin.", {program}));
        return;
    }
    line.job.own.own_ranks = true;
    line.notes.push_back(
        text(kContext,
             "%1: one is started on each node, as if by hand, without RANK and its kin; ranks that it "
             "starts itself become ranks of the run (own_ranks: true).",
             {program}));
}

}  // namespace rankscope::inline jobs::launch_lines
