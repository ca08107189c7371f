// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job_key_parts.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/shared/text.h>

#include <set>

namespace rankscope::inline jobs::job_key_parts {
namespace {

using config::KeyReader;
using config::kNamedNodes;
using config::kNative;
using config::kOwnProgram;
using config::Scope;
using nlohmann::json;

constexpr const char* kWhere = "Where";
constexpr const char* kSafety = "Safety";                 // with what happens when it fails
constexpr const char* kCompute = "Device and precision";  // with those of the native engine
constexpr int kMostRanks = 1024;

void read_nodes(const KeyReader& reader, Job& job) {
    job.all_nodes = false;
    job.nodes.clear();
    if (reader.node.is_scalar()) {
        job.all_nodes = reader.node.text == "all";
        job.nodes = job.all_nodes ? job.nodes : std::vector<std::string>{reader.node.text};
        return;
    }
    if (read_value(reader, job.nodes) && job.nodes.empty()) {
        reader.add(text(kJobContext, "the list is empty"),
                   text(kJobContext, "Name at least one node, or write nodes: local for this computer."));
    }
    std::set<std::string> seen;
    for (const auto& node : job.nodes) {
        if (!seen.insert(node).second) {
            reader.add(text(kJobContext, "\"%1\" is there twice", {node}),
                       text(kJobContext, "Use procs_per_node for several ranks on a node."));
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
            reader.problems[i].remedy =
                text(kJobContext,
                     "Write auto, a number from 1 to %1, or one for each node: { node1: 4, node2: 2 }.",
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
                inner.add(text(kJobContext, "\"%1\" is not the index of a GPU", {word}), reader.info.example);
            } else if (!seen.insert(index).second) {
                inner.add(text(kJobContext, "GPU %1 is there twice", {word}), reader.info.example);
            } else {
                gpus.push_back(index);
            }
        }
    }
}

std::vector<std::string> launcher_names() {
    std::vector<std::string> names;
    for (const JobLauncher& launcher : job_launchers()) {
        names.emplace_back(launcher.name);
    }
    return names;
}

const char* launcher_help() {
    static const std::string help = [] {
        std::string text;
        for (const JobLauncher& launcher : job_launchers()) {
            text += (text.empty() ? "" : " ") + std::string(launcher.name) + ": " + launcher.help + '.';
        }
        return text;
    }();
    return help.c_str();
}

}  // namespace

void add_where(JobKeyTable& table) {
    add(table, "name", RANKSCOPE_JOB_MEMBER(name),
        {.label = "Name of the r&un",
         .help = "Shown in Runs.",
         .absent = "the name of the file",
         .group = kWhere,
         .written = true});
    add(table, "launcher", RANKSCOPE_JOB_MEMBER(launcher),
        {.choices = launcher_names(),
         .label = "Laun&cher",
         .help = launcher_help(),
         .group = kWhere,
         .written = true});
    add_special(
        table, "nodes",
        {.label = "&Nodes",
         .help = "Names from the inventory; the first is the master. all: every node of the inventory. "
                 "local: this computer, without SSH.",
         .absent = "required unless the launcher chooses the nodes",
         .example = "nodes: [node1, node2]",
         .group = kWhere,
         .written = true,
         .applies = kNamedNodes | kNative | kOwnProgram,
         .refusal = kLauncherChooses},
        read_nodes, [](const Job& job) -> json {
            return job.all_nodes ? json("all") : job.nodes.empty() ? json() : json(job.nodes);
        });
    add(table, "master", RANKSCOPE_JOB_MEMBER(master),
        {.label = "Master",
         .help = "The node that gets rank 0.",
         .absent = "the first of nodes",
         .group = kWhere,
         .rare = true,
         .applies = kNamedNodes | kNative | kOwnProgram,
         .refusal = kLauncherChooses});
    table.keys.push_back(config::choice_key<Job, RankOrder>(
        "rank_order", RANKSCOPE_JOB_MEMBER(rank_order),
        {{"block", RankOrder::Block}, {"cyclic", RankOrder::Cyclic}},
        {.label = "Order of ranks",
         .help = "block: all ranks of the first node, then of the next, as torchrun. cyclic: one rank of "
                 "each node in turn.",
         .group = kWhere,
         .rare = true,
         .applies = kNamedNodes | kNative | kOwnProgram,
         .refusal = kLauncherChooses}));
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
                 .applies = kNamedNodes | kNative | kOwnProgram,
                 .scope = Scope::Node,
                 .refusal = kLauncherChooses},
                read_devices,
                [](const Job& job) -> json { return job.devices.empty() ? json() : json(job.devices); });
    table.keys.push_back(config::choice_key<Job, BackendChoice>(
        "backend", RANKSCOPE_JOB_MEMBER(backend),
        {{"auto", BackendChoice::Auto}, {"nccl", BackendChoice::Nccl}, {"gloo", BackendChoice::Gloo}},
        {.label = "Backend",
         .help =
             "What the ranks communicate with: nccl between GPUs, gloo between CPUs. auto: as the device.",
         .group = kCompute,
         .written = true}));
    add(table, "master_port", RANKSCOPE_JOB_MEMBER(master_port),
        {.range = {0, 65535},
         .label = "Master &port",
         .help = "The port on the master where the ranks meet. 0: a free one; with launcher: slurm 10000 + "
                 "job id % "
                 "20000, which is the default there.",
         .group = kWhere,
         .written = true});
    table.keys.push_back(config::choice_key<Job, StartPreflight>(
        "preflight", RANKSCOPE_JOB_MEMBER(preflight),
        {{"off", StartPreflight::Off}, {"quick", StartPreflight::Quick}, {"always", StartPreflight::Always}},
        {.label = "Preflight",
         .help = "Before the start: quick: the nodes and the paths between them. always: loss, bandwidth and "
                 "versions, too. off: nothing.",
         .group = kSafety,
         .rare = true,
         .applies = kNamedNodes | kNative | kOwnProgram,
         .refusal = "Leave it out: the nodes are known when the job starts. `rankscopectl doctor RUN` "
                    "inspects them."}));
    add(table, "interface", RANKSCOPE_JOB_MEMBER(interface_name),
        {.label = "Network interface",
         .help = "auto, or the name of one, for example eth0.",
         .group = kWhere,
         .rare = true,
         .written = true,
         .scope = Scope::Node});
}

}  // namespace rankscope::inline jobs::job_key_parts
