// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/job_launcher.h>

#include <algorithm>

namespace rankscope::inline jobs {
namespace {

void set_key(Job& job, const char* path, const nlohmann::json& value) {
    if (const auto* key = job_keys().find(path)) {
        config::ConfigProblems ignored;  // check_job() reports it
        const config::ConfigNode node = config::from_json(value);
        key->read({node, key->info, key->info.path, true, ignored}, job);
    }
}

}  // namespace

const JobLauncher& launcher_of(const Job& job) {
    const auto& all = job_launchers();
    const auto found = std::find_if(
        all.begin(), all.end(), [&](const JobLauncher& launcher) { return launcher.name == job.launcher; });
    return found == all.end() ? all.front() : *found;
}

void choose_launcher(Job& job, const std::string& name) {
    job.launcher = name;
    std::erase_if(job.launcher_options, [&](const auto& options) { return options.first != name; });
    if (launcher_of(job).chooses_nodes) {
        job.master_port =
            job.master_port == Job().master_port ? 0 : job.master_port;  // other jobs have it, too
        job.all_nodes = false;
        job.nodes.clear();
        job.master.clear();
        job.rank_order = RankOrder::Block;
        job.procs_of_node.clear();
        job.devices.clear();
        job.node_env.clear();
    }
}

std::string submit_node(const Job& job) {
    const auto* key = job_keys().find(launcher_of(job).submit_key);
    const nlohmann::json name = key == nullptr ? nlohmann::json() : key->write(job);
    return name.is_string() ? name.get<std::string>() : std::string();
}

void set_submit_node(Job& job, const std::string& node) {
    set_key(job, launcher_of(job).submit_key, node);
}

void set_node_count(Job& job, int nodes) {
    set_key(job, launcher_of(job).node_count_key, nodes);
}

}  // namespace rankscope::inline jobs
