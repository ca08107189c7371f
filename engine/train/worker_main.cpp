// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/cpu/cpu_backend.h>
#include <engine/bench/bench_command.h>
#include <engine/comm/gloo_terminate.h>
#include <engine/comm/rendezvous.h>
#include <engine/error.h>
#include <engine/train/capabilities.h>
#include <engine/train/data_source.h>
#include <engine/train/log_listener.h>
#include <engine/train/metric_lines_listener.h>
#include <engine/train/metrics_sink.h>
#include <engine/train/process_exit.h>
#include <engine/train/trainer.h>
#include <protocol/metrics_line.h>
#include <protocol/train_config.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string_view>
#include <thread>

namespace rankscope::engine {
namespace {

struct Arguments {
    std::string config_file;
    int threads = 0;  ///< 0: from the configuration or the environment
    bool allow_no_token = false;
    double rendezvous_timeout_s = 120;
    bool capabilities = false;
};

constexpr int kWrongUse = 2;

protocol::TrainConfig read_config(const std::string& file) {
    std::ifstream in(file, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    if (!in) {
        throw ConfigError(file + ": cannot be read");
    }
    nlohmann::json section;
    try {
        section = nlohmann::json::parse(text.str());
    } catch (const nlohmann::json::parse_error& error) {
        throw ConfigError(file + ": is not JSON: " + error.what());
    }
    std::string faults;
    for (const protocol::ConfigProblem& problem : protocol::check_train_config(section)) {
        faults += (faults.empty() ? "" : "\n") + file + ": train" + (problem.path.empty() ? "" : ".") +
                  problem.path + " " + problem.message;
    }
    if (!faults.empty()) {
        throw ConfigError(faults);
    }
    return protocol::parse_train_config(section);
}

/// --threads, else the configuration, else OMP_NUM_THREADS; else one where ranks share the node, all cores
/// where not.
int thread_count(const Arguments& arguments, const protocol::TrainConfig& config,
                 [[maybe_unused]] const RankEnv& env) {
    if (arguments.threads > 0) {
        return arguments.threads;
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

[[noreturn]] void end_after_peer_loss(MetricsSink& metrics, const std::string& message) {
    metrics.flush();
    end_process(protocol::kExitPeerLost, message + ". This rank ends because of it (exit code 75).");
}

/// The watch usually knows which rank it was, and ends the process; it is given a moment.
[[noreturn]] void end_after_unknown_peer_loss(MetricsSink& metrics, const std::string& message) {
    std::this_thread::sleep_for(std::chrono::seconds(1));
    end_after_peer_loss(metrics, "another rank is gone: " + message);
}

std::unique_ptr<Rendezvous> meet(const Arguments& arguments, const RankEnv& env, MetricsSink& metrics) {
    metrics.stage("rendezvous", "rank " + std::to_string(env.rank) + " → " + env.master_addr + ":" +
                                    std::to_string(env.master_port));
    if (env.world_size == 1) {
        metrics.stage("rendezvous", "world of 1 rank", 1, 1);
        return nullptr;
    }
    RendezvousOptions options;
    options.env = env;
    options.allow_no_token = arguments.allow_no_token;
    options.timeout =
        std::chrono::milliseconds(static_cast<std::int64_t>(arguments.rendezvous_timeout_s * 1000));
    options.peer_lost = [&metrics](const PeerLoss& loss) {
        end_after_peer_loss(metrics, "rank " + std::to_string(loss.rank) + " is gone: " + loss.reason);
    };
    options.progress = [&metrics](const std::string& detail, int here, int world) {
        metrics.stage("rendezvous", detail, here, world);
    };
    return std::make_unique<Rendezvous>(options);
}

void train(const Arguments& arguments, const protocol::TrainConfig& config, const RankEnv& env,
           MetricsSink& metrics) {
    DataSource data(config.dataset, config.validate, metrics);
    const int threads = thread_count(arguments, config, env);
    const std::unique_ptr<Backend> backend = make_cpu_backend(threads);
    std::unique_ptr<Rendezvous> rendezvous = meet(arguments, env, metrics);
    // Outlives the handlers below: Gloo's thread may still be sending from the trainer's memory when a peer
    // is lost.
    std::unique_ptr<Trainer> trainer;
    MetricLinesListener metric_lines(metrics);
    LogListener log(config.log_every);
    try {
        trainer =
            std::make_unique<Trainer>(TrainerOptions{.config = config,
                                                     .rank = env.rank,
                                                     .world_size = env.world_size,
                                                     .local_world_size = env.local_world_size,
                                                     .group = rendezvous ? &rendezvous->group() : nullptr,
                                                     .listeners = {&metric_lines, &log}},
                                      *backend, data);
        std::printf("rank %d of %d: %s on %s, backend %s, %d thread%s, batch %lld\n", env.rank,
                    env.world_size, config.model.c_str(), config.dataset.name.c_str(),
                    std::string(backend->name()).c_str(), threads, threads == 1 ? "" : "s",
                    static_cast<long long>(config.batch_size));
        std::fflush(stdout);
        trainer->run();
        if (rendezvous) {
            rendezvous->leave();
        }
    } catch (const PeerLostError& error) {
        end_after_unknown_peer_loss(metrics, error.what());
    } catch (const std::exception& error) {
        if (rendezvous) {
            rendezvous->fail(error.what());
        }
        metrics.flush();
        end_process(dynamic_cast<const ConfigError*>(&error) != nullptr ? kWrongUse : 1, error.what());
    }
    metrics.stage("done");
    metrics.flush();
}

/// The exit code when the arguments alone decide it, −1 to go on.
int parse_arguments(int argc, char** argv, Arguments& arguments) {
    CLI::App app(
        "rankscope-worker: one rank of a training run. RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, "
        "MASTER_ADDR, MASTER_PORT and RANKSCOPE_TOKEN come from the environment, as a launcher sets them; "
        "without them it is a world of one.");
    app.set_version_flag("--version", "rankscope-worker " + worker_version());
    app.add_option("--config", arguments.config_file, "the job's train section as JSON");
    app.add_option("--threads", arguments.threads,
                   "compute threads (default: train.threads, else OMP_NUM_THREADS)")
        ->check(CLI::Range(1, 1024));
    app.add_option("--rendezvous-timeout", arguments.rendezvous_timeout_s,
                   "seconds to wait for all ranks (default 120)")
        ->check(CLI::Range(0.1, 86400.0));
    app.add_flag("--insecure-no-token", arguments.allow_no_token,
                 "let ranks join without RANKSCOPE_TOKEN: only on a network where everybody is trusted");
    app.add_flag("--capabilities", arguments.capabilities, "print what this worker can do, as JSON, and end");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kWrongUse;
    }
    if (arguments.capabilities) {
        std::cout << worker_capabilities().dump() << '\n';
        return 0;
    }
    if (arguments.config_file.empty()) {
        std::cerr << "rankscope-worker: --config FILE is missing (see --help)\n";
        return kWrongUse;
    }
    return -1;
}

/// libgomp's threads spin while they wait. On a machine whose cores are shared with other programs that costs
/// most of the speed (measured with two threads beside a busy neighbour: 515 images/s instead of 1541). It
/// reads its variables before main, hence the second start, once, of the same process.
void calm_down_openmp(char** argv) {
    const char* threads = std::getenv("OMP_NUM_THREADS");
    const bool single = threads != nullptr && std::string_view(threads) == "1";
    if (!single && std::getenv("GOMP_SPINCOUNT") == nullptr && std::getenv("OMP_WAIT_POLICY") == nullptr) {
        setenv("GOMP_SPINCOUNT", "0", 1);
        execv("/proc/self/exe", argv);  // where that fails it is only slower
    }
}

int worker_main(int argc, char** argv) {
    const bool bench = argc > 1 && std::string_view(argv[1]) == "bench";
    Arguments arguments;
    if (!bench) {
        if (const int code = parse_arguments(argc, argv, arguments); code >= 0) {
            return code;
        }
    }
    end_on_signals();
    end_on_exceptions_of_gloo([](const std::string& what) {
        std::this_thread::sleep_for(std::chrono::seconds(1));  // the watch names the rank, if it can
        end_process(protocol::kExitPeerLost, "another rank is gone: " + what);
    });
    const char* pipe = std::getenv(protocol::kMetricsPipeVariable);
    MetricsSink metrics(pipe == nullptr ? "" : pipe);
    try {
        if (bench) {
            return bench_command(argc - 1, argv + 1);
        }
        const RankEnv env = read_rank_env();
        train(arguments, read_config(arguments.config_file), env, metrics);
    } catch (const PeerLostError& error) {
        end_after_peer_loss(metrics, error.what());
    } catch (const ConfigError& error) {
        end_process(kWrongUse, error.what());
    }
    return 0;
}

}  // namespace
}  // namespace rankscope::engine

int main(int argc, char** argv) {
    rankscope::engine::calm_down_openmp(argv);
    try {
        return rankscope::engine::worker_main(argc, argv);
    } catch (const std::exception& error) {
        rankscope::engine::end_process(1, error.what());
    }
}
