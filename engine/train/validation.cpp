// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/distributed_sampler.h>
#include <engine/train/sum_over_ranks.h>
#include <engine/train/training_set.h>
#include <engine/train/validation.h>

#include <array>
#include <chrono>
#include <utility>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

double elapsed_ms(Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

}  // namespace

std::vector<std::int64_t> validation_indices(std::int64_t dataset_size, int rank, int world_size, bool pad) {
    if (pad) {
        return DistributedSampler(
                   {.dataset_size = dataset_size, .world_size = world_size, .rank = rank, .shuffle = false})
            .indices(0);
    }
    std::vector<std::int64_t> indices;
    for (std::int64_t i = rank; i < dataset_size; i += world_size) {
        indices.push_back(i);
    }
    return indices;
}

Totals validate(TrainingStep& step, BatchLoader& loader, const ValidationRun& run, ProcessGroup* group,
                const std::function<void(const ValidationStep&)>& done) {
    // Rank 0 has as many samples as any; a rank with fewer batches joins the last reductions with nothing.
    const std::int64_t most = (run.dataset_size + run.world_size - 1) / run.world_size;
    const std::int64_t batches = (most + run.batch_size - 1) / run.batch_size;
    Totals mine;
    Totals all;
    std::optional<Batch> batch;
    for (std::int64_t number = 1; number <= batches; ++number) {
        const auto begin = Clock::now();
        batch = loader.next(std::move(batch));
        ValidationStep report{.batch = number, .batches = batches, .data_ms = elapsed_ms(begin)};
        if (batch) {
            report.mine.add(step.evaluate(*batch), batch->size(), batch->rows);
            mine.add(report.mine);
        } else {
            step.join_evaluation();
        }
        if (number == batches || (run.report_every && number % *run.report_every == 0)) {
            std::array<Totals, 2> reduced{report.mine, mine};
            sum_over_ranks(group, std::span<Totals>(reduced));
            report.all = {reduced[0], reduced[1]};
            all = reduced[1];
        }
        report.batch_ms = elapsed_ms(begin);
        done(report);
    }
    return all;
}

Validator::Validator(const TrainerOptions& options, DataSource& data, CompiledModel& model,
                     TrainingStep& step)
    : options_(options), data_(data), model_(model), step_(step) {}

// DDP broadcasts rank 0's running statistics before every forward pass. Training only writes them, so
// doing it before they are read is the same, and cheaper.
void Validator::share_statistics() {
    const std::span<float> statistics = model_.running_statistics();
    if (options_.memory_group() != nullptr && options_.config.ddp.broadcast_buffers && !statistics.empty()) {
        options_.memory_group()->broadcast(statistics, 0);
    }
}

std::int64_t Validator::batch_size() const {
    return options_.config.validation.batch_size.value_or(options_.config.batch_size);
}

void Validator::prepare() {
    if (options_.config.validate) {
        step_.prepare({.evaluation = {batch_size()}});
    }
}

std::optional<Totals> Validator::validate_epoch(std::int64_t epoch) {
    const config::TrainConfig& config = options_.config;
    if (!config.validate) {
        return std::nullopt;
    }
    options_.notify([&](RunListener& listener) { listener.validation_begins(epoch); });
    share_statistics();
    const ImageSet& set = data_.test();
    if (!loader_) {
        LoaderOptions loading = loader_options(options_, set);
        loading.batch_size = batch_size();
        loading.drop_short = false;
        loader_ = std::make_unique<BatchLoader>(set, Transform(config.dataset, Split::test), loading);
    }
    std::vector<std::int64_t> indices =
        validation_indices(set.size(), options_.data_rank(), options_.data_ranks(), config.validation.pad);
    if (const std::int64_t last = static_cast<std::int64_t>(indices.size()) % batch_size(); last != 0) {
        step_.prepare({.evaluation = {batch_size(), last}});
    }
    loader_->start(epoch, std::move(indices));
    return validate(step_, *loader_,
                    {.batch_size = batch_size(),
                     .dataset_size = set.size(),
                     .world_size = options_.data_ranks(),
                     .pad = config.validation.pad,
                     .report_every = config.validation.report_every},
                    options_.group, [this](const ValidationStep& step) {
                        options_.notify([&](RunListener& listener) { listener.validation_step_done(step); });
                    });
}

}  // namespace rankscope::engine
