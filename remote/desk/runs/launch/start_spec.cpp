// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/config/nccl_sources.h>
#include <remote/desk/jobs/plan/nccl_plugin.h>
#include <remote/desk/runs/launch/desk_name.h>
#include <remote/desk/runs/launch/start_spec.h>
#include <remote/desk/runs/preflight/container_spec.h>

#include <algorithm>

namespace rankscope::inline runs {

wire::StartRun start_spec(const LaunchContext& context, const LaunchPlan& plan,
                          const std::optional<WorkerBundle>& bundle) {
    const Job& job = context.job;
    wire::StartRun run;
    run.set_run_id(context.run_id);
    run.set_token(context.token);
    run.set_name(job.name);
    run.set_desk(desk_name());
    run.set_grace_s(job.grace_s);
    run.set_telemetry_s(job.telemetry_s);
    if (bundle) {
        run.set_bundle(bundle->hash);
        run.set_entry(bundle->entry);
    }
    if (job.train) {
        nlohmann::json train = *job.train;
        const bool gpus = std::any_of(plan.ranks.begin(), plan.ranks.end(),
                                      [](const RankPlan& rank) { return rank.device != "cpu"; });
        train["device"] = gpus || job.backend == BackendChoice::Nccl ? "cuda" : "cpu";
        run.set_train_config(train.dump());
    }
    if (job.container.wanted()) {
        *run.mutable_container() = container_spec(job);
    }
    run.set_max_restarts(static_cast<std::uint32_t>(job.max_restarts));
    // The native engine ends when a rank does not answer for long enough; the supervisor does it a little earlier
    // and knows why the rank does not.
    run.set_stopped_limit_s(job.train && job.stopped_limit_s == 0 ? job.peer_timeout_s : job.stopped_limit_s);
    run.set_checkpoint_signal(checkpoint_signal_number(job));
    run.set_checkpoint_wait_s(job.checkpoint_wait_s);
    const auto nccl = nccl_sources_of(job);
    if (nccl.ras || nccl.flight_recorder) {
        run.mutable_nccl()->set_ras(nccl.ras);
        run.mutable_nccl()->set_flight_recorder(nccl.flight_recorder);
    }
    return run;
}

void add_rank(wire::StartRun& run, const RankPlan& rank, const LaunchContext& context,
              const std::string& pushed_folder) {
    auto* entry = run.add_ranks();
    entry->set_rank(rank.rank);
    entry->set_local_rank(rank.local_rank);
    entry->set_workdir(context.job.workdir.empty() ? pushed_folder : context.job.workdir);
    for (const auto& word : rank.command) {
        entry->add_argv(word);
    }
    entry->set_event_folder(rank.event_folder);
    if (context.job.train) {
        // Twice: after a cut, TCP sends again only when as much time has passed as the cut lasted. The
        // supervisors, which connect again, conclude first.
        (*entry->mutable_default_env())["RANKSCOPE_HEARTBEAT_S"] =
            std::to_string(2 * context.job.peer_timeout_s);
    }
    for (const auto& [key, value] : rank.env) {
        (*entry->mutable_env())[key] = value;
    }
    if (loads_nccl_plugin(rank)) {
        run.mutable_nccl()->set_level(static_cast<std::uint32_t>(nccl_level(context.job.nccl_profiler)));
    }
    if (rank.mpi) {
        auto* mpi = entry->mutable_mpi();
        mpi->set_endpoint(rank.mpi->endpoint);
        mpi->set_address(rank.mpi->address);
        mpi->set_hosts(rank.mpi->hosts);
    }
    if (!context.job.own.own_ranks && !context.job.own.mpi) {  // Lightning takes it for the sign of torchrun
        (*entry->mutable_env())["TORCHELASTIC_RUN_ID"] = context.run_id;
    }
}

}  // namespace rankscope::inline runs
