// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/distributed_sampler.h>
#include <engine/error.h>
#include <engine/models/model_registry.h>
#include <engine/train/model_setup.h>
#include <engine/train/trainer.h>
#include <engine/train/validation.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

StepRunnerOptions runner_options(const protocol::TrainConfig& config) {
    constexpr double kMiB = 1048576.0;
    return {.bucket_limit = static_cast<std::size_t>(config.ddp.bucket_mb.value_or(0.0) * kMiB),
            .clip_norm = config.clip_norm,
            .loss_scale = config.precision == "fp16" ? std::optional(LossScale()) : std::nullopt};
}

bool drops_short_batch(const protocol::TrainConfig& config) {
    return config.drop_last || config.drop_short_batch;
}

LoaderOptions loader_options(const TrainerOptions& options, const ImageSet& set) {
    const protocol::TrainConfig& config = options.config;
    return {.batch_size = config.batch_size,
            .drop_short = drops_short_batch(config),
            .workers = static_cast<int>(
                config.dataset.workers.value_or(default_workers(set, options.local_world_size))),
            .seed = static_cast<std::uint64_t>(config.seed)};
}

Graph model_of(const protocol::TrainConfig& config) {
    const std::int64_t classes = dataset_classes(config.dataset);
    if (config.classes && *config.classes < classes) {
        throw ConfigError("model.classes is " + std::to_string(*config.classes) + ", but the data set " +
                          config.dataset.name + " has " + std::to_string(classes) + " classes");
    }
    return build_model(config.model, dataset_sample_shape(config.dataset), config.classes.value_or(classes));
}

}  // namespace

Trainer::Trainer(const TrainerOptions& options, Backend& backend, DataSource& data)
    : options_(options),
      data_(data),
      optimizer_(optimizer_settings(options.config.optimizer)),
      schedule_(lr_schedule(options.config, options.world_size)) {
    const protocol::TrainConfig& config = options_.config;
    check_common_settings(common_settings(config), options_.group);
    graph_ = model_of(config);
    optimizer_.clip_value = config.clip_value.value_or(0.0);
    options_.config.topk = std::min(config.topk, graph_.classes);
    model_ = synchronised_model(backend, graph_, compile_options(config, options_.group),
                                static_cast<std::uint64_t>(config.seed), options_.group);
    runner_ = std::make_unique<StepRunner>(*model_, options_.group, runner_options(config));
    // JIT compilation happens here, while the data may still be on its way.
    model_->executable(config.batch_size);
}

Trainer::~Trainer() = default;

void Trainer::tell(const std::function<void(RunListener&)>& what) {
    for (RunListener* listener : options_.listeners) {
        what(*listener);
    }
}

// A data set that is missing on one node is missing for the run: the ranks decide together, or they would
// train on different pictures.
void Trainer::agree_on_data() {
    if (!options_.config.dataset.otherwise.empty()) {
        const std::string why = data_.problem();
        std::array<double, 1> missing{why.empty() ? 0.0 : 1.0};
        sum_over_ranks(options_.group, std::span<double>(missing));
        if (missing[0] > 0) {
            const std::string name = data_.name();
            data_.take_other();
            std::printf("%s is not to be had: %s\n", name.c_str(),
                        why.empty() ? "another rank does not have it" : why.c_str());
            if (options_.rank == 0) {
                tell([&](RunListener& listener) {
                    listener.note(name + " is not to be had; all ranks train on " + data_.name() +
                                  " instead (dataset.otherwise)");
                });
            }
        }
    }
    const ImageSet& set = data_.train();
    check_same("other data", fingerprint(set), options_.group);
    tell([&](RunListener& listener) {
        listener.data_ready(data_.name() + ": " + std::to_string(set.size()) + " training images");
        if (!set.remark.empty()) {
            listener.note(set.remark);
        }
    });
}

std::vector<std::int64_t> Trainer::training_indices(std::int64_t epoch) const {
    const protocol::TrainConfig& config = options_.config;
    return DistributedSampler({.dataset_size = data_.train().size(),
                               .world_size = options_.world_size,
                               .rank = options_.rank,
                               .shuffle = config.shuffle,
                               .drop_last = config.drop_last,
                               .seed = static_cast<std::uint64_t>(config.order_seed.value_or(config.seed))})
        .indices(epoch);
}

void Trainer::prepare() {
    const protocol::TrainConfig& config = options_.config;
    const ImageSet& set = data_.train();
    training_ = std::make_unique<BatchLoader>(set, Transform(config.dataset, Split::train),
                                              loader_options(options_, set));
    std::vector<std::int64_t> indices = training_indices(epoch_);
    const auto samples = static_cast<std::int64_t>(indices.size());
    training_->start(epoch_, std::move(indices), batch_in_epoch_);
    if (training_->batch_count() == 0) {
        throw ConfigError("the data set has " + std::to_string(set.size()) + " images: not one batch of " +
                          std::to_string(config.batch_size) + " for each of " +
                          std::to_string(options_.world_size) +
                          " ranks. Choose a smaller batch_size, or do not drop short batches.");
    }
    const std::int64_t last = samples % config.batch_size;
    if (!config.sync_bn || options_.world_size == 1) {
        check_batch_norms(graph_, drops_short_batch(config) || last == 0 ? config.batch_size : last);
    }
}

bool Trainer::finished() const {
    return options_.config.max_steps && update_ >= *options_.config.max_steps;
}

std::string Trainer::run() {
    const protocol::TrainConfig& config = options_.config;
    agree_on_data();
    prepare();
    const UpdateSplit split{training_->batch_count(), config.accumulate_steps};
    const std::int64_t updates = config.epochs * split.updates();
    tell([&](RunListener& listener) {
        listener.run_begins({.rank = options_.rank,
                             .world_size = options_.world_size,
                             .parameters = parameter_count(graph_),
                             .epochs = config.epochs,
                             .updates = std::min(updates, config.max_steps.value_or(updates)),
                             .topk = config.topk,
                             .classifies = graph_.classifies(),
                             .first_epoch = epoch_,
                             .first_update = update_});
    });
    while (epoch_ < config.epochs && !finished()) {
        train_epoch();
        EpochReport report{.epoch = epoch_, .update = update_, .validation = validate_epoch()};
        if (report.validation) {
            best_acc1_ = std::max(best_acc1_, report.validation->acc1());
        }
        report.best_acc1 = best_acc1_;
        ++epoch_;
        batch_in_epoch_ = 0;
        tell([&](RunListener& listener) { listener.epoch_done(report); });
    }
    const std::string checksum = parameter_checksum(*model_, graph_);
    tell([&](RunListener& listener) { listener.run_done(checksum); });
    return checksum;
}

void Trainer::train_epoch() {
    const protocol::TrainConfig& config = options_.config;
    const UpdateSplit split{training_->batch_count(), config.accumulate_steps};
    const double lr = scheduled_rate(schedule_, {.epoch = epoch_,
                                                 .step_in_epoch = batch_in_epoch_ / split.accumulate,
                                                 .steps_per_epoch = split.updates(),
                                                 .epochs = config.epochs})
                          .lr;
    tell([&](RunListener& listener) { listener.epoch_begins(epoch_, lr); });
    Totals totals;
    std::optional<Batch> batch;
    while (batch_in_epoch_ < split.batches && !finished()) {
        train_update(split, totals, batch);
    }
    // The next epoch's first batches are made while this one is validated.
    if (epoch_ + 1 < config.epochs && !finished()) {
        training_->start(epoch_ + 1, training_indices(epoch_ + 1));
    }
}

void Trainer::train_update(const UpdateSplit& split, Totals& epoch_totals, std::optional<Batch>& batch) {
    const protocol::TrainConfig& config = options_.config;
    const auto begin = Clock::now();
    StepReport report{.update = update_ + 1,
                      .epoch = epoch_,
                      .update_in_epoch = batch_in_epoch_ / split.accumulate + 1,
                      .updates_per_epoch = split.updates()};
    const bool last = report.update_in_epoch == split.updates();
    const bool reduce = last || report.update_in_epoch % config.metrics_every == 0;
    const OptimizerStep step = scheduled_step(optimizer_, schedule_,
                                              {.epoch = epoch_,
                                               .step_in_epoch = report.update_in_epoch - 1,
                                               .steps_per_epoch = split.updates(),
                                               .epochs = config.epochs},
                                              update_ - skipped_ + 1);
    const std::int64_t batches = split.batches_from(batch_in_epoch_);
    runner_->begin(batches);
    for (std::int64_t i = 0; i < batches; ++i) {
        const auto wait = Clock::now();
        batch = training_->next(std::move(batch));
        report.times.data_ms += ms_since(wait);
        report.mine.add(train_batch(*batch, report.times), batch->size());
    }
    const UpdateResult result = runner_->finish(step, reduce, report.times);
    ++update_;
    skipped_ += result.skipped ? 1 : 0;
    batch_in_epoch_ += batches;
    samples_ += static_cast<std::int64_t>(report.mine.samples);
    epoch_totals.add(report.mine);
    if (reduce) {
        std::array<Totals, 2> all{report.mine, epoch_totals};
        sum_over_ranks(options_.group, std::span<Totals>(all));
        report.all = {all[0], all[1]};
    }
    report.samples_so_far = samples_;
    report.lr = step.lr;
    report.gradient_norm = result.gradient_norm;
    report.skipped = result.skipped;
    report.step_ms = ms_since(begin);
    tell([&](RunListener& listener) { listener.step_done(report); });
}

BatchResult Trainer::train_batch(const Batch& batch, StepTimes& times) {
    try {
        return runner_->batch(batch, times);
    } catch (const NotFiniteError& error) {
        throw Error("step " + std::to_string(update_ + 1) + " (epoch " + std::to_string(epoch_ + 1) +
                    "), rank " + std::to_string(options_.rank) + ": " + error.what() +
                    ". Training has diverged: a smaller optimizer.lr usually helps (it is " +
                    protocol::number_text(options_.config.optimizer.lr) +
                    "), or clip_norm, or a schedule with warmup.");
    }
}

// DDP broadcasts rank 0's running statistics before every forward pass. In training they are only written, so
// that it is the same, and cheaper, to do it before they are read.
void Trainer::share_statistics() {
    const std::span<float> statistics = model_->running_statistics();
    if (options_.group != nullptr && options_.config.ddp.broadcast_buffers && !statistics.empty()) {
        options_.group->broadcast(statistics, 0);
    }
}

std::optional<Totals> Trainer::validate_epoch() {
    const protocol::TrainConfig& config = options_.config;
    if (!config.validate) {
        return std::nullopt;
    }
    tell([&](RunListener& listener) { listener.validation_begins(epoch_); });
    share_statistics();
    const ImageSet& set = data_.test();
    const std::int64_t batch_size = config.validation.batch_size.value_or(config.batch_size);
    if (!validation_) {
        LoaderOptions loading = loader_options(options_, set);
        loading.batch_size = batch_size;
        loading.drop_short = false;
        validation_ = std::make_unique<BatchLoader>(set, Transform(config.dataset, Split::test), loading);
    }
    validation_->start(
        epoch_, validation_indices(set.size(), options_.rank, options_.world_size, config.validation.pad));
    return validate(*runner_, *validation_,
                    {.batch_size = batch_size,
                     .dataset_size = set.size(),
                     .world_size = options_.world_size,
                     .pad = config.validation.pad,
                     .report_every = config.validation.report_every},
                    options_.group, [this](const ValidationStep& step) {
                        tell([&](RunListener& listener) { listener.validation_step_done(step); });
                    });
}

}  // namespace rankscope::engine
