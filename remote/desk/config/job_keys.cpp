// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <base/config/train_keys.h>
#include <remote/desk/config/job_keys.h>
#include <remote/desk/config/slurm_options.h>
#include <remote/desk/text.h>
#include <remote/observe/metric_lines/pattern.h>

#include <charconv>
#include <csignal>
#include <set>

namespace rankscope {
namespace {

using config::ConfigNode;
using config::kEverywhere;
using config::KeyInfo;
using config::KeyReader;
using config::kNative;
using config::kOwnProgram;
using config::kSlurm;
using config::kSsh;
using config::Scope;
using nlohmann::json;
using Table = config::KeyTable<Job>;

constexpr const char* kContext = "Job";
constexpr const char* kWhere = "Where";
constexpr const char* kSlurmGroup = "Slurm";
constexpr const char* kWhat = "What";
constexpr const char* kProgram = "Your own program";
constexpr const char* kLife = "While it runs";
constexpr const char* kEnvironment = "Environment";
constexpr double kDay = 86400;
constexpr int kMostRanks = 1024;
constexpr const char* kSlurmChooses = "Leave it out: with launcher: slurm Slurm chooses the nodes.";
constexpr const char* kOnlyOwn = "Leave it out: it is for programs of your own.";

// clang-format off
#define MEMBER(path) [](auto& job) -> auto& { return job.path; }
#define SLURM_MEMBER(path) [](auto& job) -> auto& { return slurm_of(job).path; }
// clang-format on

SlurmOptions& slurm_of(Job& job) {
    return job.slurm ? *job.slurm : job.slurm.emplace();
}
const SlurmOptions& slurm_of(const Job& job) {
    static const SlurmOptions none{};
    return job.slurm ? *job.slurm : none;
}

template <typename Get>
void add(Table& table, std::string path, Get get, KeyInfo info) {
    table.keys.push_back(config::key<Job>(std::move(path), get, std::move(info)));
}

void add_special(Table& table, std::string path, KeyInfo info,
                 std::function<void(const KeyReader&, Job&)> read, std::function<json(const Job&)> write) {
    if (info.kind == config::KeyKind::Text) {
        info.kind = config::KeyKind::Special;
    }
    table.keys.push_back(
        config::special_key<Job>(std::move(path), std::move(info), std::move(read), std::move(write)));
}

/// A whole word as a number from 0 to `max`; −1: it is none.
int index_of(const std::string& word, int max) {
    int index = -1;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
    return error != std::errc() || end != word.data() + word.size() || index > max ? -1 : index;
}

bool is_mapping(const KeyReader& reader) {
    if (!reader.node.is_mapping()) {
        reader.add(text(kContext, "%1 is not a mapping", {config::shown(reader.node)}),
                   text(kContext, "Write for example: %1", {reader.info.example}));
    }
    return reader.node.is_mapping();
}

/// The reader of one entry of a mapping, for its own faults.
KeyReader entry_reader(const KeyReader& reader, const ConfigNode::Entry& entry) {
    return {entry.value, reader.info, reader.path + '.' + entry.key, reader.quoted_numbers, reader.problems};
}

void read_nodes(const KeyReader& reader, Job& job) {
    job.all_nodes = false;
    job.nodes.clear();
    if (reader.node.is_scalar()) {
        job.all_nodes = reader.node.text == "all";
        job.nodes = job.all_nodes ? job.nodes : std::vector<std::string>{reader.node.text};
        return;
    }
    if (read_value(reader, job.nodes) && job.nodes.empty()) {
        reader.add(text(kContext, "the list is empty"),
                   text(kContext, "Name at least one node, or write nodes: local for this computer."));
    }
    std::set<std::string> seen;
    for (const auto& node : job.nodes) {
        if (!seen.insert(node).second) {
            reader.add(text(kContext, "\"%1\" is there twice", {node}),
                       text(kContext, "Use procs_per_node for several ranks on a node."));
        }
    }
}

void read_procs(const KeyReader& reader, Job& job) {
    job.procs_per_node = 0;
    job.procs_of_node.clear();
    if (reader.node.is_mapping()) {
        for (const auto& entry : reader.node.entries) {
            if (int ranks = 0; read_value(entry_reader(reader, entry), ranks)) {
                job.procs_of_node[entry.key] = ranks;
            }
        }
    } else if (!reader.node.is_scalar() || reader.node.text != "auto") {
        const std::size_t before = reader.problems.size();
        read_value(reader, job.procs_per_node);
        for (std::size_t i = before; i < reader.problems.size(); ++i) {
            reader.problems[i].remedy = text(
                kContext, "Write auto, a number from 1 to %1, or one for each node: { node1: 4, node2: 2 }.",
                {std::to_string(kMostRanks)});
        }
    }
}

void read_devices(const KeyReader& reader, Job& job) {
    constexpr int kMostDevices = 1023;
    job.devices.clear();
    if (!is_mapping(reader)) {
        return;
    }
    for (const auto& entry : reader.node.entries) {
        const KeyReader inner = entry_reader(reader, entry);
        std::vector<std::string> words;
        if (!read_value(inner, words)) {
            continue;
        }
        std::vector<int>& gpus = job.devices[entry.key];  // an empty list: CPU ranks
        std::set<int> seen;
        for (const auto& word : words) {
            const int index = index_of(word, kMostDevices);
            if (index < 0) {
                inner.add(text(kContext, "\"%1\" is not the index of a GPU", {word}), reader.info.example);
            } else if (!seen.insert(index).second) {
                inner.add(text(kContext, "GPU %1 is there twice", {word}), reader.info.example);
            } else {
                gpus.push_back(index);
            }
        }
    }
}

void check_names(const KeyReader& reader, const std::map<std::string, std::string>& env) {
    for (const auto& [name, value] : env) {
        if (name.empty() || name.find('=') != std::string::npos || name.find('\0') != std::string::npos) {
            reader.add(text(kContext, "\"%1\" is not a variable's name", {name}),
                       text(kContext, "Write it as { NAME: value, OTHER: value }."));
        }
    }
}

void read_env(const KeyReader& reader, Job& job) {
    if (read_value(reader, job.env)) {
        check_names(reader, job.env);
    }
}

void read_node_env(const KeyReader& reader, Job& job) {
    job.node_env.clear();
    if (is_mapping(reader)) {
        for (const auto& entry : reader.node.entries) {
            read_value(entry_reader(reader, entry), job.node_env[entry.key]);
            check_names(entry_reader(reader, entry), job.node_env[entry.key]);
        }
    }
}

void read_rank_env(const KeyReader& reader, Job& job) {
    job.rank_env.clear();
    if (!is_mapping(reader)) {
        return;
    }
    for (const auto& entry : reader.node.entries) {
        const KeyReader inner = entry_reader(reader, entry);
        const int rank = index_of(entry.key, std::numeric_limits<int>::max());
        if (rank < 0) {
            inner.add(text(kContext, "\"%1\" is not a rank", {entry.key}), reader.info.example);
        } else if (read_value(inner, job.rank_env[rank])) {
            check_names(inner, job.rank_env[rank]);
        }
    }
}

json rank_env_json(const Job& job) {
    json ranks = json::object();
    for (const auto& [rank, env] : job.rank_env) {
        ranks[std::to_string(rank)] = env;
    }
    return ranks.empty() ? json() : ranks;
}

void add_where(Table& table) {
    add(table, "name", MEMBER(name),
        {.label = "Name of the r&un",
         .help = "Shown in Runs.",
         .absent = "the name of the file",
         .group = kWhere,
         .written = true});
    table.keys.push_back(config::choice_key<Job, Launcher>(
        "launcher", MEMBER(launcher), {{"ssh", Launcher::Ssh}, {"slurm", Launcher::Slurm}},
        {.label = "Laun&cher",
         .help = "ssh: the nodes that are named. slurm: nodes that Slurm chooses.",
         .group = kWhere,
         .written = true}));
    add_special(
        table, "nodes",
        {.label = "&Nodes",
         .help = "Names from the inventory; the first is the master. all: every node of the inventory. "
                 "local: this computer, without SSH.",
         .absent = "must be given with launcher: ssh",
         .example = "nodes: [node1, node2]",
         .group = kWhere,
         .written = true,
         .applies = kSsh | kNative | kOwnProgram,
         .refusal =
             "Leave it out: with launcher: slurm Slurm chooses the nodes; their number is slurm.nodes."},
        read_nodes, [](const Job& job) -> json {
            return job.all_nodes ? json("all") : job.nodes.empty() ? json() : json(job.nodes);
        });
    add(table, "master", MEMBER(master),
        {.label = "Master",
         .help = "The node that gets rank 0.",
         .absent = "the first of nodes",
         .group = kWhere,
         .rare = true,
         .applies = kSsh | kNative | kOwnProgram,
         .refusal = kSlurmChooses});
    table.keys.push_back(config::choice_key<Job, RankOrder>(
        "rank_order", MEMBER(rank_order), {{"block", RankOrder::Block}, {"cyclic", RankOrder::Cyclic}},
        {.label = "Order of ranks",
         .help = "block: all ranks of the first node, then of the next, as torchrun. cyclic: one rank of "
                 "each node in turn.",
         .group = kWhere,
         .rare = true,
         .applies = kSsh | kNative | kOwnProgram,
         .refusal = kSlurmChooses}));
    add_special(
        table, "procs_per_node",
        {.range = {1, kMostRanks},
         .label = "&Ranks per node",
         .help = "auto: one per GPU, else one per CPU slot; a number; or one for each node: { node1: 4, "
                 "node2: 2 }.",
         .example = "procs_per_node: 2",
         .group = kWhere,
         .written = true,
         .scope = Scope::Node},
        read_procs, [](const Job& job) -> json {
            return !job.procs_of_node.empty() ? json(job.procs_of_node)
                   : job.procs_per_node == 0  ? json("auto")
                                              : json(job.procs_per_node);
        });
    add_special(table, "devices",
                {.label = "GPUs of nodes",
                 .help = "Indices of the GPUs of a node, instead of the inventory's.",
                 .absent = "those of the inventory",
                 .example = "devices: { node1: [0, 2] }",
                 .group = kWhere,
                 .rare = true,
                 .applies = kSsh | kNative | kOwnProgram,
                 .scope = Scope::Node,
                 .refusal = kSlurmChooses},
                read_devices,
                [](const Job& job) -> json { return job.devices.empty() ? json() : json(job.devices); });
    table.keys.push_back(config::choice_key<Job, BackendChoice>(
        "backend", MEMBER(backend),
        {{"auto", BackendChoice::Auto}, {"nccl", BackendChoice::Nccl}, {"gloo", BackendChoice::Gloo}},
        {.label = "Backend",
         .help = "What the ranks communicate with.",
         .group = kWhere,
         .rare = true,
         .written = true}));
    add(table, "master_port", MEMBER(master_port),
        {.range = {0, 65535},
         .label = "Master &port",
         .help = "The port on the master where the ranks meet. 0: a free one.",
         .group = kWhere,
         .written = true});
    add(table, "interface", MEMBER(interface_name),
        {.label = "Network interface",
         .help = "auto, or the name of one, for example eth0.",
         .group = kWhere,
         .rare = true,
         .written = true,
         .scope = Scope::Node});
}

void read_slurm_time(const KeyReader& reader, Job& job) {
    std::string& time = slurm_of(job).time;
    if (read_value(reader, time) && time.find_first_not_of("0123456789:-") != std::string::npos &&
        time != "UNLIMITED") {
        reader.add(text(kContext, "\"%1\" is not a time as Slurm reads it", {time}),
                   text(kContext, "Write minutes, \"HH:MM:SS\" or \"D-HH:MM:SS\"."));
    }
}

void read_slurm_extra(const KeyReader& reader, Job& job) {
    if (!read_value(reader, slurm_of(job).extra)) {
        return;
    }
    for (const std::string& word : slurm_of(job).extra) {
        if (const auto fault = fault_of_sbatch_word(word)) {
            reader.add(fault->first, fault->second);
            return;
        }
    }
}

void add_slurm(Table& table) {
    table.sections.push_back({.path = "slurm", .example = "slurm: { login: node1, nodes: 2 }"});
    const auto slurm_info = [](KeyInfo info) {
        info.group = kSlurmGroup;
        info.applies = kSlurm | kNative | kOwnProgram;
        return info;
    };
    add(table, "slurm.login", SLURM_MEMBER(login),
        slurm_info({.label = "Login node",
                    .help = "Inventory name of a node that has sbatch; local: this computer.",
                    .example = "login: node1",
                    .required = true}));
    add(table, "slurm.nodes", SLURM_MEMBER(nodes),
        slurm_info({.range = {1, 4096},
                    .label = "N&umber of nodes",
                    .help = "Nodes to ask Slurm for.",
                    .written = true}));
    add(table, "slurm.partition", SLURM_MEMBER(partition),
        slurm_info({.label = "Part&ition", .absent = "Slurm's default"}));
    add(table, "slurm.account", SLURM_MEMBER(account),
        slurm_info({.label = "Acc&ount", .absent = "Slurm's default"}));
    add(table, "slurm.qos", SLURM_MEMBER(qos),
        slurm_info({.label = "QOS", .absent = "Slurm's default", .rare = true}));
    add_special(table, "slurm.time",
                slurm_info({.kind = config::KeyKind::Text,
                            .label = "&Time limit",
                            .help = "Minutes, HH:MM:SS or D-HH:MM:SS.",
                            .absent = "Slurm's default"}),
                read_slurm_time, [](const Job& job) -> json { return slurm_of(job).time; });
    table.keys.back().info.kind = config::KeyKind::Text;
    add(table, "slurm.gres", SLURM_MEMBER(gres),
        slurm_info({.label = "&GRES per node",
                    .help = "As sbatch --gres, for example gpu:4.",
                    .absent = "none",
                    .scope = Scope::Node}));
    add_special(table, "slurm.extra",
                slurm_info({.kind = config::KeyKind::Words,
                            .label = "E&xtra for sbatch",
                            .help = "Further options in one word each: --mem=32G --exclusive.",
                            .absent = "none",
                            .example = "extra: [--mem=32G, --exclusive]",
                            .rare = true}),
                read_slurm_extra, [](const Job& job) -> json { return slurm_of(job).extra; });
}

void read_train(const KeyReader& reader, Job& job) {
    job.train = config::to_json(reader.node);
    for (auto& problem : config::check_train_config(reader.node, reader.path)) {
        reader.problems.push_back(std::move(problem));
    }
}

void read_tensorboard(const KeyReader& reader, Job& job) {
    MetricSources& metrics = job.own.metrics;
    if (!read_value(reader, metrics.tensorboard)) {
        return;
    }
    metrics.lines = false;  // the same numbers twice, and with other steps
    if (metrics.tensorboard.empty()) {
        reader.add(text(kContext, "names no folder"),
                   text(kContext,
                        "Write the folder that the program gives its SummaryWriter, such as runs or "
                        "~/logs/{rank}."));
    }
}

void read_patterns(const KeyReader& reader, Job& job) {
    auto& patterns = job.own.metrics.patterns;
    read_value(reader, patterns);
    if (patterns.size() > metric_lines::kMaxPatterns) {
        reader.add(text(kContext, "more than %1 patterns", {std::to_string(metric_lines::kMaxPatterns)}),
                   text(kContext, "Leave out the ones that you need least."));
    }
    for (const auto& pattern : patterns) {
        std::string why;
        if (!metric_lines::Pattern::compile(pattern, &why)) {
            reader.add(text(kContext, "\"%1\" is not a pattern: %2", {pattern, why}),
                       text(kContext,
                            "Make it from a line of your program: `rankscopectl metrics learn "
                            "--line 'step 5 loss 0.31' --field step=5 --field loss=0.31`."));
        }
    }
}

/// Only with `command`.
KeyInfo own(KeyInfo info) {
    info.group = kProgram;
    info.applies = kSsh | kSlurm | kOwnProgram;
    info.refusal = kOnlyOwn;
    return info;
}

void add_what(Table& table) {
    add_special(table, "train",
                {.help = "What the native engine trains; its keys are below.",
                 .absent = "command runs instead",
                 .example = "train: { model: convnet, dataset: mnist }",
                 .group = kWhat,
                 .applies = kSsh | kSlurm | kNative},
                read_train, [](const Job& job) -> json { return job.train ? *job.train : json(); });
    add(table, "command", MEMBER(command),
        {.label = "Co&mmand",
         .help = "Your own program, instead of train; every rank runs it with torchrun's environment.",
         .absent = "train runs instead",
         .example = "command: [python3, train.py]",
         .group = kWhat,
         .applies = kSsh | kSlurm | kOwnProgram,
         .scope = Scope::Rank});
    add(table, "workdir", MEMBER(workdir),
        {.label = "Wor&king folder",
         .help = "On the nodes.",
         .absent = "the home folder, or that of the pushed files",
         .group = kProgram,
         .applies = kSsh | kSlurm | kOwnProgram,
         .scope = Scope::Node});
    table.sections.push_back(
        {.path = "metrics", .example = "metrics: { patterns: ['step {step} loss {loss}'] }"});
    add(table, "push", MEMBER(push),
        own({.label = "P&ush",
             .help = "Files and folders from beside the job file; only changes travel.",
             .absent = "nothing: it is on the nodes already",
             .example = "push: [./train.py]",
             .scope = Scope::Node}));
    table.keys.push_back(config::choice_key<Job, LocalRankArgument>(
        "local_rank_argument", MEMBER(own.local_rank_argument),
        {{"none", LocalRankArgument::None},
         {"--local-rank", LocalRankArgument::Dash},
         {"--local_rank", LocalRankArgument::Underscore}},
        own({.label = "Local rank as",
             .help = "Argument for scripts written for torch.distributed.launch.",
             .rare = true,
             .scope = Scope::Rank})));
    add(table, "venv", MEMBER(own.venv),
        own({.label = "Python &of",
             .help = "Folder of a virtual environment on the nodes.",
             .absent = "the node's Python",
             .example = "venv: ~/venvs/torch",
             .scope = Scope::Node}));
    add(table, "conda", MEMBER(own.conda),
        own({.help = "Name or folder of an environment of conda on the nodes.",
             .absent = "the node's Python",
             .scope = Scope::Node}));
    add(table, "log_dir", MEMBER(own.log_dir),
        own({.label = "Lo&g folder",
             .help = "On the nodes: a file per rank as well, as torchrun lays them out.",
             .absent = "none: the output comes here",
             .rare = true,
             .scope = Scope::Node}));
    add_special(table, "metrics.tensorboard",
                own({.kind = config::KeyKind::Text,
                     .label = "TensorBoard folder",
                     .help = "Folder of event files on the node, from workdir, with placeholders: "
                             "runs/{rank}. metrics.lines is then false unless the job says otherwise.",
                     .absent = "none",
                     .rare = true,
                     .scope = Scope::Rank}),
                read_tensorboard, [](const Job& job) -> json { return job.own.metrics.tensorboard; });
    table.keys.back().info.kind = config::KeyKind::Text;
    add(table, "metrics.lines", MEMBER(own.metrics.lines),
        own({.label = "Known lines",
             .help = "Read curves from lines of known shapes: PyTorch's examples, Lightning, Hugging Face, "
                     "tqdm, Megatron-LM and others.",
             .written = true,
             .scope = Scope::Rank}));
    add_special(table, "metrics.patterns",
                own({.kind = config::KeyKind::Words,
                     .label = "Own l&ines",
                     .help = "{name} is a number that becomes a curve, {} any number, {*} any text.",
                     .absent = "none",
                     .example = "patterns: ['it {step} margin {margin}']",
                     .scope = Scope::Rank}),
                read_patterns, [](const Job& job) -> json { return job.own.metrics.patterns; });
}

void read_telemetry(const KeyReader& reader, Job& job) {
    constexpr double kOftenest = 0.1;
    double every_s = job.telemetry_s;
    if (read_value(reader, every_s)) {
        job.telemetry_s = every_s;
        if (every_s > 0 && every_s < kOftenest) {
            reader.add(text(kContext, "is too often"), text(kContext, "Write 0 for none, or at least 0.1."));
        }
    }
}

void read_signal(const KeyReader& reader, Job& job) {
    std::string name;
    ConfigNode bare = reader.node;  // SIGUSR1 is USR1
    bare.text = bare.text.starts_with("SIG") ? bare.text.substr(3) : bare.text;
    if (config::read_value({bare, reader.info, reader.path, false, reader.problems}, name)) {
        job.checkpoint_signal = name;
    }
}

void add_life(Table& table) {
    table.sections.push_back({.path = "on_failure", .example = "on_failure: { grace_s: 5 }"});
    table.sections.push_back({.path = "checkpoint", .example = "checkpoint: { signal: USR1, wait_s: 30 }"});
    table.sections.push_back({.path = "telemetry", .example = "telemetry: { every_s: 1 }"});
    add_special(table, "telemetry.every_s",
                {.kind = config::KeyKind::Number,
                 .range = {0, 3600},
                 .label = "Sample nodes every (s)",
                 .help = "Seconds between two samples of GPU and host; 0: never.",
                 .group = kLife,
                 .rare = true,
                 .scope = Scope::Node},
                read_telemetry, [](const Job& job) -> json { return job.telemetry_s; });
    add(table, "on_failure.grace_s", MEMBER(grace_s),
        {.range = {0, 3600},
         .label = "Grace time (s)",
         .help = "Seconds between SIGTERM and SIGKILL when ranks are stopped.",
         .group = kLife,
         .rare = true,
         .written = true});
    add(table, "on_failure.max_restarts", MEMBER(max_restarts),
        {.range = {0, 1000},
         .label = "Restarts",
         .help = "How often all ranks are started again after one has failed.",
         .group = kLife,
         .written = true,
         .applies = kSsh | kNative | kOwnProgram,
         .refusal = "Write 0, or leave it out: Slurm starts a job again, not Rankscope."});
    add(table, "on_failure.peer_timeout_s", MEMBER(peer_timeout_s),
        {.range = {0, kDay},
         .label = "Lost node after (s)",
         .help = "A node that the others have not heard from for this time ends the run; 0: never.",
         .group = kLife,
         .written = true,
         .applies = kSsh | kNative | kOwnProgram});
    add(table, "on_failure.stopped_limit_s", MEMBER(stopped_limit_s),
        {.range = {0, 1e9},
         .label = "Stopped rank after (s)",
         .help = "A rank that a signal has stopped for this time fails the run; 0: never.",
         .group = kLife,
         .rare = true,
         .written = true});
    add_special(table, "checkpoint.signal",
                {.kind = config::KeyKind::Choice,
                 .choices = {"USR1", "USR2", "HUP", "INT", "ALRM"},
                 .label = "Before a stop",
                 .help = "Signal that the ranks get so that they write a checkpoint and end by themselves.",
                 .absent = "none",
                 .example = "signal: USR1",
                 .group = kLife,
                 .required = true,
                 .scope = Scope::Rank},
                read_signal, [](const Job& job) -> json {
                    return job.checkpoint_signal.empty() ? json() : json(job.checkpoint_signal);
                });
    add(table, "checkpoint.wait_s", MEMBER(checkpoint_wait_s),
        {.range = {0, kDay},
         .label = "and wait (s)",
         .help = "Seconds after that signal until SIGTERM follows.",
         .group = kLife});
}

void add_environment(Table& table) {
    add_special(table, "env",
                {.kind = config::KeyKind::TextMap,
                 .label = "Variables",
                 .help = "Environment of all ranks. Placeholders such as {rank} and {node} are replaced.",
                 .absent = "none",
                 .example = "env: { NCCL_DEBUG: INFO }",
                 .group = kEnvironment,
                 .rare = true,
                 .scope = Scope::Rank},
                read_env, [](const Job& job) -> json { return job.env.empty() ? json() : json(job.env); });
    add(table, "secret_env", MEMBER(secret_env),
        {.label = "Secret variables",
         .help = "Variables whose values are shown as *** and not stored. Names such as HF_TOKEN or "
                 "DB_PASSWORD are "
                 "secret without this list.",
         .absent = "none",
         .example = "secret_env: [LICENCE]",
         .group = kEnvironment,
         .rare = true});
    add_special(table, "node_env",
                {.label = "of a node",
                 .help = "Environment of the ranks of a node; wins over env.",
                 .absent = "none",
                 .example = "node_env: { node1: { NCCL_SOCKET_IFNAME: eth1 } }",
                 .group = kEnvironment,
                 .rare = true,
                 .applies = kSsh | kNative | kOwnProgram,
                 .scope = Scope::Node,
                 .refusal = kSlurmChooses},
                read_node_env,
                [](const Job& job) -> json { return job.node_env.empty() ? json() : json(job.node_env); });
    add_special(table, "rank_env",
                {.label = "of a rank",
                 .help = "Environment of one rank; wins over env and node_env.",
                 .absent = "none",
                 .example = "rank_env: { 0: { NCCL_DEBUG: INFO } }",
                 .group = kEnvironment,
                 .rare = true,
                 .scope = Scope::Rank},
                read_rank_env, rank_env_json);
}

#undef MEMBER
#undef SLURM_MEMBER

}  // namespace

const Table& job_keys() {
    static const Table table = [] {
        Table made;
        add_where(made);
        add_slurm(made);
        add_what(made);
        add_life(made);
        add_environment(made);
        return made;
    }();
    return table;
}

bool applies(const KeyInfo& info, const Job& job) {
    const unsigned launcher = job.launcher == Launcher::Slurm ? kSlurm : kSsh;
    const unsigned program = job.train ? kNative : kOwnProgram;
    return (info.applies & launcher) != 0 && (info.applies & program) != 0;
}

}  // namespace rankscope
