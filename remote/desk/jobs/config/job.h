// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/config_problem.h>
#include <base/failure.h>
#include <remote/desk/jobs/config/job_container.h>
#include <remote/desk/jobs/config/job_environment.h>
#include <remote/desk/jobs/config/own_program.h>

#include <nlohmann/json.hpp>

#include <any>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline jobs {

enum class BackendChoice { Auto, Nccl, Gloo };
/// Block: all ranks of the first node, then the next one's (as torchrun). Cyclic: one rank of each node in
/// turn.
enum class RankOrder { Block, Cyclic };

/// What a start inspects: nothing; the nodes and the paths between them in about a second; everything.
enum class StartPreflight { Off, Quick, Always };
/// What follows when a run hangs: a verdict alone; the stacks of all ranks too; the run is stopped.
enum class OnHang { Report, Dump, Stop };
/// How much of NCCL is observed in the ranks. Auto: operations and their GPU times, in ranks that use NCCL; Light: without
/// the GPU's side; Full: and the network. Light and Full: in all ranks of a program of the user.
enum class NcclProfiler { Auto, Light, Full, Off };

/// A job: what to train or run, and where. What the keys of its file mean: job_keys.cpp.
struct Job {
    std::filesystem::path file;
    std::string name;
    bool all_nodes = false;          ///< nodes: all
    std::vector<std::string> nodes;  ///< names; "local" is this machine
    std::string master;              ///< the node that gets rank 0; empty: the first
    RankOrder rank_order = RankOrder::Block;
    int procs_per_node = 0;                           ///< 0: auto
    std::map<std::string, int> procs_of_node;         ///< where procs_per_node is a mapping: node → ranks
    std::map<std::string, std::vector<int>> devices;  ///< node → GPUs, instead of the inventory's
    BackendChoice backend = BackendChoice::Auto;
    int master_port = 29500;  ///< 0: a free one on the master
    std::string interface_name = "auto";
    /// For all ranks, for a node's, for one rank's; the narrower wins. {rank} and the like:
    /// plan/placeholders.h.
    std::map<std::string, std::string> env;
    std::map<std::string, std::map<std::string, std::string>> node_env;
    std::map<int, std::map<std::string, std::string>> rank_env;
    std::vector<std::string> secret_env;  ///< variables whose values are never shown or stored (secret_env.h)
    NcclProfiler nccl_profiler = NcclProfiler::Auto;
    std::string launcher = "ssh";  ///< a name of job_launchers()
    /// What the sections of launchers say, each by the launcher's name and of a type of its own, for example
    /// slurm_options(). Where the launcher chooses the nodes, `nodes` is empty.
    std::map<std::string, std::any> launcher_options;
    double telemetry_s = 1;  ///< seconds between two samples of a node; 0: none
    double grace_s = 5;
    int max_restarts = 0;
    double peer_timeout_s = 45;  ///< a node that the others do not hear for this time ends the run; 0: never
    double stopped_limit_s = 0;  ///< a rank stopped by a signal for this time fails the run; 0: never
    StartPreflight preflight = StartPreflight::Quick;
    OnHang on_hang = OnHang::Report;
    double hang_after_s =
        0;  ///< without progress for this time the ranks are inspected; 0: learnt from the run
    std::string checkpoint_signal;        ///< sent before SIGTERM when a run is stopped ("USR1"); empty: none
    double checkpoint_wait_s = 30;        ///< how long the ranks may take to write their checkpoint then
    std::optional<nlohmann::json> train;  ///< native engine (base/config/train_config.h)
    std::vector<std::string> command;     ///< or the user's own program; exactly one of the two
    std::string workdir;
    std::vector<std::string> push;
    OwnProgram own;  ///< only with command
    JobContainer container;
    JobEnvironment environment;  ///< only with command
};

struct JobRead {
    Job job;
    std::string yaml;               ///< the text as it was, for the run store
    std::vector<Failure> problems;  ///< each with key, file and line
    config::ConfigProblems faults;  ///< the same without the file's name
};

/// Reads job.yaml. Every problem names file, line, key and the correct form; nothing starts while there is
/// one.
JobRead read_job(const std::filesystem::path& file);
JobRead parse_job(const std::string& yaml, const std::filesystem::path& file);

/// What is wrong with a job that was not read from a file: every value by the table of keys, and the values
/// beside each other.
config::ConfigProblems check_job(const Job& job);

/// A job file with every key whose value differs from its default, and the ones that are always written.
std::string to_yaml(const Job& job);
const char* to_string(BackendChoice backend);
/// Of checkpoint.signal; 0: none.
int checkpoint_signal_number(const Job& job);
const char* to_string(RankOrder order);

}  // namespace rankscope::inline jobs
