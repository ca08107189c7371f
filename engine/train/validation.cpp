// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/distributed_sampler.h>
#include <engine/train/validation.h>

#include <array>
#include <chrono>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point from) {
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

Totals validate(StepRunner& runner, BatchLoader& loader, const ValidationRun& run, ProcessGroup* group,
                const std::function<void(const ValidationStep&)>& heard) {
    // Rank 0 has as many samples as any; a rank with fewer batches joins the last reductions with nothing.
    const std::int64_t most = (run.dataset_size + run.world_size - 1) / run.world_size;
    const std::int64_t batches = (most + run.batch_size - 1) / run.batch_size;
    Totals mine;
    Totals all;
    std::optional<Batch> batch;
    for (std::int64_t number = 1; number <= batches; ++number) {
        const auto begin = Clock::now();
        batch = loader.next(std::move(batch));
        ValidationStep step{.batch = number, .batches = batches, .data_ms = ms_since(begin)};
        if (batch) {
            step.mine.add(runner.evaluate(*batch), batch->size());
            mine.add(step.mine);
        }
        if (number == batches || (run.report_every && number % *run.report_every == 0)) {
            std::array<Totals, 2> reduced{step.mine, mine};
            sum_over_ranks(group, std::span<Totals>(reduced));
            step.all = {reduced[0], reduced[1]};
            all = reduced[1];
        }
        step.batch_ms = ms_since(begin);
        heard(step);
    }
    return all;
}

}  // namespace rankscope::engine
