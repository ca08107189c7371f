// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/backend/backend.h>
#include <engine/comm/process_group.h>
#include <engine/data/distributed_sampler.h>
#include <engine/train/data_source.h>
#include <engine/train/run_checkpoints.h>
#include <engine/train/run_report.h>
#include <engine/train/step_runner.h>
#include <engine/train/update_plan.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::engine {

struct TrainerOptions {
    config::TrainConfig config;
    int rank = 0;
    int world_size = 1;
    int local_world_size = 1;
    ProcessGroup* group = nullptr;          ///< null in a world of one
    ProcessGroup* device_group = nullptr;   ///< the same ranks, for the backend's memory; null: `group`
    RunCheckpoints* checkpoints = nullptr;  ///< null: none are read or written
    std::vector<RunListener*> listeners{};  ///< hear of everything, in this order
};

/// The training loop of one rank.
class Trainer {
public:
    Trainer(const TrainerOptions& options, Backend& backend, DataSource& data);
    ~Trainer();
    Trainer(const Trainer&) = delete;
    Trainer& operator=(const Trainer&) = delete;

    /// All epochs; returns the checksum of the final parameters.
    std::string run();
    /// Only the validation, with the weights that the checkpoints name. Needs no training set.
    Totals evaluate();

private:
    void agree_on_data();
    RunFacts facts() const;
    RunMeasures measures() const;
    /// Takes up the run where a checkpoint left it, or begins it. Returns what the person should know.
    std::string take_up(const RunMeasures& measures);
    void prepare();
    /// The form in which the backend wants the samples of the training set.
    SampleForm input_form(const ImageSet& set, const Transform& transform);
    void train_epoch();
    void train_update(std::optional<Batch>& batch);
    /// Waits for the results of the earliest update that was not reported yet, and reports it.
    void report_update();
    void report_all_updates();
    Error diverged(const NotFiniteError& error, const StepReport& report) const;
    void finish_epoch();
    std::optional<Totals> validate_epoch();
    TrainingPosition position() const;
    std::string save(SavePoint point);
    void report_checkpoints();
    void share_statistics();
    /// For the backend's memory.
    ProcessGroup* memory_group() const {
        return options_.device_group != nullptr ? options_.device_group : options_.group;
    }
    DistributedSampler sampler() const;
    bool finished() const;
    void tell(const std::function<void(RunListener&)>& what);

    TrainerOptions options_;
    DataSource& data_;
    Graph graph_;
    std::unique_ptr<CompiledModel> model_;
    std::unique_ptr<StepRunner> runner_;
    std::unique_ptr<BatchLoader> training_;
    std::unique_ptr<BatchLoader> validation_;
    UpdateSplit split_;
    std::string settings_digest_;
    OptimizerStep optimizer_;
    LrSchedule schedule_;

    // Where the run stands, between two updates.
    std::int64_t epoch_ = 0;
    std::int64_t batch_in_epoch_ = 0;  ///< batches of this epoch that are done
    std::int64_t update_ = 0;
    std::int64_t skipped_ = 0;           ///< of those, without an optimizer's step (fp16)
    std::int64_t samples_ = 0;           ///< of this rank
    std::int64_t samples_in_epoch_ = 0;  ///< of this rank
    std::optional<double> best_acc1_;
    OptimizerStep last_step_;
    std::int64_t skipped_before_ = 0;  ///< of skipped_, before this start

    /// An update that was begun and not reported.
    struct Begun {
        StepReport report;
        std::chrono::steady_clock::time_point at;
        bool reduce = false;  ///< over the ranks
    };
    std::deque<Begun> begun_;
    std::chrono::steady_clock::time_point reported_at_;
    Totals epoch_totals_;  ///< of what was reported
};

}  // namespace rankscope::engine
