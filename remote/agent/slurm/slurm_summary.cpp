// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/files.h>
#include <remote/agent/slurm/slurm_summary.h>
#include <remote/agent/spool/spool_summary.h>

#include <sys/stat.h>

#include <algorithm>
#include <array>

namespace rankscope::agent {
namespace fs = std::filesystem;
namespace {

// sbatch took the job then.
std::int64_t submitted_us(const SlurmDir& dir) {
    struct stat status {};
    return ::stat(dir.job_id().c_str(), &status) == 0
               ? static_cast<std::int64_t>(status.st_mtim.tv_sec) * 1000000 + status.st_mtim.tv_nsec / 1000
               : 0;
}

// Of two nodes' outcomes, the one that the run has.
wire::Outcome worse(wire::Outcome a, wire::Outcome b) {
    static constexpr std::array kOrder{wire::OUTCOME_DONE, wire::OUTCOME_STOPPED, wire::OUTCOME_LOST,
                                       wire::OUTCOME_FAILED};
    return std::find(kOrder.begin(), kOrder.end(), a) > std::find(kOrder.begin(), kOrder.end(), b) ? a : b;
}

}  // namespace

std::optional<wire::RunEntry> summarize_slurm_run(const SlurmDir& dir, const wire::StartRun& run) {
    const auto job = slurm_job_of(dir);
    if (!job) {
        return std::nullopt;
    }
    wire::RunEntry entry;
    entry.mutable_slurm()->set_job_id(*job);
    entry.mutable_slurm()->set_nodes(run.slurm().nodes());
    entry.mutable_slurm()->set_ranks_per_node(run.slurm().ranks_per_node());
    std::int64_t last_us = 0;
    bool begun = false;
    bool ended = run.slurm().nodes() > 0;
    wire::Outcome outcome = wire::OUTCOME_DONE;
    for (int index = 0; index < static_cast<int>(run.slurm().nodes()); ++index) {
        const RunDir node = dir.node(index);
        const SpoolSummary spool = summarize_spool(node.spool());
        if (spool.started_us != 0 && (!begun || spool.started_us < entry.started_us())) {
            entry.set_started_us(spool.started_us);
        }
        begun = begun || spool.started_us != 0;
        last_us = std::max(last_us, spool.last_us);
        entry.set_last_seq(entry.last_seq() + spool.last_seq);
        ended = ended && spool.end;
        outcome = worse(spool.end ? spool.end->outcome() : wire::OUTCOME_LOST, outcome);
        std::error_code ignored;
        const auto bytes = fs::file_size(node.spool(), ignored);
        entry.set_spool_bytes(entry.spool_bytes() + (ignored ? 0 : bytes));
    }
    std::error_code ignored;
    if (!ended && fs::exists(dir.failed(), ignored)) {
        outcome = wire::OUTCOME_FAILED;
    } else if (!ended && fs::exists(dir.stopped(), ignored)) {
        outcome = wire::OUTCOME_STOPPED;
    }
    if (!begun) {
        entry.set_started_us(submitted_us(dir));
        last_us = entry.started_us();
    }
    if (ended || !slurm_job_is_alive(dir)) {
        entry.set_state(outcome);
        entry.set_ended_us(last_us);
    } else {
        entry.set_state(wire::OUTCOME_RUNNING);
        entry.mutable_slurm()->set_waiting(!begun);
    }
    return entry;
}

}  // namespace rankscope::agent
