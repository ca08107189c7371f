// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/backend/backend.h>
#include <engine/comm/process_group.h>
#include <engine/train/data_source.h>
#include <engine/train/metrics_sink.h>
#include <engine/train/step_runner.h>
#include <protocol/train_config.h>

#include <cstdint>
#include <memory>
#include <string>

namespace rankscope::engine {

struct TrainerOptions {
    protocol::TrainConfig config;
    int rank = 0;
    int world_size = 1;
    ProcessGroup* group = nullptr;  ///< null in a world of one
};

struct Validation {
    double loss = 0.0;  ///< mean over all samples of the set
    double acc1 = 0.0;
    std::int64_t samples = 0;
};

/// The training loop of one rank, with its metric lines and its log.
class Trainer {
public:
    Trainer(const TrainerOptions& options, Backend& backend, DataSource& data, MetricsSink& metrics);

    /// All epochs; returns the checksum of the final parameters.
    std::string run();

private:
    void agree_on_data();
    void run_epoch(std::int64_t epoch);
    void report_step(std::int64_t epoch, const BatchResult& result, const StepTimes& times, double data_ms,
                     double step_ms, std::int64_t batch);
    void validate(std::int64_t epoch);
    Validation total_over_ranks(const Validation& mine) const;
    bool finished() const;

    TrainerOptions options_;
    DataSource& data_;
    MetricsSink& metrics_;
    Graph graph_;
    std::unique_ptr<CompiledModel> model_;
    std::unique_ptr<StepRunner> runner_;
    OptimizerStep update_;
    std::int64_t steps_per_epoch_ = 0;
    std::int64_t step_ = 0;
    std::int64_t samples_ = 0;
    double logged_samples_ = 0;
    double logged_seconds_ = 0;
};

}  // namespace rankscope::engine
