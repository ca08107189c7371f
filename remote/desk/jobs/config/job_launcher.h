// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job.h>
#include <remote/desk/jobs/config/job_keys.h>

#include <string>
#include <vector>

namespace rankscope::inline jobs {

/// What a job file, its check and its form know about one launcher.
struct JobLauncher {
    const char* name = "";  ///< as `launcher:` has it; also the name of its section
    const char* help = "";  ///< which nodes it uses: "nodes that Slurm chooses"
    /// The job names one node to submit on; the launcher chooses the nodes of the ranks.
    bool chooses_nodes = false;
    const char* submit_key = "";      ///< where chooses_nodes: the key that names the node to submit on
    const char* node_count_key = "";  ///< where chooses_nodes: the key with the number of nodes
    const char* command = "";         ///< the program whose command lines can become such jobs: "srun"
    const char* section = "";         ///< example of its section, which a job then needs; empty: none
    /// Adds the keys of the section; null: it has none.
    void (*add_keys)(config::KeyTable<Job>& table) = nullptr;
};

/// All launchers, the default first: the table in remote/desk/jobs/launchers/job_launchers.cpp.
const std::vector<JobLauncher>& job_launchers();
/// The launcher of a job; the default where the name is unknown, which the check of a job file reports.
const JobLauncher& launcher_of(const Job& job);
/// Gives the job another launcher and removes what has no place with it.
void choose_launcher(Job& job, const std::string& name);

/// The node that the job is submitted on; empty: none is named. Only where the launcher chooses the nodes.
std::string submit_node(const Job& job);
void set_submit_node(Job& job, const std::string& node);
void set_node_count(Job& job, int nodes);

}  // namespace rankscope::inline jobs
