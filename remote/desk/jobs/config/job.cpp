// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/config_node.h>
#include <base/files.h>
#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/config/job_keys.h>
#include <remote/desk/jobs/config/job_launcher.h>
#include <remote/desk/shared/text.h>
#include <remote/desk/shared/yaml_tree.h>
#include <remote/desk/shared/yaml_write.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>

namespace rankscope::inline jobs {
namespace {

using config::ConfigProblems;
using nlohmann::json;

constexpr const char* kContext = "Job";

/// Problems of values that are right by themselves and wrong together.
class TogetherCheck {
public:
    TogetherCheck(const Job& job, ConfigProblems& problems) : job_(job), problems_(problems) {}

    void run() {
        check_program();
        check_container();
        check_environment();
        check_launcher();
        check_node_names();
        for (const auto& key : job_keys().keys) {
            if (*key.info.refusal != '\0' && !applies(key.info, job_) && key.write(job_) != key.info.normal &&
                (job_.train || (key.info.applies & config::kNative) != 0)) {
                add(key.info.path,
                    launcher_of(job_).chooses_nodes && (key.info.applies & config::kChosenNodes) == 0
                        ? text(kContext, "has no place with launcher: %1", {job_.launcher})
                        : text(kContext, "has no effect with the native engine"),
                    text(kContext, key.info.refusal));
            }
        }
    }

private:
    void add(const std::string& path, std::string message, std::string remedy) {
        problems_.push_back({path, std::move(message), std::move(remedy)});
    }

    void check_program() {
        if (job_.train && !job_.command.empty()) {
            add("command", text(kContext, "there is a train section as well"),
                text(kContext, "Keep one: train for the native engine, command for your own program."));
        }
        if (!job_.train && job_.command.empty()) {
            add("", text(kContext, "neither train nor command is given"),
                text(kContext, "Add a train section (native engine), or command: [python3, train.py]."));
        }
        if (!job_.own.venv.empty() && !job_.own.conda.empty()) {
            add("conda", text(kContext, "there is a venv as well"),
                text(kContext, "Keep one: venv for a virtual environment, conda for one of conda's."));
        }
        if (job_.own.throughput.batch && job_.own.throughput.batch_per_rank) {
            add("throughput.batch_per_rank", text(kContext, "throughput.batch is given as well"),
                text(kContext,
                     "Keep one: batch counts the samples of all ranks, batch_per_rank those of one."));
        }
    }

    void check_container() {
        const JobContainer& container = job_.container;
        if (!container.image.empty() && !container.name.empty()) {
            add("container.name", text(kContext, "there is an image as well"),
                text(kContext,
                     "Keep one: image for a container of this run, name for one that runs already."));
        }
        if (!container.wanted() && container != JobContainer()) {
            add("container", text(kContext, "names neither image nor container"),
                text(kContext, "Add it, for example: %1", {"container: { image: pytorch/pytorch }"}));
        }
        if (!container.name.empty() && !container.mounts.empty()) {
            add("container.mounts", text(kContext, "the container runs already"),
                text(kContext, "Start it with these mounts, or name its image instead."));
        }
    }

    void check_environment() {
        const JobEnvironment& environment = job_.environment;
        if (!environment.uv.empty() && !environment.requirements.empty()) {
            add("environment.requirements", text(kContext, "there is a uv.lock as well"),
                text(kContext, "Keep one: both say which packages the environment has."));
        }
        if (!environment.wanted() && environment != JobEnvironment()) {
            add("environment", text(kContext, "names no file"),
                text(kContext, "Add it, for example: %1", {"environment: { uv: uv.lock }"}));
        }
        if (environment.uv.empty() && !environment.extras.empty() && environment.wanted()) {
            add("environment.extras", text(kContext, "extras belong to a uv.lock"),
                text(kContext, "Write them in the requirements file: NAME[EXTRA]==VERSION."));
        }
        if (environment.wanted() && (!job_.own.venv.empty() || !job_.own.conda.empty())) {
            add("environment",
                text(kContext, "there is a %1 as well", {job_.own.venv.empty() ? "conda" : "venv"}),
                text(kContext,
                     "Keep one: environment is made on the nodes, venv and conda are there already."));
        }
        if (environment.wanted() && job_.container.wanted()) {
            add("environment", text(kContext, "there is a container as well"),
                text(kContext,
                     "Leave one out: install the packages in the image, or run without a container."));
        }
    }

    void check_launcher() {
        const JobLauncher& launcher = launcher_of(job_);
        for (const JobLauncher& other : job_launchers()) {
            const bool given = job_.launcher_options.contains(other.name);
            if (&other == &launcher && !given && *other.section != '\0') {
                add(other.name, text(kContext, "missing"),
                    text(kContext, "Add it, for example: %1", {other.section}));
            } else if (&other != &launcher && given) {
                add(other.name, text(kContext, "the launcher is %1", {job_.launcher}),
                    text(kContext, "Write launcher: %1, or leave the section out.", {other.name}));
            }
        }
        if (!launcher.chooses_nodes && !job_.all_nodes && job_.nodes.empty()) {
            add("nodes", text(kContext, "missing"),
                text(kContext, "Add it, for example: %1", {"nodes: [node1, node2]"}));
        }
        // The engine itself notices a rank that does not answer; for other programs the supervisors would, by a link that
        // they do not have there.
        if (launcher.chooses_nodes && !job_.train && job_.peer_timeout_s != Job().peer_timeout_s) {
            add("on_failure.peer_timeout_s",
                text(kContext, "has no place with launcher: %1", {job_.launcher}),
                text(kContext, "Leave it out: the launcher ends a job whose node does not answer."));
        }
        if (launcher.chooses_nodes && !job_.procs_of_node.empty()) {
            add("procs_per_node", text(kContext, "differs by node"),
                text(kContext, "With launcher: %1 every node has the same number: write a number, or auto.",
                     {job_.launcher}));
        }
    }

    void check_node_names() {
        if (job_.all_nodes || job_.nodes.empty()) {
            return;
        }
        const auto check = [&](const char* key, const std::string& node) {
            if (std::find(job_.nodes.begin(), job_.nodes.end(), node) == job_.nodes.end()) {
                add(key, text(kContext, "\"%1\" is not one of the nodes", {node}),
                    text(kContext, "Name one that nodes: contains, or add it there."));
            }
        };
        if (!job_.master.empty()) {
            check("master", job_.master);
        }
        for (const auto& [node, procs] : job_.procs_of_node) {
            check("procs_per_node", node);
        }
        for (const auto& [node, gpus] : job_.devices) {
            check("devices", node);
        }
        for (const auto& [node, env] : job_.node_env) {
            check("node_env", node);
        }
    }

    const Job& job_;
    ConfigProblems& problems_;
};

/// Adds what is wrong together, but not of keys that have a problem already.
void check_together(const Job& job, ConfigProblems& problems) {
    ConfigProblems found;
    TogetherCheck(job, found).run();
    const std::size_t before = problems.size();
    for (config::ConfigProblem& problem : found) {
        const auto end = problems.begin() + static_cast<std::ptrdiff_t>(before);
        const bool known = std::any_of(problems.begin(), end, [&](const config::ConfigProblem& other) {
            return !problem.path.empty() &&
                   (other.path == problem.path || other.path.starts_with(problem.path + '.'));
        });
        if (!known) {
            problems.push_back(std::move(problem));
        }
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
    const std::pair<const char*, int> signals[] = {
        {"USR1", SIGUSR1}, {"USR2", SIGUSR2}, {"HUP", SIGHUP}, {"INT", SIGINT}, {"ALRM", SIGALRM}};
    for (const auto& [name, number] : signals) {
        if (name == job.checkpoint_signal) {
            return number;
        }
    }
    return 0;
}

const char* to_string(RankOrder order) {
    return order == RankOrder::Cyclic ? "cyclic" : "block";
}

JobRead parse_job(const std::string& yaml, const std::filesystem::path& file) {
    JobRead read;
    read.yaml = yaml;
    read.job.file = file;
    read.job.name = file.stem().string();
    ConfigProblems& faults = read.faults;
    const auto root = read_yaml(yaml, faults);
    if (root && !root->is_mapping()) {
        faults.push_back({"", text(kContext, "the file must hold a mapping"),
                          text(kContext, "Begin with name:, nodes: and train:."), root->line});
    } else if (root) {
        config::read_keys(job_keys(), *root, read.job, faults, {.quoted_numbers = true});
        if (launcher_of(read.job).chooses_nodes && root->find("master_port") == nullptr) {
            read.job.master_port = 0;  // other jobs may share the nodes, and would use the same default
        }
        check_together(read.job, faults);
        for (config::ConfigProblem& fault : faults) {
            fault.line = fault.line > 0 ? fault.line : config::line_of(*root, fault.path);
        }
    }
    read.problems = failures_of(faults, file);
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

ConfigProblems check_job(const Job& job) {
    ConfigProblems problems;
    Job again;  // what the values give when they are read
    for (const auto& key : job_keys().keys) {
        if (const json value = key.write(job); value != key.info.normal) {
            const config::ConfigNode node = config::from_json(value);
            key.read({node, key.info, key.info.path, true, problems}, again);
        }
    }
    check_together(job, problems);
    return problems;
}

std::string to_yaml(const Job& job) {
    std::vector<std::pair<std::string, nlohmann::ordered_json>> sections;
    for (const auto& key : job_keys().keys) {
        const config::KeyInfo& info = key.info;
        const json value = key.write(job);
        const bool in_section = *info.launcher == '\0' || job.launcher_options.contains(info.launcher);
        if (value.is_null() || !in_section ||
            (value == info.normal && !(info.written && applies(info, job)))) {
            continue;
        }
        const auto dot = info.path.find('.');
        const std::string name = info.path.substr(0, dot);
        if (sections.empty() || sections.back().first != name) {
            sections.emplace_back(name, nlohmann::ordered_json::object());
        }
        if (dot == std::string::npos) {
            sections.back().second = value;
        } else {
            sections.back().second[info.path.substr(dot + 1)] = value;
        }
    }
    std::string yaml;
    for (const auto& [name, value] : sections) {
        if (name != "train" || !value.is_object() || value.empty()) {
            yaml += name + ": " + yaml_flow(value) + '\n';
            continue;
        }
        yaml += "train:\n";
        for (const auto& [key, entry] : value.items()) {
            yaml += "  " + yaml_flow(key) + ": " + yaml_flow(entry) + '\n';
        }
    }
    return yaml;
}

}  // namespace rankscope::inline jobs
