// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/train_config.h>
#include <base/metrics_line.h>
#include <engine/backend/training_step.h>
#include <engine/bench/bench_command.h>
#include <engine/bench/bench_options.h>
#include <engine/bench/rank_figures.h>
#include <engine/comm/rendezvous.h>
#include <engine/error.h>
#include <engine/graph/graph_cost.h>
#include <engine/models/model_registry.h>
#include <engine/models/random.h>
#include <engine/train/compute_device.h>
#include <engine/train/cuda_plugin.h>
#include <engine/train/model_setup.h>
#include <engine/train/parallel_setup.h>
#include <engine/train/process_exit.h>
#include <engine/train/version.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;
using Json = nlohmann::ordered_json;

/// More than the caches hold, as fresh data would be; few enough that memory is the model's.
constexpr std::int64_t kReadyBatches = 4;
/// Steps with and without communication take turns in blocks of this many, so that both see the same machine.
constexpr std::int64_t kBlock = 5;

constexpr int kMost = 1'000'000'000;

double megabytes(std::size_t bytes) {
    constexpr double kMegabyte = 1e6;
    return std::round(static_cast<double>(bytes) / kMegabyte * 10.0) / 10.0;
}

/// What a training step on a GPU consists of, counted in its plan without running it: kernels and megabytes by lane.
/// Throws ConfigError where librankscope-cuda.so cannot be opened.
Json plan_line(const BenchOptions& options, int world_size) {
    const CudaPlugin& plugin = cuda_plugin();
    if (plugin.functions == nullptr) {
        throw ConfigError("--plan: " + plugin.why);
    }
    const Graph graph = build_model(options.model, options.sample, options.classes);
    config::TrainConfig config;
    config.precision = options.precision;
    const CompileOptions compiled = compile_options(config, nullptr);
    const cuda::StepFigures figures =
        plugin.functions->planned_step(graph, {.batch = options.batch,
                                               .precision = compiled.precision,
                                               .deterministic = options.deterministic,
                                               .optimizer = bench_optimizer(options.model),
                                               .averaged = world_size > 1});
    Json lanes;
    std::size_t kernels = 0;
    std::size_t bytes = 0;
    for (std::size_t lane = 0; lane < cuda::kLanes; ++lane) {
        const cuda::StepFigures::OfLane& of = figures.lanes[lane];
        lanes[cuda::kLaneNames[lane]] = {{"kernels", of.kernels}, {"mb", megabytes(of.bytes)}};
        kernels += of.kernels;
        bytes += of.bytes;
    }
    return {{"plan", options.model},
            {"program", "rankscope " + worker_version()},
            {"gpu", "NVIDIA H200"},
            {"precision", options.precision},
            {"batch", options.batch},
            {"world_size", world_size},
            {"kernels", kernels},
            {"mb", megabytes(bytes)},
            {"lanes", lanes},
            {"waits", figures.waits},
            {"activation_mb", megabytes(figures.arena_bytes)},
            {"versions", {{"compute", plugin.functions->versions()}}}};
}

/// The exit code when the arguments alone decide it, −1 to continue.
int parse(int argc, char** argv, BenchOptions& options) {
    CLI::App app(
        "rankscope-worker bench: times training steps on batches that lie ready in memory and prints one "
        "JSON line. RANK, WORLD_SIZE, MASTER_ADDR, MASTER_PORT and RANKSCOPE_TOKEN as for training.",
        "rankscope-worker bench");
    const CLI::Range count(1, kMost);
    app.add_option("--model", options.model,
                   "one of the models of rankscope-worker --capabilities (default convnet)");
    app.add_option("--sample-shape", options.sample,
                   "of one sample, for example 3,32,32 (default: the model's usual)")
        ->delimiter(',')
        ->check(count);
    app.add_option("--classes", options.classes, "outputs of the network (default: the model's usual)")
        ->check(count);
    app.add_option("--batch", options.batch, "samples per rank and step (default: the model's usual)")
        ->check(count);
    app.add_option("--steps", options.steps, "timed steps (default 50)")->check(count);
    app.add_option("--warmup", options.warmup, "untimed steps after the first (default 5)")
        ->check(CLI::Range(0, kMost));
    app.add_option("--threads", options.threads, "compute threads (default 1)")->check(CLI::Range(1, 1024));
    app.add_option("--device", options.device, "cpu (default) or cuda")
        ->check(CLI::IsMember({"cpu", "cuda"}));
    app.add_option("--precision", options.precision,
                   "fp32 (default), tf32, bf16 or fp16, where the machine has it")
        ->check(CLI::IsMember({"fp32", "tf32", "bf16", "fp16"}));
    app.add_flag(
        "--any-kernels", [&](std::int64_t) { options.deterministic = false; },
        "also kernels that do not give the same bits in every run");
    app.add_option("--read", options.read,
                   "each (default) or none: whether loss and right answers of every step are fetched. On the "
                   "CPU they are in memory in either case; a GPU's are fetched while the next step runs")
        ->check(CLI::IsMember({"each", "none"}));
    app.add_flag(
        "--plan", options.plan,
        "run nothing: count the kernels and bytes of a step as it is planned for an NVIDIA H200 (needs "
        "the CUDA libraries, no GPU; with WORLD_SIZE above 1 with the averaging over the ranks)");
    app.add_flag("--operations", options.operations,
                 "also time each operation of a step by itself (--device cuda, one rank)");
    app.add_flag("--no-sync", options.no_sync,
                 "also time steps without communication, in turns, and report what it adds to a step");
    app.add_option("--zero", options.zero, "0 (default) to 3: what each rank keeps only its share of")
        ->check(CLI::Range(0, 3))
        ->excludes("--no-sync");
    app.add_flag("--recompute", options.recompute,
                 "compute blocks of the network again in the backward pass");
    app.add_option("--pipeline", options.stages, "stages that the network is cut into (default 1: none)")
        ->check(CLI::Range(1, 1024))
        ->excludes("--no-sync");
    app.add_option("--micro-batches", options.micro_batches,
                   "that a batch is divided into, with --pipeline (default four for each stage)")
        ->check(CLI::Range(1, 65536));
    app.add_option("--schedule", options.schedule, "1f1b (default) or gpipe, with --pipeline")
        ->check(CLI::IsMember({"1f1b", "gpipe"}));
    app.add_option("--tensor", options.tensor, "ranks that have a slice of each layer (default 1: none)")
        ->check(CLI::Range(1, 1024))
        ->excludes("--no-sync");
    app.add_flag("--adamw", options.adamw, "update with AdamW (default: the tutorials' SGD)");
    app.add_option("--rendezvous-timeout", options.rendezvous_timeout_s,
                   "seconds to wait for all ranks (default 120)")
        ->check(CLI::Range(0.1, 86400.0));
    app.add_flag("--insecure-no-token", options.allow_no_token,
                 "let ranks join without RANKSCOPE_TOKEN: only on a network whose users are all trusted");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        constexpr int kWrongUse = 2;
        return app.exit(error) == 0 ? 0 : kWrongUse;
    }
    return -1;
}

std::unique_ptr<Rendezvous> meet(const BenchOptions& options, const RankEnv& env) {
    if (env.world_size == 1) {
        return nullptr;
    }
    return std::make_unique<Rendezvous>(RendezvousOptions{
        .env = env,
        .allow_no_token = options.allow_no_token,
        .timeout = std::chrono::milliseconds(static_cast<std::int64_t>(options.rendezvous_timeout_s * 1000)),
        .peer_lost = [rank = env.rank](const PeerLoss& loss) { end_process(kExitPeerLost, loss.text(rank)); },
        .progress = [](const RendezvousProgress&) {}});
}

std::vector<Batch> ready_batches(const BenchOptions& options, const Graph& graph) {
    TorchGenerator random(1);
    const std::int64_t wanted = std::min<std::int64_t>(kReadyBatches, 1 + options.warmup + options.steps);
    std::vector<Batch> batches(static_cast<std::size_t>(wanted));
    for (Batch& batch : batches) {
        batch.pixels.resize(static_cast<std::size_t>(options.batch * element_count(options.sample)));
        batch.rows = graph.rows;
        batch.labels.resize(static_cast<std::size_t>(options.batch * graph.rows));
        random.uniform(batch.pixels, 0.0, 1.0);
        if (graph.predicts_tokens()) {
            std::transform(batch.pixels.begin(), batch.pixels.end(), batch.pixels.begin(), [&](float share) {
                return std::floor(share * static_cast<float>(graph.classes));
            });
        }
        std::generate(batch.labels.begin(), batch.labels.end(), [&] {
            return static_cast<std::int32_t>(random.random32() % static_cast<std::uint32_t>(options.classes));
        });
    }
    return batches;
}

/// The same that training compiles with.
config::TrainConfig train_config(const BenchOptions& options) {
    config::TrainConfig config;
    config.model = options.model;
    config.batch_size = options.batch;
    config.precision = options.precision;
    config.deterministic = options.deterministic;
    config.parallel.zero = options.zero;
    config.parallel.recompute = options.recompute ? "blocks" : "none";
    config.parallel.tensor = options.tensor;
    config.parallel.pipeline = {
        .stages = options.stages, .micro_batches = options.micro_batches, .schedule = options.schedule};
    return config;
}

/// The peers' batches lie on the GPU: so do ours, where the step takes them, as images of which it cuts its batch.
void move_to_device(const BenchOptions& options, TrainingStep& step, std::vector<Batch>& batches) {
    constexpr std::size_t kBytes = 256;
    if (step.ahead() == 0 || options.sample.size() != 3) {
        return;
    }
    std::vector<float> table(static_cast<std::size_t>(options.sample[0]) * kBytes);
    for (std::size_t i = 0; i < table.size(); ++i) {
        table[i] = static_cast<float>(i % kBytes) / static_cast<float>(kBytes - 1);
    }
    std::vector<std::uint8_t> pixels;
    for (const Batch& batch : batches) {
        for (const float value : batch.pixels) {
            pixels.push_back(static_cast<std::uint8_t>(value * static_cast<float>(kBytes - 1)));
        }
    }
    if (step.take_images({.pixel_table = table, .image = options.sample, .pixels = pixels}) !=
        SampleForm::windows) {
        return;
    }
    std::int32_t image = 0;
    for (Batch& batch : batches) {
        for (std::int64_t i = 0; i < options.batch; ++i) {
            batch.windows.push_back({.image = image++});
        }
    }
}

Json line(const BenchOptions& options, const CompiledModel& model, const Graph& graph,
          const ComputeDevice& device, const std::vector<RankFigures>& ranks) {
    Json result = {{"bench", options.model},
                   {"program", "rankscope " + worker_version()},
                   {"device", options.device},
                   {"precision", options.precision},
                   {"world_size", ranks.size()},
                   {"threads", options.threads},
                   {"batch", options.batch},
                   {"steps", options.steps},
                   {"warmup", options.warmup},
                   {"read", options.read},
                   {"zero", options.zero},
                   {"recompute", options.recompute},
                   {"stages", options.stages},
                   {"tensor", options.tensor},
                   {"parameters", parameter_count(graph)}};
    // The parts of a network share their batch.
    const auto samples = static_cast<double>(ranks.size()) * static_cast<double>(options.batch);
    result.update(summary(ranks, samples / static_cast<double>(options.stages * options.tensor)));
    result["activation_mb"] = static_cast<double>(model.activation_bytes()) / 1048576.0;
    result["layout"] = model.layout().fingerprint;
    result["versions"] = {{"rankscope", worker_version()}, {"compute", device.library}};
    return result;
}

Json operation_list(const std::vector<OperationTime>& times) {
    Json list = Json::array();
    for (const OperationTime& one : times) {
        list.push_back({{"name", one.name},
                        {"lane", one.lane},
                        {"kernels", one.kernels},
                        {"bytes", one.bytes},
                        {"us", one.us}});
    }
    return list;
}

Json measure(const BenchOptions& options, const ComputeDevice& device, Rendezvous* rendezvous,
             ProcessGroup* device_group) {
    ProcessGroup* const group = rendezvous != nullptr ? &rendezvous->group() : nullptr;
    const Graph graph = build_model(options.model, options.sample, options.classes);
    const config::TrainConfig config = train_config(options);
    const ParallelSetup parallel = set_up_parallel(config, graph, group);
    ProcessGroup* const replica = parallel.replicas(group);
    const std::unique_ptr<CompiledModel> model =
        compiled_model(config, graph, parallel, *device.backend, replica, device_group);
    const StepOptions stepping{.loss_scale =
                                   options.precision == "fp16" ? std::optional(LossScale()) : std::nullopt};
    const std::unique_ptr<TrainingStep> with =
        model->training_step(stepping, {.group = device_group != nullptr ? device_group : replica});
    const std::unique_ptr<TrainingStep> without =
        options.no_sync ? model->training_step(stepping, {}) : nullptr;
    with->prepare({.training = {options.batch}});
    const bool runs_ahead = with->ahead() > 0;
    std::vector<Batch> batches = ready_batches(options, graph);
    move_to_device(options, *with, batches);
    if (!graph.classifies()) {
        const std::span<float> targets = model->executable(options.batch).targets();
        std::copy_n(batches[0].pixels.begin(), std::min(targets.size(), batches[0].pixels.size()),
                    targets.begin());
    }
    OptimizerStep update = options.adamw
                               ? OptimizerStep{.kind = OptimizerKind::adamw, .lr = 1e-4, .weight_decay = 0.01}
                               : bench_optimizer(options.model);
    std::size_t next = 0;
    std::size_t open = 0;  // steps whose results were not fetched
    const bool read_each = options.read == "each" || !runs_ahead;
    const auto step_of = [&](TrainingStep& step) {
        return [&] {
            StepTimes times;
            const auto begin = Clock::now();
            const Batch& batch = batches[next++ % batches.size()];
            const std::chrono::duration<double, std::milli> waited = Clock::now() - begin;
            step.begin(1);
            step.batch(batch, times);
            step.finish(update, false, times);
            // What a step gave is fetched once the next one has begun.
            for (++open; read_each && open > step.ahead(); --open) {
                step.result(times);
            }
            times.data_ms = waited.count();
            ++update.step;
            return times;
        };
    };
    const auto finish_all = [&](TrainingStep& step) {
        StepTimes times;
        for (; open > 0; --open) {
            step.result(times);
        }
    };

    try {
        step_of (*with)();
        finish_all(*with);
        const std::chrono::duration<double> first_step_at =
            std::chrono::system_clock::now().time_since_epoch();
        for (std::int64_t i = 0; i < options.warmup; ++i) {
            step_of (*with)();
        }
        if (group != nullptr) {
            group->barrier();
        }
        StepSeries synced;
        StepSeries alone;
        for (std::int64_t i = 0; i < options.steps; ++i) {
            synced.time(step_of(*with));
            if (options.no_sync && group != nullptr && (i + 1) % kBlock == 0) {
                finish_all(*with);
                for (std::int64_t k = 0; k < kBlock; ++k) {
                    alone.time(step_of(*without));
                }
                finish_all(*without);
            }
        }
        finish_all(*with);
        Json result = line(options, *model, graph, device,
                           gather_figures({synced, alone, first_step_at.count()}, group));
        if (options.operations) {
            result["operations"] = operation_list(with->time_operations(batches[0], update));
        }
        return result;
    } catch (const Error& error) {
        if (!runs_ahead || rendezvous == nullptr) {
            throw;
        }
        // A collective that waits for another rank may still stand on the GPU: what it works on cannot be
        // given back.
        const bool lost = dynamic_cast<const PeerLostError*>(&error) != nullptr;
        if (!lost) {
            rendezvous->fail(error.what());
        }
        end_process(lost ? kExitPeerLost : 1, error.what());
    }
}

}  // namespace

int bench_command(int argc, char** argv) {
    BenchOptions options;
    if (const int code = parse(argc, argv, options); code >= 0) {
        return code;
    }
    complete(options);
    const RankEnv env = read_rank_env();
    if (options.plan) {
        std::cout << plan_line(options, env.world_size).dump() << '\n';
        return 0;
    }
    if (options.operations && (options.device != "cuda" || env.world_size > 1)) {
        throw ConfigError("--operations: needs --device cuda and one rank");
    }
    const ComputeDevice device = open_device(options.device, options.threads, env);
    const std::unique_ptr<Rendezvous> rendezvous = meet(options, env);
    try {
        const std::unique_ptr<ProcessGroup> of_device =
            rendezvous ? device_group(device, env, *rendezvous) : nullptr;
        const Json result = measure(options, device, rendezvous.get(), of_device.get());
        if (rendezvous) {
            rendezvous->leave();
        }
        if (env.rank == 0) {
            std::cout << result.dump() << '\n';
        }
    } catch (const PeerLostError&) {
        throw;
    } catch (const std::exception& error) {
        if (rendezvous) {
            rendezvous->fail(error.what());
        }
        throw;
    }
    return 0;
}

}  // namespace rankscope::engine
