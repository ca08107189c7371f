// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/graph/graph.h>
#include <engine/optim/optimizer_step.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// What `rankscope-worker bench` times.
struct BenchOptions {
    std::string model = "convnet";
    Shape sample;              ///< of one sample: {channels, height, width} or {features}
    std::int64_t classes = 0;  ///< number of outputs
    std::int64_t batch = 0;    ///< per rank
    std::int64_t steps = 50;   ///< timed
    std::int64_t warmup = 5;   ///< untimed, after the first step
    int threads = 1;
    std::string device = "cpu";
    std::string precision = "fp32";
    std::string read = "each";  ///< loss and right answers: each step or none
    bool deterministic = true;
    bool plan = false;        ///< only count what a step on a GPU consists of
    bool operations = false;  ///< also time each operation of a step by itself
    bool no_sync = false;     ///< also time steps without communication
    int zero = 0;             ///< train.parallel.zero
    bool recompute = false;   ///< train.parallel.recompute: blocks
    std::int64_t stages = 1;  ///< train.parallel.pipeline
    std::int64_t tensor = 1;
    std::optional<std::int64_t> micro_batches{};
    std::string schedule = "1f1b";
    bool adamw = false;  ///< instead of bench_optimizer()
    double rendezvous_timeout_s = 120;
    bool allow_no_token = false;
};

/// Shape, outputs and batch where the command line names none: those of the tutorials and the usual ones.
/// Throws ConfigError for a model that has none.
void complete(BenchOptions& options);

/// The tutorials' optimizers: plain SGD for the small networks, Nesterov momentum for the ResNets.
OptimizerStep bench_optimizer(const std::string& model);

}  // namespace rankscope::engine
