// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <engine/checkpoint/model_state.h>
#include <engine/data/distributed_sampler.h>
#include <engine/data/memory_images.h>
#include <engine/error.h>
#include <engine/models/model_registry.h>
#include <engine/train/initial_weights.h>
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

StepRunnerOptions runner_options(const config::TrainConfig& config) {
    return {.clip_norm = config.clip_norm,
            .loss_scale = config.precision == "fp16" ? std::optional(LossScale()) : std::nullopt};
}

bool drops_short_batch(const config::TrainConfig& config) {
    return config.drop_last || config.drop_short_batch;
}

ReducerOptions reducer_options(const config::DdpConfig& config, const Graph& graph) {
    ReducerOptions options;
    const auto bytes = [](double mebibytes) {
        constexpr double kMiB = 1048576.0;
        return static_cast<std::size_t>(mebibytes * kMiB);
    };
    if (config.bucket_mb || config.first_bucket_mb) {
        const BucketLimits limits;
        // As in PyTorch: who names a size means all buckets, unless the first has its own.
        const std::size_t others = config.bucket_mb ? bytes(*config.bucket_mb) : limits.others;
        options.limits =
            BucketLimits{config.first_bucket_mb ? bytes(*config.first_bucket_mb) : others, others};
    }
    options.find_unused_parameters = config.find_unused_parameters;
    if (config.compression != "none") {
        options.hook = std::make_unique<CompressionHook>(config.compression == "bf16" ? ElementType::bf16
                                                                                      : ElementType::f16);
    }
    for (const Parameter& parameter : graph.parameters) {
        options.names.push_back(parameter.name);
    }
    return options;
}

LoaderOptions loader_options(const TrainerOptions& options, const ImageSet& set) {
    const config::TrainConfig& config = options.config;
    return {.batch_size = config.batch_size,
            .drop_short = drops_short_batch(config),
            .workers = static_cast<int>(
                config.dataset.workers.value_or(default_workers(set, options.local_world_size))),
            .seed = static_cast<std::uint64_t>(config.seed)};
}

Graph model_of(const config::TrainConfig& config) {
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
    const config::TrainConfig& config = options_.config;
    const nlohmann::json settings = common_settings(config);
    check_common_settings(settings, options_.group);
    const std::string text = settings.dump();
    settings_digest_ = sha256_hex(std::as_bytes(std::span(text)));
    graph_ = model_of(config);
    optimizer_.clip_value = config.clip_value.value_or(0.0);
    options_.config.topk = std::min(config.topk, graph_.classes);
    model_ =
        synchronised_model(backend, graph_, compile_options(config, options_.group, options_.device_group),
                           static_cast<std::uint64_t>(config.seed), options_.group, options_.device_group);
    runner_ = std::make_unique<StepRunner>(*model_, memory_group(), runner_options(config),
                                           reducer_options(config.ddp, graph_));
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

DistributedSampler Trainer::sampler() const {
    const config::TrainConfig& config = options_.config;
    return DistributedSampler({.dataset_size = data_.train().size(),
                               .world_size = options_.world_size,
                               .rank = options_.rank,
                               .shuffle = config.shuffle,
                               .drop_last = config.drop_last,
                               .seed = static_cast<std::uint64_t>(config.order_seed.value_or(config.seed))});
}

RunMeasures Trainer::measures() const {
    const config::TrainConfig& config = options_.config;
    const std::int64_t samples = sampler().samples_per_rank();
    RunMeasures measures{
        .batches_per_epoch =
            (samples + (drops_short_batch(config) ? 0 : config.batch_size - 1)) / config.batch_size,
        .world_size = options_.world_size,
        .batch_size = config.batch_size,
        .accumulation = config.accumulate_steps,
        .seed = static_cast<std::uint64_t>(config.seed)};
    for (const Parameter& parameter : graph_.parameters) {
        measures.parameter_names.push_back(parameter.name);
    }
    measures.updates_per_epoch = UpdateSplit{measures.batches_per_epoch, config.accumulate_steps}.updates();
    measures.samples_per_epoch =
        (drops_short_batch(config) ? measures.batches_per_epoch * config.batch_size : samples) *
        options_.world_size;
    if (measures.batches_per_epoch == 0) {
        throw ConfigError("the data set has " + std::to_string(data_.train().size()) +
                          " images: not one batch of " + std::to_string(config.batch_size) + " for each of " +
                          std::to_string(options_.world_size) +
                          " ranks. Choose a smaller batch_size, or do not drop short batches.");
    }
    const std::int64_t last = samples % config.batch_size;
    if (!config.sync_bn || options_.world_size == 1) {
        check_batch_norms(graph_, drops_short_batch(config) || last == 0 ? config.batch_size : last);
    }
    return measures;
}

std::string Trainer::take_up(const RunMeasures& measures) {
    const config::TrainConfig& config = options_.config;
    RunStart start;
    if (options_.checkpoints != nullptr) {
        start = options_.checkpoints->start(measures);
    }
    if (!start.snapshot) {
        if (!config.checkpoint.init_from.empty()) {
            load_initial_weights(config.checkpoint.init_from, *model_, graph_, memory_group());
            start.note += "begins with the weights of " + config.checkpoint.init_from;
        }
        return start.note;
    }
    restore_model(start.snapshot->model, *model_, graph_);
    if (!start.with_optimizer) {
        return start.note;
    }
    restore_optimizer(start.snapshot->optimizer, *model_, graph_);
    const TrainingPosition& from = start.snapshot->position;
    const ResumePoint point = resume_point(from, options_.world_size, config.batch_size,
                                           config.accumulate_steps, measures.batches_per_epoch);
    epoch_ = point.epoch;
    batch_in_epoch_ = point.first_batch;
    samples_in_epoch_ = point.first_batch * config.batch_size;
    update_ = from.step;
    samples_ = from.samples / options_.world_size;
    best_acc1_ = from.best_accuracy;
    if (const auto skipped = from.numbers.find("skipped_updates"); skipped != from.numbers.end()) {
        skipped_ = static_cast<std::int64_t>(skipped->second);
        skipped_before_ = skipped_;
    }
    if (const auto scale = from.numbers.find("loss_scale");
        scale != from.numbers.end() && runner_->loss_scale()) {
        runner_->set_loss_scale(
            {.scale = scale->second,
             .finite_in_a_row = static_cast<std::int64_t>(from.numbers.at("finite_in_a_row"))});
    }
    if (point.repeated_samples > 0) {
        start.note += "; " + std::to_string(point.repeated_samples) +
                      " samples of the epoch are trained on once more, as the total batch differs";
    }
    if (from.seed != measures.seed) {
        start.note += "; its seed was " + std::to_string(from.seed) + ", this run's is " +
                      std::to_string(measures.seed) + ": samples come in another order";
    }
    return start.note;
}

TrainingPosition Trainer::position() const {
    const config::TrainConfig& config = options_.config;
    TrainingPosition position{.step = update_,
                              .epoch = epoch_,
                              .batch_in_epoch = batch_in_epoch_,
                              .samples_in_epoch = samples_in_epoch_ * options_.world_size,
                              .samples = samples_ * options_.world_size,
                              .world_size = options_.world_size,
                              .batch_size = config.batch_size,
                              .accumulation = config.accumulate_steps,
                              .seed = static_cast<std::uint64_t>(config.seed),
                              .config_digest = settings_digest_,
                              .best_accuracy = best_acc1_};
    position.numbers["skipped_updates"] = static_cast<double>(skipped_);
    if (const auto scale = runner_->loss_scale()) {
        position.numbers["loss_scale"] = scale->scale;
        position.numbers["finite_in_a_row"] = static_cast<double>(scale->finite_in_a_row);
    }
    return position;
}

std::string Trainer::save(SavePoint point) {
    if (options_.checkpoints == nullptr || !options_.checkpoints->due(point)) {
        return "";
    }
    report_all_updates();
    point.optimizer = last_step_;
    std::string name;
    if (options_.rank == 0) {
        name = options_.checkpoints->save(point, [this](Snapshot& snapshot) {
            collect(*model_, graph_, snapshot);
            snapshot.position = position();
        });
    }
    return name;
}

void Trainer::report_checkpoints() {
    if (options_.checkpoints == nullptr) {
        return;
    }
    for (const CheckpointReport& report : options_.checkpoints->reports()) {
        tell([&](RunListener& listener) { listener.checkpoint_done(report); });
    }
}

void Trainer::prepare() {
    const config::TrainConfig& config = options_.config;
    const ImageSet& set = data_.train();
    const Transform transform(config.dataset, Split::train);
    LoaderOptions loading = loader_options(options_, set);
    loading.form = input_form(set, transform);
    training_ = std::make_unique<BatchLoader>(set, transform, loading);
    training_->start(epoch_, sampler().indices(epoch_), batch_in_epoch_);
}

// A GPU would starve on floats that are made and sent by the host: it gets bytes, or, where the whole set
// fits beside the model, only where to cut.
SampleForm Trainer::input_form(const ImageSet& set, const Transform& transform) {
    if (!runner_->whole_steps()) {
        return SampleForm::floats;
    }
    model_->set_pixel_table(transform.table().values());
    const auto* images = dynamic_cast<const MemoryImages*>(set.images.get());
    if (images == nullptr || !transform.only_moves(images->size())) {
        return SampleForm::bytes;
    }
    const Shape shape{images->channels(), images->size().height, images->size().width};
    return model_->keep_images(shape, images->pixels()) ? SampleForm::windows : SampleForm::bytes;
}

bool Trainer::finished() const {
    return options_.config.max_steps && update_ >= *options_.config.max_steps;
}

RunFacts Trainer::facts() const {
    const config::TrainConfig& config = options_.config;
    const std::int64_t updates = config.epochs * split_.updates();
    return {.rank = options_.rank,
            .world_size = options_.world_size,
            .parameters = parameter_count(graph_),
            .epochs = config.epochs,
            .updates = std::min(updates, config.max_steps.value_or(updates)),
            .topk = config.topk,
            .classifies = graph_.classifies(),
            .first_epoch = epoch_,
            .first_update = update_};
}

Totals Trainer::evaluate() {
    if (options_.checkpoints != nullptr) {
        RunMeasures measures{.world_size = options_.world_size};
        for (const Parameter& parameter : graph_.parameters) {
            measures.parameter_names.push_back(parameter.name);
        }
        if (const RunStart start = options_.checkpoints->start(measures); start.snapshot) {
            restore_model(start.snapshot->model, *model_, graph_);
        }
    }
    check_same("other data", fingerprint(data_.test()), options_.group);
    tell([&](RunListener& listener) { listener.run_begins(facts()); });
    const std::optional<Totals> result = validate_epoch();
    tell([&](RunListener& listener) { listener.epoch_done({.validation = result}); });
    return result.value_or(Totals());
}

std::string Trainer::run() {
    const config::TrainConfig& config = options_.config;
    agree_on_data();
    const RunMeasures of_run = measures();
    const std::string note = take_up(of_run);
    split_ = {of_run.batches_per_epoch, config.accumulate_steps};
    tell([&](RunListener& listener) {
        if (!note.empty() && options_.rank == 0) {
            listener.note(note);
        }
        listener.run_begins(facts());
    });
    if (epoch_ < config.epochs && !finished()) {
        prepare();
    }
    while (epoch_ < config.epochs && !finished()) {
        train_epoch();
        finish_epoch();
    }
    if (batch_in_epoch_ > 0) {
        save({.update = update_, .epoch = epoch_, .run_ends = true});
    }
    const std::string checksum = parameter_checksum(*model_, graph_);
    if (options_.checkpoints != nullptr) {
        options_.checkpoints->finish();
    }
    report_checkpoints();
    tell([&](RunListener& listener) { listener.run_done(checksum); });
    return checksum;
}

void Trainer::finish_epoch() {
    EpochReport report{.epoch = epoch_, .update = update_, .validation = validate_epoch()};
    const bool whole = batch_in_epoch_ == split_.batches;
    SavePoint point{.update = update_, .epoch_ends = true, .epoch = epoch_};
    if (report.validation) {
        const double acc1 = report.validation->acc1();
        point.best = acc1 > best_acc1_.value_or(0.0);
        best_acc1_ = std::max(acc1, best_acc1_.value_or(0.0));
        report.best_acc1 = *best_acc1_;
    }
    if (whole) {
        ++epoch_;
        batch_in_epoch_ = 0;
        samples_in_epoch_ = 0;
        report.checkpoint = save(point);
    }
    report_checkpoints();
    tell([&](RunListener& listener) { listener.epoch_done(report); });
}

void Trainer::train_epoch() {
    const config::TrainConfig& config = options_.config;
    const double lr = scheduled_rate(schedule_, {.epoch = epoch_,
                                                 .step_in_epoch = batch_in_epoch_ / split_.accumulate,
                                                 .steps_per_epoch = split_.updates(),
                                                 .epochs = config.epochs})
                          .lr;
    tell([&](RunListener& listener) { listener.epoch_begins(epoch_, lr); });
    epoch_totals_ = {};
    std::optional<Batch> batch;
    while (batch_in_epoch_ < split_.batches && !finished()) {
        train_update(batch);
        if (batch_in_epoch_ < split_.batches) {  // the epoch's end has its own
            save({.update = update_, .epoch = epoch_});
        }
        report_checkpoints();
    }
    report_all_updates();
    // The next epoch's first batches are made while this one is validated.
    if (epoch_ + 1 < config.epochs && !finished()) {
        training_->start(epoch_ + 1, sampler().indices(epoch_ + 1));
    }
}

void Trainer::train_update(std::optional<Batch>& batch) {
    const config::TrainConfig& config = options_.config;
    Begun begun{.report = {.update = update_ + 1,
                           .epoch = epoch_,
                           .update_in_epoch = batch_in_epoch_ / split_.accumulate + 1,
                           .updates_per_epoch = split_.updates()},
                .at = Clock::now()};
    StepReport& report = begun.report;
    const bool last = report.update_in_epoch == split_.updates();
    begun.reduce = last || report.update_in_epoch % config.metrics_every == 0;
    // A backend with whole steps takes off itself what its loss scale left out.
    const std::int64_t skipped = runner_->whole_steps() ? skipped_before_ : skipped_;
    const OptimizerStep step = scheduled_step(optimizer_, schedule_,
                                              {.epoch = epoch_,
                                               .step_in_epoch = report.update_in_epoch - 1,
                                               .steps_per_epoch = split_.updates(),
                                               .epochs = config.epochs},
                                              update_ - skipped + 1);
    const std::int64_t batches = split_.batches_from(batch_in_epoch_);
    try {
        runner_->begin(batches);
        for (std::int64_t i = 0; i < batches; ++i) {
            const auto wait = Clock::now();
            batch = training_->next(std::move(batch));
            report.times.data_ms += ms_since(wait);
            runner_->batch(*batch, report.times);
        }
        runner_->finish(step, begun.reduce, report.times);
    } catch (const NotFiniteError& error) {
        throw diverged(error, report);
    }
    ++update_;
    batch_in_epoch_ += batches;
    last_step_ = step;
    report.lr = step.lr;
    begun_.push_back(begun);
    while (begun_.size() > runner_->ahead()) {
        report_update();
    }
}

void Trainer::report_update() {
    Begun begun = std::move(begun_.front());
    begun_.pop_front();
    StepReport& report = begun.report;
    UpdateResult result;
    try {
        result = runner_->result(report.times);
    } catch (const NotFiniteError& error) {
        throw diverged(error, report);
    }
    report.mine = result.mine;
    report.gradient_norm = result.gradient_norm;
    report.skipped = result.skipped;
    skipped_ += result.skipped ? 1 : 0;
    samples_ += static_cast<std::int64_t>(report.mine.samples);
    samples_in_epoch_ += static_cast<std::int64_t>(report.mine.samples);
    report.samples_so_far = samples_;
    epoch_totals_.add(report.mine);
    if (begun.reduce) {
        std::array<Totals, 2> all{report.mine, epoch_totals_};
        sum_over_ranks(options_.group, std::span<Totals>(all));
        report.all = {all[0], all[1]};
    }
    // Where updates overlap, each took the time since the one before was done.
    report.step_ms = ms_since(std::max(begun.at, reported_at_));
    reported_at_ = Clock::now();
    tell([&](RunListener& listener) { listener.step_done(report); });
}

void Trainer::report_all_updates() {
    while (!begun_.empty()) {
        report_update();
    }
}

// Who reads the message wants to know where and what to try.
Error Trainer::diverged(const NotFiniteError& error, const StepReport& report) const {
    return Error("step " + std::to_string(report.update) + " (epoch " + std::to_string(report.epoch + 1) +
                 "), rank " + std::to_string(options_.rank) + ": " + error.what() +
                 ". Training has diverged: a smaller optimizer.lr usually helps (it is " +
                 config::number_text(options_.config.optimizer.lr) +
                 "), or clip_norm, or a schedule with warmup.");
}

// DDP broadcasts rank 0's running statistics before every forward pass. In training they are only written, so
// that it is the same, and cheaper, to do it before they are read.
void Trainer::share_statistics() {
    const std::span<float> statistics = model_->running_statistics();
    if (memory_group() != nullptr && options_.config.ddp.broadcast_buffers && !statistics.empty()) {
        memory_group()->broadcast(statistics, 0);
    }
}

std::optional<Totals> Trainer::validate_epoch() {
    const config::TrainConfig& config = options_.config;
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
