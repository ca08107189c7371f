// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <base/json_text.h>
#include <engine/checkpoint/convert_command.h>
#include <engine/comm/rank_env.h>
#include <engine/error.h>
#include <engine/train/capabilities.h>
#include <engine/train/log_listener.h>
#include <engine/train/metric_lines_listener.h>
#include <engine/train/metrics_sink.h>
#include <engine/train/run_worker.h>
#include <engine/train/store_checkpoints.h>
#include <engine/train/version.h>
#include <engine/worker/program.h>
#include <engine/worker/sample_command.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <system_error>

namespace rankscope::engine {
namespace {

/// Whether `command` is a command of rankscope-worker that is a program of its own: nodes that only train do not get
/// them.
bool is_sibling_command(std::string_view command) {
    return command == "bench" || command == "distribuuuu";
}

/// Replaces this process by the program of argv[1] (`rankscope-worker-bench` and so on), which lies in the folder of
/// this one, with the arguments after it. Returns only on failure: main's exit code, after a message.
int run_sibling_program(char** argv) {
    std::error_code error;
    const std::filesystem::path folder = std::filesystem::read_symlink("/proc/self/exe", error).parent_path();
    const std::string program = (folder / ("rankscope-worker-" + std::string(argv[1]))).string();
    execv(program.c_str(), argv + 1);
    const int why = errno;
    if (why == ENOENT) {
        std::fprintf(
            stderr,
            "rankscope-worker: the command \"%s\" is a program of its own, which is not installed here: "
            "%s. It is part of a build and of the package, not of the bundle that Rankscope copies to "
            "the nodes.\n",
            argv[1], program.c_str());
    } else {
        std::fprintf(stderr, "rankscope-worker: cannot run %s: %s\n", program.c_str(), std::strerror(why));
    }
    return kExitWrongUse;
}

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
    std::string why;
    const nlohmann::json section = read_json(text.str(), {}, &why);
    if (section.is_discarded()) {
        throw ConfigError(file + ": is not JSON: " + why);
    }
    std::string problems;
    for (const config::ConfigProblem& problem : config::check_train_config(section)) {
        problems += (problems.empty() ? "" : "\n") + file + ": train" + (problem.path.empty() ? "" : ".") +
                    problem.path + ": " + config::to_sentence(problem);
    }
    if (!problems.empty()) {
        throw ConfigError(problems);
    }
    return config::parse_train_config(section);
}

/// The exit code when the arguments alone decide it, −1 to continue.
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
                   "seconds to wait for all ranks (default: train.ddp.rendezvous_timeout_s, else 120)")
        ->check(CLI::Range(0.1, 86400.0));
    app.add_flag("--insecure-no-token", arguments.worker.allow_no_token,
                 "let ranks join without RANKSCOPE_TOKEN: only on a network whose users are all trusted");
    app.footer(
        "Further commands, each with its own --help: rankscope-worker bench (times a step), "
        "rankscope-worker distribuuuu --cfg FILE KEY VALUE … (runs Distribuuuu's configurations), "
        "rankscope-worker convert IN OUT (weights between safetensors and PyTorch's files), "
        "rankscope-worker sample WEIGHTS (writes text with a GPT).");
    app.add_flag("--capabilities", arguments.capabilities,
                 "print what this worker supports, as JSON, and exit");
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

int train(const Arguments& arguments, MetricsSink& metrics) {
    const RankEnv env = read_rank_env();
    const config::TrainConfig config = read_config(arguments.config_file);
    MetricLinesListener metric_lines(metrics);
    LogListener log(config);
    run_worker(arguments.worker, config, env, metrics, {&metric_lines, &log}, [&](ProcessGroup* group) {
        return std::make_unique<StoreCheckpoints>(config.checkpoint, group, env.rank);
    });
    return 0;
}

int worker_main(int argc, char** argv, MetricsSink& metrics) {
    if (argc > 1 && std::string_view(argv[1]) == "convert") {
        return convert_command(argc - 1, argv + 1);
    }
    if (argc > 1 && std::string_view(argv[1]) == "sample") {
        return sample_command(argc - 1, argv + 1);
    }
    Arguments arguments;
    const int code = parse_arguments(argc, argv, arguments);
    return code >= 0 ? code : train(arguments, metrics);
}

}  // namespace
}  // namespace rankscope::engine

int main(int argc, char** argv) {
    using namespace rankscope::engine;
    if (argc > 1 && is_sibling_command(argv[1])) {
        return run_sibling_program(argv);
    }
    return run_program(argv, [&](MetricsSink& metrics) { return worker_main(argc, argv, metrics); });
}
