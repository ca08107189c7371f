// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>
#include <engine/backend/training_step.h>
#include <engine/comm/process_group.h>
#include <engine/data/batch_loader.h>
#include <engine/train/data_source.h>
#include <engine/train/run_report.h>
#include <engine/train/trainer_options.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

namespace rankscope::engine {

/// Which samples of a validation set a rank sees, in order. Without `pad` every sample is on exactly one
/// rank, so that none counts twice and ranks may have one more than others; with it, as PyTorch's
/// DistributedSampler has it.
std::vector<std::int64_t> validation_indices(std::int64_t dataset_size, int rank, int world_size, bool pad);

struct ValidationRun {
    std::int64_t batch_size = 1;
    std::int64_t dataset_size = 0;
    int world_size = 1;
    bool pad = false;
    /// Batches between two reductions that are reported; absent: only one, at the end.
    std::optional<std::int64_t> report_every{};
};

/// Evaluates the loader's epoch and adds up over all ranks. Collective. `done` is called after every batch.
Totals validate(TrainingStep& step, BatchLoader& loader, const ValidationRun& run, ProcessGroup* group,
                const std::function<void(const ValidationStep&)>& done);

/// A run's validations, with a loader that is made at the first.
class Validator {
public:
    /// All must outlive the validator.
    Validator(const TrainerOptions& options, DataSource& data, CompiledModel& model, TrainingStep& step);

    /// Makes the step ready for the usual batch size, without waiting for the data.
    void prepare();
    /// Collective; nothing when the configuration has no validation.
    std::optional<Totals> validate_epoch(std::int64_t epoch);

private:
    std::int64_t batch_size() const;
    void share_statistics();

    const TrainerOptions& options_;
    DataSource& data_;
    CompiledModel& model_;
    TrainingStep& step_;
    std::unique_ptr<BatchLoader> loader_;
};

}  // namespace rankscope::engine
