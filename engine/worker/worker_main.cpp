// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <base/metrics_line.h>
#include <engine/bench/bench_command.h>
#include <engine/checkpoint/convert_command.h>
#include <engine/comm/gloo_terminate.h>
#include <engine/comm/rank_env.h>
#include <engine/distribuuuu/command.h>
#include <engine/error.h>
#include <engine/train/capabilities.h>
#include <engine/train/log_listener.h>
#include <engine/train/metric_lines_listener.h>
#include <engine/train/metrics_sink.h>
#include <engine/train/process_exit.h>
#include <engine/train/run_worker.h>
#include <engine/train/store_checkpoints.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <chrono>
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
    WorkerOptions worker;
    bool capabilities = false;
};

config::TrainConfig read_config(const std::string& file) {
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
    for (const config::ConfigProblem& problem : config::check_train_config(section)) {
        faults += (faults.empty() ? "" : "\n") + file + ": train" + (problem.path.empty() ? "" : ".") +
                  problem.path + " " + problem.message;
    }
    if (!faults.empty()) {
        throw ConfigError(faults);
    }
    return config::parse_train_config(section);
}

/// The exit code when the arguments alone decide it, −1 to go on.
int parse_arguments(int argc, char** argv, Arguments& arguments) {
    CLI::App app(
        "rankscope-worker: one rank of a training run. RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, "
        "MASTER_ADDR, MASTER_PORT and RANKSCOPE_TOKEN come from the environment, as a launcher sets them; "
        "without them it is a world of one.");
    app.set_version_flag("--version", "rankscope-worker " + worker_version());
    app.add_option("--config", arguments.config_file, "the job's train section as JSON");
    app.add_option("--threads", arguments.worker.threads,
                   "compute threads (default: train.threads, else OMP_NUM_THREADS)")
        ->check(CLI::Range(1, 1024));
    app.add_option("--rendezvous-timeout", arguments.worker.rendezvous_timeout_s,
                   "seconds to wait for all ranks (default 120)")
        ->check(CLI::Range(0.1, 86400.0));
    app.add_flag("--insecure-no-token", arguments.worker.allow_no_token,
                 "let ranks join without RANKSCOPE_TOKEN: only on a network where everybody is trusted");
    app.footer(
        "Further commands, each with --help of its own: rankscope-worker bench (how long a step takes), "
        "rankscope-worker distribuuuu --cfg FILE KEY VALUE … (runs Distribuuuu's configurations), "
        "rankscope-worker convert IN OUT (weights between safetensors and PyTorch's files).");
    app.add_flag("--capabilities", arguments.capabilities, "print what this worker can do, as JSON, and end");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kExitWrongUse;
    }
    if (arguments.capabilities) {
        std::cout << worker_capabilities().dump() << '\n';
        return 0;
    }
    if (arguments.config_file.empty()) {
        std::cerr << "rankscope-worker: --config FILE is missing (see --help)\n";
        return kExitWrongUse;
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
    const std::string_view first = argc > 1 ? argv[1] : "";
    const bool bench = first == "bench";
    const bool distribuuuu = first == "distribuuuu";
    const bool convert = first == "convert";
    Arguments arguments;
    if (!bench && !distribuuuu && !convert) {
        if (const int code = parse_arguments(argc, argv, arguments); code >= 0) {
            return code;
        }
    }
    end_on_signals();
    end_on_exceptions_of_gloo([](const std::string& what) {
        std::this_thread::sleep_for(std::chrono::seconds(1));  // the watch names the rank, if it can
        end_process(kExitPeerLost, "another rank is gone: " + what);
    });
    const char* pipe = std::getenv(kMetricsPipeVariable);
    MetricsSink metrics(pipe == nullptr ? "" : pipe);
    try {
        if (bench) {
            return bench_command(argc - 1, argv + 1);
        }
        if (convert) {
            return convert_command(argc - 1, argv + 1);
        }
        if (distribuuuu) {
            return distribuuuu::command(argc - 1, argv + 1, metrics);
        }
        const RankEnv env = read_rank_env();
        const config::TrainConfig config = read_config(arguments.config_file);
        MetricLinesListener metric_lines(metrics);
        LogListener log(config);
        run_worker(arguments.worker, config, env, metrics, {&metric_lines, &log}, [&](ProcessGroup* group) {
            return std::make_unique<StoreCheckpoints>(config.checkpoint, group, env.rank);
        });
    } catch (const PeerLostError& error) {
        end_after_peer_loss(metrics, error.what());
    } catch (const ConfigError& error) {
        end_process(kExitWrongUse, error.what());
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
