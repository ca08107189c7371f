// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/launch/own_program_spec.h>

#include <array>

namespace rankscope::inline runs {
namespace {

// As torchrun: these two give way to what the node's own environment says.
constexpr std::array kGivesWay{"OMP_NUM_THREADS", "TORCH_NCCL_ASYNC_ERROR_HANDLING"};

bool job_sets(const Job& job, const std::string& key, int rank) {
    const auto in_rank = job.rank_env.find(rank);
    if (job.env.count(key) != 0 || (in_rank != job.rank_env.end() && in_rank->second.count(key) != 0)) {
        return true;
    }
    for (const auto& [node, env] : job.node_env) {
        if (env.count(key) != 0) {
            return true;
        }
    }
    return false;
}

}  // namespace

void add_own_program(const Job& job, wire::StartRun& run) {
    if (job.command.empty()) {
        return;
    }
    auto* own = run.mutable_own();
    own->set_venv(job.own.venv);
    own->set_conda(job.own.conda);
    own->set_log_dir(job.own.log_dir);
    own->set_leave_files(!job.own.metrics.files);
    own->set_read_lines(job.own.metrics.lines);
    for (const auto& pattern : job.own.metrics.patterns) {
        own->add_line_patterns(pattern);
    }
    const bool folder_each = job.own.metrics.tensorboard.find("{rank}") != std::string::npos;
    for (auto& rank : *run.mutable_ranks()) {
        rank.set_event_folder_is_own(folder_each && !rank.event_folder().empty());
        for (const char* key : kGivesWay) {
            const auto value = rank.env().find(key);
            if (value != rank.env().end() && !job_sets(job, key, rank.rank())) {
                (*rank.mutable_default_env())[key] = value->second;
                rank.mutable_env()->erase(key);
            }
        }
    }
}

}  // namespace rankscope::inline runs
