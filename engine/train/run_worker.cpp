// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/metrics_line.h>
#include <engine/comm/rendezvous.h>
#include <engine/error.h>
#include <engine/train/compute_device.h>
#include <engine/train/data_source.h>
#include <engine/train/process_exit.h>
#include <engine/train/run_worker.h>
#include <engine/train/trainer.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

namespace rankscope::engine {
namespace {

/// The watch usually finds the lost rank and ends the process: wait a moment for it.
[[noreturn]] void end_after_unknown_peer_loss(MetricsSink& metrics, const PeerLostError& error) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    end_after_peer_loss(metrics, std::string("another rank is gone: ") + error.what(), error.rank());
}

std::chrono::milliseconds rendezvous_timeout(const WorkerOptions& options, const config::DdpConfig& config) {
    const double seconds = options.rendezvous_timeout_s.value_or(config.rendezvous_timeout_s.value_or(120));
    return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
}

/// The environment's limits, unless the configuration has its own.
RankEnv with_limits(RankEnv env, const config::DdpConfig& config) {
    const auto milliseconds = [](double seconds) {
        return std::chrono::milliseconds(static_cast<std::int64_t>(std::ceil(seconds * 1000)));
    };
    if (config.heartbeat_s) {
        env.heartbeat = milliseconds(*config.heartbeat_s);
    }
    if (config.collective_timeout_s) {
        env.collective_timeout = milliseconds(*config.collective_timeout_s);
    }
    return env;
}

std::unique_ptr<Rendezvous> meet(const WorkerOptions& options, const config::DdpConfig& config,
                                 const RankEnv& env, MetricsSink& metrics) {
    metrics.stage(StageName::Rendezvous, "rank " + std::to_string(env.rank) + " → " + env.master_addr + ":" +
                                             std::to_string(env.master_port));
    if (env.world_size == 1) {
        metrics.stage(StageName::Rendezvous, "world of 1 rank", 1, 1);
        return nullptr;
    }
    RendezvousOptions meeting;
    meeting.env = env;
    meeting.allow_no_token = options.allow_no_token;
    meeting.timeout = rendezvous_timeout(options, config);
    meeting.peer_lost = [&metrics, rank = env.rank](const PeerLoss& loss) {
        end_after_peer_loss(metrics, loss.text(rank), loss.rank);
    };
    meeting.progress = [&metrics](const RendezvousProgress& progress) {
        MetricsLine line;
        line.stage = StageName::Rendezvous;
        line.values = {{"done", progress.here}, {"total", progress.world}};
        line.waiting_for = progress.missing;
        line.failed_dial = progress.unreachable;
        metrics.write(line);
    };
    return std::make_unique<Rendezvous>(meeting);
}

}  // namespace

void end_after_peer_loss(MetricsSink& metrics, const std::string& message, int missing_rank) {
    metrics.flush();
    end_process(kExitPeerLost, message + ". This rank ends because of it (exit code 75).", missing_rank);
}

int thread_count(const WorkerOptions& options, const config::TrainConfig& config,
                 [[maybe_unused]] const RankEnv& env) {
    if (options.threads > 0) {
        return options.threads;
    }
    if (config.threads) {
        return static_cast<int>(*config.threads);
    }
    if (const char* text = std::getenv("OMP_NUM_THREADS")) {
        return std::max(1, std::atoi(text));
    }
#if defined(__SANITIZE_THREAD__)
    return 1;  // libgomp is not instrumented: every parallel loop would be reported as a race, for minutes
#else
    return env.local_world_size > 1 ? 1 : static_cast<int>(std::max(1U, std::thread::hardware_concurrency()));
#endif
}

void run_worker(const WorkerOptions& options, const config::TrainConfig& config, const RankEnv& given,
                MetricsSink& metrics, const std::vector<RunListener*>& listeners,
                const MakeCheckpoints& make_checkpoints) {
    const RankEnv env = with_limits(given, config.ddp);
    DataSource data(config.dataset, config.validate, metrics);
    const int threads = thread_count(options, config, env);
    const ComputeDevice device = open_device(config.device, threads, env);
    if (device.gpu < 0 && config.precision == "tf32" && env.rank == 0) {
        std::fputs("rankscope-worker: precision: tf32 is for GPUs; this CPU computes in fp32\n", stderr);
    }
    std::unique_ptr<Rendezvous> rendezvous = meet(options, config.ddp, env, metrics);
    // Outlives the handlers below: Gloo's thread may still be sending from the trainer's memory when a peer
    // is lost.
    std::unique_ptr<ProcessGroup> of_device;  // goes after the steps that were recorded with it
    std::unique_ptr<Trainer> trainer;
    std::unique_ptr<RunCheckpoints> checkpoints;
    try {
        ProcessGroup* const group = rendezvous ? &rendezvous->group() : nullptr;
        if (rendezvous) {
            of_device = device_group(device, env, *rendezvous);
        }
        checkpoints = make_checkpoints(group);
        trainer = std::make_unique<Trainer>(TrainerOptions{.config = config,
                                                           .rank = env.rank,
                                                           .world_size = env.world_size,
                                                           .local_world_size = env.local_world_size,
                                                           .group = group,
                                                           .device_group = of_device.get(),
                                                           .checkpoints = checkpoints.get(),
                                                           .listeners = listeners},
                                            *device.backend, data);
        for (RunListener* listener : listeners) {
            listener->worker_ready({.rank = env.rank,
                                    .world_size = env.world_size,
                                    .backend = std::string(device.backend->name()),
                                    .threads = threads});
        }
        if (options.only_evaluate) {
            trainer->evaluate();
        } else {
            trainer->run();
        }
        if (rendezvous) {
            rendezvous->leave();
        }
    } catch (const PeerLostError& error) {
        end_after_unknown_peer_loss(metrics, error);
    } catch (const std::exception& error) {
        if (rendezvous) {
            rendezvous->fail(error.what());
        }
        metrics.flush();
        end_process(dynamic_cast<const ConfigError*>(&error) != nullptr ? kExitWrongUse : 1, error.what());
    }
    metrics.stage(StageName::Done);
    metrics.flush();
}

}  // namespace rankscope::engine
