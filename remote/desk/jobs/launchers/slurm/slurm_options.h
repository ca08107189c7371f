// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/config/job_launcher.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline jobs {

/// The `slurm` section of a job file: where and with which options it is submitted. Empty: absent, Slurm's
/// default holds. The texts go to sbatch as they are; what Slurm does not accept, it says itself.
struct SlurmOptions {
    std::string login;  ///< inventory name of a node that has sbatch; "local" is this machine
    int nodes = 1;
    std::string partition;
    std::string account;
    std::string qos;
    std::string time;                ///< as sbatch --time: minutes, HH:MM:SS, D-HH:MM:SS
    std::string gres;                ///< per node, as sbatch --gres: gpu:4
    std::vector<std::string> extra;  ///< further arguments of sbatch

    bool operator==(const SlurmOptions&) const = default;
};

inline constexpr const char* kSlurmLauncher = "slurm";  ///< in job files
/// What a job says of Slurm; the defaults where it has no such section, which the first one adds.
SlurmOptions& slurm_options(Job& job);
const SlurmOptions& slurm_options(const Job& job);
/// The row of job_launchers().
JobLauncher slurm_job_launcher();

/// Why a word of `extra` cannot be passed to sbatch, and what to write instead; nothing: it can.
std::optional<std::pair<std::string, std::string>> fault_of_sbatch_word(const std::string& word);
/// GPUs of each node that `gres` asks for ("gpu:4", "gpu:a100:2", "gpu"), or `extra` (--gpus-per-node=2, --gpus=8);
/// 0: none.
int gpus_per_node(const SlurmOptions& options);

}  // namespace rankscope::inline jobs
