// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/rank_env.h>
#include <engine/distribuuuu/command.h>
#include <engine/distribuuuu/configuration.h>
#include <engine/distribuuuu/listener.h>
#include <engine/distribuuuu/slurm_env.h>
#include <engine/distribuuuu/torch_checkpoints.h>
#include <engine/error.h>
#include <engine/train/metric_lines_listener.h>
#include <engine/train/run_worker.h>

#include <CLI/CLI.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

namespace rankscope::engine::distribuuuu {
namespace {

struct Arguments {
    std::string file;
    std::string local_rank;
    std::vector<std::string> overrides;
    bool pad_validation = false;
    WorkerOptions worker;
};

/// The exit code when the arguments alone decide it, −1 to continue.
int parse(int argc, char** argv, Arguments& arguments) {
    CLI::App app(
        "rankscope-worker distribuuuu: trains as a configuration of Distribuuuu says, prints its lines and "
        "writes its files. After the options: KEY VALUE pairs that change the configuration, for example "
        "TRAIN.BATCH_SIZE 64 MODEL.DUMMY_INPUT True.",
        "rankscope-worker distribuuuu");
    app.add_option("--cfg", arguments.file, "configuration file (default: Distribuuuu's defaults)");
    app.add_option("--local_rank", arguments.local_rank,
                   "given by torch.distributed.launch; LOCAL_RANK otherwise");
    app.add_flag("--test", arguments.worker.only_evaluate,
                 "only the validation, with MODEL.WEIGHTS: what test_net.py does");
    app.add_flag("--pad-validation", arguments.pad_validation,
                 "repeat validation samples until all ranks have as many, as Distribuuuu does, so that some "
                 "count twice");
    app.add_option("--threads", arguments.worker.threads, "compute threads (default: OMP_NUM_THREADS)")
        ->check(CLI::Range(1, 1024));
    app.add_option("--rendezvous-timeout", arguments.worker.rendezvous_timeout_s,
                   "seconds to wait for all ranks (default 120)")
        ->check(CLI::Range(0.1, 86400.0));
    app.add_flag("--insecure-no-token", arguments.worker.allow_no_token,
                 "let ranks join without RANKSCOPE_TOKEN: only on a network whose users are all trusted");
    app.prefix_command();  // the pairs begin with the first argument that is no option
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : kExitWrongUse;
    }
    arguments.overrides = app.remaining();
    return -1;
}

FlatValues merged_values(const Arguments& arguments) {
    FlatValues values = default_values();
    if (!arguments.file.empty()) {
        std::ifstream in(arguments.file, std::ios::binary);
        std::ostringstream text;
        text << in.rdbuf();
        if (!in) {
            throw ConfigError(arguments.file + ": cannot be read");
        }
        merge(values, read_yaml(text.str(), arguments.file), arguments.file);
    }
    merge(values, read_overrides(arguments.overrides), "command line");
    return values;
}

struct Configuration {
    FlatValues values;
    Settings settings;
    config::TrainConfig config;
};

Configuration configuration_of(const Arguments& arguments) {
    try {
        Configuration read;
        read.values = merged_values(arguments);
        read.settings = settings_of(read.values);
        read.config = train_config_of(read.settings, arguments.pad_validation);
        return read;
    } catch (const SettingsError& error) {
        throw ConfigError(error.what());
    }
}

RankEnv rank_env_of(const Arguments& arguments) {
    const Lookup variable = [](const std::string& name) -> std::optional<std::string> {
        const char* value = std::getenv(name.c_str());
        return value == nullptr ? std::nullopt : std::optional<std::string>(value);
    };
    std::map<std::string, std::string> more = slurm_environment(variable);
    if (!arguments.local_rank.empty()) {
        more["LOCAL_RANK"] = arguments.local_rank;
    }
    return read_rank_env([&](const std::string& name) {
        const auto found = more.find(name);
        return found == more.end() ? variable(name) : std::optional(found->second);
    });
}

void make_folder(const Settings& settings) {
    std::error_code ignored;  // where it fails, the first file in it says why
    std::filesystem::create_directories(settings.out_dir, ignored);
}

void write_configuration(const Settings& settings, const FlatValues& values) {
    const std::filesystem::path file = std::filesystem::path(settings.out_dir) / settings.cfg_dest;
    std::ofstream out(file, std::ios::binary);
    out << write_yaml(values);
    if (!out.flush()) {
        throw ConfigError(file.string() +
                          ": cannot be written; OUT_DIR must be a folder that can be written to");
    }
}

RunLog open_log(const Settings& settings, int rank) {
    const std::chrono::duration<double> now = std::chrono::system_clock::now().time_since_epoch();
    return rank == 0 ? RunLog(settings.out_dir + "/" + log_file_name(now.count())) : RunLog();
}

}  // namespace

int command(int argc, char** argv, MetricsSink& metrics) {
    Arguments arguments;
    if (const int code = parse(argc, argv, arguments); code >= 0) {
        return code;
    }
    const Configuration read = configuration_of(arguments);
    const FlatValues& values = read.values;
    const Settings& settings = read.settings;
    const config::TrainConfig& config = read.config;
    const RankEnv env = rank_env_of(arguments);
    const bool test = arguments.worker.only_evaluate;
    if (env.rank == 0) {
        make_folder(settings);
        if (!test) {
            write_configuration(settings, values);
        }
    }
    RunLog log = open_log(settings, env.rank);
    log.write(rank_line(env.local_rank, env.rank));
    if (env.rank == 0) {
        log.write("\n" + write_yaml(values));
    }
    MetricLinesListener metric_lines(metrics);
    Listener lines(settings, log, test ? Listener::Script::test : Listener::Script::train);
    run_worker(arguments.worker, config, env, metrics, {&metric_lines, &lines}, [&](ProcessGroup* group) {
        auto checkpoints = std::make_unique<TorchCheckpoints>(settings, group, env.rank, log);
        if (test) {
            checkpoints->only_weights();
        }
        return checkpoints;
    });
    return 0;
}

}  // namespace rankscope::engine::distribuuuu
