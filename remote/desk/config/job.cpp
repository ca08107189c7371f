// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <base/files.h>
#include <remote/desk/config/job.h>
#include <remote/desk/config/yaml_reader.h>
#include <remote/desk/text.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <set>
#include <string_view>

namespace rankscope {
namespace {

constexpr const char* kContext = "Job";

void read_nodes(YamlMapping& map, Job& job) {
    const YAML::Node nodes = map.take("nodes");
    if (!nodes.IsDefined()) {
        map.require("nodes", "nodes: [node1, node2]");
        return;
    }
    if (nodes.IsScalar()) {
        if (nodes.Scalar() == "all") {
            job.all_nodes = true;
        } else {
            job.nodes = {nodes.Scalar()};
        }
        return;
    }
    map.texts("nodes", job.nodes);
    if (nodes.IsSequence() && nodes.size() == 0) {
        map.problems().add(
            nodes, "nodes", text(kContext, "the list is empty"),
            text(kContext, "Name at least one node, or write nodes: local for this computer."));
    }
    auto sorted = job.nodes;
    std::sort(sorted.begin(), sorted.end());
    const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
    if (twice != sorted.end()) {
        map.problems().add(nodes, "nodes", text(kContext, "\"%1\" is there twice", {*twice}),
                           text(kContext, "Use procs_per_node for several ranks on a node."));
    }
}

template <typename Enum>
void read_choice(YamlMapping& map, const std::string& key, Enum& out,
                 const std::vector<std::pair<std::string, Enum>>& choices) {
    std::string word;
    if (!map.text(key, word)) {
        return;
    }
    std::string all;
    for (const auto& [name, value] : choices) {
        if (name == word) {
            out = value;
            return;
        }
        all += (all.empty() ? "" : ", ") + name;
    }
    map.problems().add(map.at(key), map.path_of(key), text(kContext, "\"%1\" is not known", {word}),
                       text(kContext, "Write one of: %1.", {all}));
}

// The entries of a mapping by node (or rank), for the keys that have one value each: `visit(key, mapping)`.
template <typename Visit>
void each_entry(YamlMapping& map, const std::string& key, const std::string& example, const Visit& visit) {
    const YAML::Node node = map.take(key);
    if (!node.IsDefined()) {
        return;
    }
    if (!node.IsMap()) {
        map.problems().add(node, key, text(kContext, "must be a mapping"), example);
        return;
    }
    YamlMapping inner(node, key, map.problems());
    for (const auto& entry : node) {
        if (entry.first.IsScalar()) {
            visit(entry.first.Scalar(), inner);
        }
    }
    inner.finish();
}

void read_procs(YamlMapping& map, Job& job) {
    const YAML::Node procs = map.take("procs_per_node");
    if (procs.IsMap()) {
        each_entry(map, "procs_per_node", "", [&](const std::string& node, YamlMapping& inner) {
            if (int ranks = 0; inner.whole(node, ranks, 1, 1024)) {
                job.procs_of_node[node] = ranks;
            }
        });
    } else if (procs.IsDefined() && !(procs.IsScalar() && procs.Scalar() == "auto")) {
        map.whole("procs_per_node", job.procs_per_node, 1, 1024);
    }
}

void read_devices(YamlMapping& map, Job& job) {
    const std::string example = "devices: { node1: [0, 2] }";
    each_entry(map, "devices", example, [&](const std::string& node, YamlMapping& inner) {
        std::vector<std::string> words;
        if (!inner.texts(node, words)) {
            return;
        }
        std::vector<int>& gpus = job.devices[node];  // an empty list: CPU ranks
        std::set<int> seen;
        for (const auto& word : words) {
            int index = -1;
            const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), index);
            if (error != std::errc() || end != word.data() + word.size() || index < 0 || index > 1023) {
                inner.problems().add(inner.at(node), inner.path_of(node),
                                     text(kContext, "\"%1\" is not the index of a GPU", {word}), example);
            } else if (!seen.insert(index).second) {
                inner.problems().add(inner.at(node), inner.path_of(node),
                                     text(kContext, "GPU %1 is there twice", {word}), example);
            } else {
                gpus.push_back(index);
            }
        }
    });
}

void read_environments(YamlMapping& map, Job& job) {
    map.text_map("env", job.env);
    each_entry(
        map, "node_env", "node_env: { node1: { NCCL_SOCKET_IFNAME: eth1 } }",
        [&](const std::string& node, YamlMapping& inner) { inner.text_map(node, job.node_env[node]); });
    const std::string example = "rank_env: { 0: { NCCL_DEBUG: INFO } }";
    each_entry(map, "rank_env", example, [&](const std::string& word, YamlMapping& inner) {
        int rank = -1;
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), rank);
        if (error != std::errc() || end != word.data() + word.size() || rank < 0) {
            inner.take(word);
            inner.problems().add(inner.at(word), inner.path_of(word),
                                 text(kContext, "\"%1\" is not a rank", {word}), example);
            return;
        }
        inner.text_map(word, job.rank_env[rank]);
    });
}

// Names of signals(7) that a program may be asked by to write a checkpoint.
const std::vector<std::pair<std::string, int>>& checkpoint_signals() {
    static const std::vector<std::pair<std::string, int>> signals{
        {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}, {"INT", SIGINT}, {"ALRM", SIGALRM}};
    return signals;
}

void read_checkpoint(YamlMapping& map, Job& job, YamlProblems& problems) {
    const YAML::Node node = map.take("checkpoint");
    if (!node.IsDefined()) {
        return;
    }
    if (!node.IsMap()) {
        problems.add(node, "checkpoint", text(kContext, "must be a mapping"),
                     "checkpoint: { signal: USR1, wait_s: 30 }");
        return;
    }
    YamlMapping inner(node, "checkpoint", problems);
    std::string name;
    if (inner.text("signal", name)) {
        const std::string bare = name.starts_with("SIG") ? name.substr(3) : name;
        std::string known;
        for (const auto& [word, number] : checkpoint_signals()) {
            known += (known.empty() ? "" : ", ") + word;
            job.checkpoint_signal = word == bare ? word : job.checkpoint_signal;
        }
        if (job.checkpoint_signal.empty()) {
            problems.add(inner.at("signal"), "checkpoint.signal",
                         text(kContext, "\"%1\" is not known", {name}),
                         text(kContext, "Write one of: %1.", {known}));
        }
    } else {
        inner.require("signal", "checkpoint: { signal: USR1 }");
    }
    inner.number("wait_s", job.checkpoint_wait_s, 0, 86400);
    inner.finish();
}

void read_slurm(YamlMapping& map, Job& job, YamlProblems& problems) {
    const YAML::Node node = map.take("slurm");
    if (node.IsDefined() && !node.IsMap()) {
        problems.add(node, "slurm", text(kContext, "must be a mapping"), "slurm: { login: node1, nodes: 2 }");
    } else if (node.IsDefined()) {
        YamlMapping inner(node, "slurm", problems);
        read_slurm_options(inner, job.slurm.emplace());
        inner.finish();
    }
}

// Slurm chooses the nodes; without it the person does.
void read_where(YamlMapping& map, Job& job, YamlProblems& problems) {
    read_slurm(map, job, problems);
    if (job.launcher != Launcher::Slurm) {
        if (job.slurm) {
            problems.add(map.at("slurm"), "slurm", text(kContext, "the launcher is ssh"),
                         text(kContext, "Write launcher: slurm, or leave the section out."));
        }
        return read_nodes(map, job);
    }
    if (!map.has("slurm")) {
        map.require("slurm", "slurm: { login: node1, nodes: 2 }");
    }
    if (const YAML::Node nodes = map.take("nodes"); nodes.IsDefined()) {
        problems.add(nodes, "nodes", text(kContext, "with launcher: slurm it is Slurm that chooses them"),
                     text(kContext, "Leave it out; their number is slurm.nodes."));
    }
}

void read_on_failure(YamlMapping& map, Job& job, YamlProblems& problems) {
    const YAML::Node node = map.take("on_failure");
    if (!node.IsDefined()) {
        return;
    }
    if (!node.IsMap()) {
        problems.add(node, "on_failure", text(kContext, "must be a mapping"), "on_failure: { grace_s: 5 }");
        return;
    }
    YamlMapping inner(node, "on_failure", problems);
    inner.number("grace_s", job.grace_s, 0, 3600);
    inner.whole("max_restarts", job.max_restarts, 0, 1000);
    inner.number("peer_timeout_s", job.peer_timeout_s, 0, 86400);
    inner.number("stopped_limit_s", job.stopped_limit_s, 0, 1e9);
    inner.finish();
}

void read_telemetry(YamlMapping& map, Job& job, YamlProblems& problems) {
    const YAML::Node node = map.take("telemetry");
    if (node.IsDefined() && !node.IsMap()) {
        problems.add(node, "telemetry", text(kContext, "must be a mapping"), "telemetry: { every_s: 1 }");
    } else if (node.IsDefined()) {
        YamlMapping inner(node, "telemetry", problems);
        if (inner.number("every_s", job.telemetry_s, 0, 3600) && job.telemetry_s > 0 &&
            job.telemetry_s < 0.1) {
            problems.add(inner.at("every_s"), "telemetry.every_s", text(kContext, "is too often"),
                         text(kContext, "Write 0 for none, or at least 0.1."));
        }
        inner.finish();
    }
}

// The key of "optimizer.lr" below the train mapping, as deep as the path exists. A key may itself hold dots.
YAML::Node node_at(const YAML::Node& train, const std::string& path) {
    YAML::Node found = train;
    YAML::Node mapping = train;
    for (std::string_view rest = path; mapping.IsMap() && !rest.empty();) {
        const auto entry = std::find_if(mapping.begin(), mapping.end(), [rest](const auto& pair) {
            const std::string key = pair.first.IsScalar() ? pair.first.Scalar() : std::string();
            return rest.starts_with(key) && (rest.size() == key.size() || rest[key.size()] == '.');
        });
        if (entry == mapping.end()) {
            break;
        }
        rest.remove_prefix(std::min(rest.size(), entry->first.Scalar().size() + 1));
        found.reset(entry->first);
        mapping.reset(entry->second);
    }
    return found;
}

void read_train(YamlMapping& map, Job& job, YamlProblems& problems) {
    const YAML::Node train = map.take("train");
    if (!train.IsDefined()) {
        return;
    }
    job.train = yaml_to_json(train);
    for (const auto& problem : config::check_train_config(*job.train)) {
        problems.add(node_at(train, problem.path), problem.path.empty() ? "train" : "train." + problem.path,
                     problem.message, "");
    }
}

void check_whole(const Job& job, const YAML::Node& root, YamlProblems& problems) {
    if (job.train && !job.command.empty()) {
        problems.add(root["command"], "command", text(kContext, "there is a train section as well"),
                     text(kContext, "Keep one: train for the native engine, command for your own program."));
    }
    if (!job.train && job.command.empty()) {
        problems.add(root, "", text(kContext, "neither train nor command is given"),
                     text(kContext, "Add a train section (native engine), or command: [python3, train.py]."));
    }
    if (job.train && job.own != OwnProgram()) {
        problems.add(
            root, "train",
            text(kContext,
                 "local_rank_argument, venv, conda, log_dir and metrics are for programs of your own"),
            text(kContext, "Leave them out: the native engine needs none of them."));
    }
    const auto check_names = [&](const char* where, const std::map<std::string, std::string>& env) {
        for (const auto& [key, value] : env) {
            if (key.empty() || key.find('=') != std::string::npos || key.find('\0') != std::string::npos) {
                problems.add(root[where], where, text(kContext, "\"%1\" is not a variable's name", {key}),
                             "");
            }
        }
    };
    check_names("env", job.env);
    for (const auto& [node, env] : job.node_env) {
        check_names("node_env", env);
    }
    for (const auto& [rank, env] : job.rank_env) {
        check_names("rank_env", env);
    }
    if (job.launcher == Launcher::Slurm) {
        // Names of nodes that Slurm has yet to choose.
        for (const char* key : {"master", "rank_order", "devices", "node_env"}) {
            if (root[key].IsDefined()) {
                problems.add(root[key], key,
                             text(kContext, "with launcher: slurm it is Slurm that chooses the nodes"),
                             text(kContext, "Leave it out."));
            }
        }
        if (!job.procs_of_node.empty()) {
            problems.add(root["procs_per_node"], "procs_per_node",
                         text(kContext, "with launcher: slurm every node has as many ranks"),
                         text(kContext, "Write a number, or auto for as many as slurm.gres has GPUs."));
        }
    }
    if (!job.all_nodes && !job.nodes.empty()) {
        const auto check_node = [&](const char* where, const std::string& node) {
            if (std::find(job.nodes.begin(), job.nodes.end(), node) == job.nodes.end()) {
                problems.add(root[where], where, text(kContext, "\"%1\" is not one of the nodes", {node}),
                             text(kContext, "Name one that stands in nodes:, or add it there."));
            }
        };
        if (!job.master.empty()) {
            check_node("master", job.master);
        }
        for (const auto& [node, procs] : job.procs_of_node) {
            check_node("procs_per_node", node);
        }
        for (const auto& [node, gpus] : job.devices) {
            check_node("devices", node);
        }
        for (const auto& [node, env] : job.node_env) {
            check_node("node_env", node);
        }
    }
    if (job.max_restarts > 0 && job.launcher == Launcher::Slurm) {
        problems.add(root["on_failure"], "on_failure.max_restarts",
                     text(kContext, "under Slurm, Slurm starts a job again, not Rankscope"),
                     text(kContext, "Write 0, or leave it out."));
    }
    if (job.train && !job.push.empty()) {
        problems.add(root["push"], "push", text(kContext, "it is for programs of your own"),
                     text(kContext, "Leave it out: the native engine brings its own files."));
    }
}

}  // namespace

const char* to_string(BackendChoice backend) {
    switch (backend) {
        case BackendChoice::Auto:
            return "auto";
        case BackendChoice::Nccl:
            return "nccl";
        case BackendChoice::Gloo:
            return "gloo";
    }
    return "auto";
}

int checkpoint_signal_number(const Job& job) {
    for (const auto& [name, number] : checkpoint_signals()) {
        if (name == job.checkpoint_signal) {
            return number;
        }
    }
    return 0;
}

const char* to_string(Launcher launcher) {
    return launcher == Launcher::Slurm ? "slurm" : "ssh";
}

const char* to_string(RankOrder order) {
    return order == RankOrder::Cyclic ? "cyclic" : "block";
}

JobRead parse_job(const std::string& yaml, const std::filesystem::path& file) {
    JobRead read;
    read.yaml = yaml;
    Job& job = read.job;
    job.file = file;
    job.name = file.stem().string();
    YamlProblems problems(file);
    const auto root = load_yaml(yaml, problems);
    if (root && !root->IsMap()) {
        problems.add(*root, "", text(kContext, "the file must hold a mapping"),
                     text(kContext, "Begin with name:, nodes: and train:."));
    } else if (root) {
        YamlMapping map(*root, "", problems);
        map.text("name", job.name);
        read_choice<Launcher>(map, "launcher", job.launcher,
                              {{"ssh", Launcher::Ssh}, {"slurm", Launcher::Slurm}});
        read_where(map, job, problems);
        map.text("master", job.master);
        read_choice<RankOrder>(map, "rank_order", job.rank_order,
                               {{"block", RankOrder::Block}, {"cyclic", RankOrder::Cyclic}});
        read_procs(map, job);
        read_devices(map, job);
        read_choice<BackendChoice>(
            map, "backend", job.backend,
            {{"auto", BackendChoice::Auto}, {"nccl", BackendChoice::Nccl}, {"gloo", BackendChoice::Gloo}});
        map.whole("master_port", job.master_port, 0, 65535);
        map.text("interface", job.interface_name);
        read_environments(map, job);
        read_on_failure(map, job, problems);
        read_checkpoint(map, job, problems);
        read_telemetry(map, job, problems);
        read_train(map, job, problems);
        map.texts("command", job.command);
        map.text("workdir", job.workdir);
        map.texts("push", job.push);
        read_own_program(map, job.own, problems);
        map.finish();
        check_whole(job, *root, problems);
    }
    read.problems = problems.take();
    return read;
}

JobRead read_job(const std::filesystem::path& file) {
    const auto content = read_file(file);
    if (content) {
        return parse_job(*content, file);
    }
    JobRead read;
    read.problems.push_back({"bad-file", file.string(),
                             text(kContext, "The job file cannot be read: %1.", {std::strerror(errno)}),
                             text(kContext, "Check the path."), ""});
    return read;
}

std::string to_yaml(const Job& job) {
    // JSON's objects and lists are valid YAML in flow form; the emitter only lays out the top level.
    std::string yaml = "name: " + nlohmann::json(job.name).dump() + '\n';
    if (job.launcher != Launcher::Slurm) {
        yaml += "nodes: " + (job.all_nodes ? std::string("all") : nlohmann::json(job.nodes).dump()) + '\n';
    }
    if (!job.master.empty()) {
        yaml += "master: " + nlohmann::json(job.master).dump() + '\n';
    }
    if (job.rank_order != RankOrder::Block) {
        yaml += std::string("rank_order: ") + to_string(job.rank_order) + '\n';
    }
    yaml += "procs_per_node: " +
            (!job.procs_of_node.empty() ? nlohmann::json(job.procs_of_node).dump()
             : job.procs_per_node == 0  ? "auto"
                                        : std::to_string(job.procs_per_node)) +
            '\n';
    if (!job.devices.empty()) {
        yaml += "devices: " + nlohmann::json(job.devices).dump() + '\n';
    }
    yaml += std::string("backend: ") + to_string(job.backend) + '\n';
    yaml += "master_port: " + std::to_string(job.master_port) + '\n';
    yaml += "interface: " + nlohmann::json(job.interface_name).dump() + '\n';
    if (!job.env.empty()) {
        yaml += "env: " + nlohmann::json(job.env).dump() + '\n';
    }
    if (!job.node_env.empty()) {
        yaml += "node_env: " + nlohmann::json(job.node_env).dump() + '\n';
    }
    if (!job.rank_env.empty()) {
        nlohmann::json ranks = nlohmann::json::object();
        for (const auto& [rank, env] : job.rank_env) {
            ranks[std::to_string(rank)] = env;
        }
        yaml += "rank_env: " + ranks.dump() + '\n';
    }
    yaml += std::string("launcher: ") + to_string(job.launcher) + '\n';
    if (job.slurm) {
        yaml += "slurm: " + to_yaml(*job.slurm) + '\n';
    }
    yaml += "on_failure: " +
            nlohmann::json{{"grace_s", job.grace_s},
                           {"max_restarts", job.max_restarts},
                           {"peer_timeout_s", job.peer_timeout_s},
                           {"stopped_limit_s", job.stopped_limit_s}}
                .dump() +
            '\n';
    if (!job.checkpoint_signal.empty()) {
        yaml += "checkpoint: " +
                nlohmann::json{{"signal", job.checkpoint_signal}, {"wait_s", job.checkpoint_wait_s}}.dump() +
                '\n';
    }
    if (job.telemetry_s != Job().telemetry_s) {
        yaml += "telemetry: " + nlohmann::json{{"every_s", job.telemetry_s}}.dump() + '\n';
    }
    if (job.train) {
        yaml += "train:\n";
        for (const auto& [key, value] : job.train->items()) {
            yaml += "  " + key + ": " + value.dump() + '\n';
        }
    }
    if (!job.command.empty()) {
        yaml += "command: " + nlohmann::json(job.command).dump() + '\n';
    }
    if (!job.workdir.empty()) {
        yaml += "workdir: " + nlohmann::json(job.workdir).dump() + '\n';
    }
    if (!job.push.empty()) {
        yaml += "push: " + nlohmann::json(job.push).dump() + '\n';
    }
    yaml += to_yaml(job.own);
    return yaml;
}

}  // namespace rankscope
