// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/memory_images.h>
#include <engine/error.h>
#include <engine/train/model_setup.h>
#include <engine/train/sum_over_ranks.h>
#include <engine/train/training_set.h>
#include <engine/train/update_plan.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace rankscope::engine {
namespace {

bool drops_short_batch(const config::TrainConfig& config) {
    return config.drop_last || config.drop_short_batch;
}

/// What a backend with memory of its own may take of the set.
TrainingImages training_images(const ImageSet& set, const Transform& transform) {
    TrainingImages result{.pixel_table = transform.table().values()};
    const auto* images = dynamic_cast<const MemoryImages*>(set.images.get());
    if (images != nullptr && transform.only_moves(images->size())) {
        result.image = {images->channels(), images->size().height, images->size().width};
        result.pixels = images->pixels();
    }
    return result;
}

}  // namespace

LoaderOptions loader_options(const TrainerOptions& options, const ImageSet& set) {
    const config::TrainConfig& config = options.config;
    return {.batch_size = config.batch_size,
            .drop_short = drops_short_batch(config),
            .workers = static_cast<int>(
                config.dataset.workers.value_or(default_workers(set, options.local_world_size))),
            .seed = static_cast<std::uint64_t>(config.seed)};
}

void TrainingSet::agree() {
    if (!options_.config.dataset.otherwise.empty()) {
        const std::string why = data_.problem();
        std::array<double, 1> missing{why.empty() ? 0.0 : 1.0};
        sum_over_ranks(options_.group, std::span<double>(missing));
        if (missing[0] > 0) {
            const std::string name = data_.name();
            data_.take_other();
            std::printf("%s is unavailable: %s\n", name.c_str(),
                        why.empty() ? "another rank does not have it" : why.c_str());
            if (options_.rank == 0) {
                options_.notify([&](RunListener& listener) {
                    listener.note(name + " is unavailable; all ranks train on " + data_.name() +
                                  " instead (dataset.otherwise)");
                });
            }
        }
    }
    const ImageSet& set = data_.train();
    check_same("other data", fingerprint(set), options_.group);
    options_.notify([&](RunListener& listener) {
        listener.data_ready(data_.name() + ": " + std::to_string(set.size()) + " training " +
                            set.samples_word() +
                            (set.tokens ? " of " + std::to_string(set.tokens->length()) + " tokens" : ""));
        if (!set.remark.empty()) {
            listener.note(set.remark);
        }
    });
}

DistributedSampler TrainingSet::sampler() const {
    const config::TrainConfig& config = options_.config;
    return DistributedSampler({.dataset_size = data_.train().size(),
                               .world_size = options_.data_ranks(),
                               .rank = options_.data_rank(),
                               .shuffle = config.shuffle,
                               .drop_last = config.drop_last,
                               .seed = static_cast<std::uint64_t>(config.order_seed.value_or(config.seed))});
}

RunMeasures TrainingSet::measures(const Graph& graph) const {
    const config::TrainConfig& config = options_.config;
    const std::int64_t samples = sampler().samples_per_rank();
    RunMeasures measures{
        .batches_per_epoch =
            (samples + (drops_short_batch(config) ? 0 : config.batch_size - 1)) / config.batch_size,
        .world_size = options_.data_ranks(),
        .batch_size = config.batch_size,
        .accumulation = config.accumulate_steps,
        .seed = static_cast<std::uint64_t>(config.seed)};
    for (const Parameter& parameter : graph.parameters) {
        measures.parameter_names.push_back(parameter.name);
    }
    measures.updates_per_epoch = UpdateSplit{measures.batches_per_epoch, config.accumulate_steps}.updates();
    measures.samples_per_epoch =
        (drops_short_batch(config) ? measures.batches_per_epoch * config.batch_size : samples) *
        options_.data_ranks();
    if (measures.batches_per_epoch == 0) {
        throw ConfigError("the data set has " + std::to_string(data_.train().size()) + " " +
                          data_.train().samples_word() + ": not one batch of " +
                          std::to_string(config.batch_size) + " for each of " +
                          std::to_string(options_.data_ranks()) +
                          " ranks. Choose a smaller batch_size, or do not drop short batches.");
    }
    const std::int64_t last = samples % config.batch_size;
    if (!config.sync_bn || options_.data_ranks() == 1) {
        const auto smallest = [&](std::int64_t batch) {
            return micro_batch_sizes(batch, options_.micro_batches()).back();
        };
        check_batch_norms(graph, drops_short_batch(config) || last == 0
                                     ? smallest(config.batch_size)
                                     : std::min(smallest(config.batch_size), smallest(last)));
    }
    return measures;
}

std::vector<std::int64_t> TrainingSet::batch_sizes() const {
    const config::TrainConfig& config = options_.config;
    std::vector<std::int64_t> sizes{config.batch_size};
    const std::int64_t last = sampler().samples_per_rank() % config.batch_size;
    if (last != 0 && !drops_short_batch(config)) {
        sizes.push_back(last);
    }
    return sizes;
}

void TrainingSet::begin(TrainingStep& step, std::int64_t epoch, std::int64_t first) {
    const ImageSet& set = data_.train();
    const Transform transform(options_.config.dataset, Split::train);
    LoaderOptions loading = loader_options(options_, set);
    loading.form = step.take_images(training_images(set, transform));
    loader_ = std::make_unique<BatchLoader>(set, transform, loading);
    loader_->start(epoch, sampler().indices(epoch), first);
}

void TrainingSet::begin_epoch(std::int64_t epoch) {
    loader_->start(epoch, sampler().indices(epoch));
}

}  // namespace rankscope::engine
