// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/comm/process_group.h>
#include <engine/comm/rank_env.h>
#include <engine/train/metrics_sink.h>
#include <engine/train/run_checkpoints.h>
#include <engine/train/run_report.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {

constexpr int kExitWrongUse = 2;

/// What the command line decides of a rank's run, whichever front end was called.
struct WorkerOptions {
    int threads = 0;  ///< 0: from the configuration or the environment
    bool allow_no_token = false;
    std::optional<double> rendezvous_timeout_s{};  ///< absent: from the configuration, else 120
    bool only_evaluate = false;  ///< validation alone, with the weights that the checkpoints name
};

/// --threads, else the configuration, else OMP_NUM_THREADS; else one where ranks share the node, all cores
/// where not.
int thread_count(const WorkerOptions& options, const config::TrainConfig& config, const RankEnv& env);

/// Made once the ranks have met; a null group is a world of one.
using MakeCheckpoints = std::function<std::unique_ptr<RunCheckpoints>(ProcessGroup* group)>;

/// One rank from the rendezvous to the last epoch. Ends the process by itself when another rank is lost or
/// training fails, so that the other ranks learn why; throws ConfigError and PeerLostError before they have
/// met.
void run_worker(const WorkerOptions& options, const config::TrainConfig& config, const RankEnv& env,
                MetricsSink& metrics, const std::vector<RunListener*>& listeners,
                const MakeCheckpoints& make_checkpoints);

/// Ends the process with the exit code of a lost peer; `missing_rank`: which one, −1: not known.
[[noreturn]] void end_after_peer_loss(MetricsSink& metrics, const std::string& message, int missing_rank);

}  // namespace rankscope::engine
