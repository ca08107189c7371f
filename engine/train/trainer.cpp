// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/sha256.h>
#include <engine/error.h>
#include <engine/graph/graph_cost.h>
#include <engine/models/model_registry.h>
#include <engine/models/training_cost.h>
#include <engine/train/model_setup.h>
#include <engine/train/parameter_comparison.h>
#include <engine/train/precision_pays.h>
#include <engine/train/sum_over_ranks.h>
#include <engine/train/trainer.h>

#include <algorithm>
#include <chrono>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

ModelMemory memory_of(CompiledModel& model) {
    ModelMemory memory{.weights = model.weights().size_bytes() + model.owned_weights().size_bytes(),
                       .gradients = model.gradients().size_bytes() + model.owned_gradients().size_bytes(),
                       .activations = model.activation_bytes()};
    for (const auto& [name, values] : model.optimizer_arrays()) {
        memory.optimizer += values.size_bytes();
    }
    return memory;
}

StepOptions step_options(const config::TrainConfig& config) {
    return {.clip_norm = config.clip_norm,
            .loss_scale = config.precision == "fp16" ? std::optional(LossScale()) : std::nullopt};
}

GradientExchange gradient_exchange(const TrainerOptions& options, const Graph& graph) {
    const config::DdpConfig& config = options.config.ddp;
    GradientExchange exchange{.group = options.memory_group(),
                              .limits = bucket_limits(config),
                              .wire = config.compression == "bf16"   ? ElementType::bf16
                                      : config.compression == "fp16" ? ElementType::f16
                                                                     : ElementType::f32};
    for (const Parameter& parameter : graph.parameters) {
        exchange.names.add(parameter.name);
    }
    return exchange;
}

Graph model_of(const config::TrainConfig& config) {
    const std::int64_t classes = dataset_classes(config.dataset);
    if (config.classes && *config.classes < classes) {
        throw ConfigError("model.classes is " + std::to_string(*config.classes) + ", but the data set " +
                          config.dataset.name + " has " + std::to_string(classes) + " classes");
    }
    return build_model(config.model, dataset_sample_shape(config.dataset), config.classes.value_or(classes),
                       {config.dropout, config.drop_path});
}

/// The digest of the settings that the ranks must have in common, after comparing them. Collective.
std::string agreed_settings(const TrainerOptions& options) {
    const nlohmann::json settings = common_settings(options.config);
    check_common_settings(settings, options.group);
    const std::string text = settings.dump();
    return sha256_hex(std::as_bytes(std::span(text)));
}

TrainerOptions completed(TrainerOptions options, const Graph& graph, const ParallelSetup& parallel) {
    options.config.topk = std::min(options.config.topk, graph.classes);
    options.parallel = &parallel;
    return options;
}

}  // namespace

Trainer::Trainer(const TrainerOptions& options, Backend& backend, DataSource& data)
    : settings_digest_(agreed_settings(options)),
      graph_(model_of(options.config)),
      parallel_(set_up_parallel(options.config, graph_, options.group)),
      options_(completed(options, graph_, parallel_)),
      backend_(backend),
      data_(data),
      model_(compiled_model(options_.config, graph_, parallel_, backend, options_.replica_group(),
                            options_.device_group)),
      step_(model_->training_step(step_options(options_.config), gradient_exchange(options_, graph_))),
      optimizer_(optimizer_settings(options_.config.optimizer)),
      schedule_(lr_schedule(options_.config, options_.data_ranks())),
      training_(options_, data_),
      reporter_(options_, *step_, progress_),
      state_(options_, graph_, *model_, *step_, progress_, settings_digest_),
      validator_(options_, data_, *model_, *step_) {
    optimizer_.clip_value = options_.config.clip_value.value_or(0.0);
}

bool Trainer::finished() const {
    return options_.config.max_steps && progress_.update >= *options_.config.max_steps;
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
            .tokens = graph_.predicts_tokens() ? graph_.rows : 0,
            .first_epoch = progress_.epoch,
            .first_update = progress_.update};
}

Totals Trainer::evaluate() {
    state_.load_weights();
    check_same("other data", fingerprint(data_.test()), options_.group);
    validator_.prepare();
    options_.notify([&](RunListener& listener) { listener.run_begins(facts()); });
    const std::optional<Totals> result = validator_.validate_epoch(progress_.epoch);
    options_.notify([&](RunListener& listener) { listener.epoch_done({.validation = result}); });
    return result.value_or(Totals());
}

std::string Trainer::run() {
    const config::TrainConfig& config = options_.config;
    // GPUs always gain by bf16, and not all CPUs. Before this rank's own activations take their memory.
    const std::string advice =
        options_.rank == 0 && config.precision == "bf16" && backend_.name() == "cpu"
            ? advice_on_bf16(backend_, graph_, config.batch_size, options_.local_world_size)
            : std::string();
    // Kernels are compiled or measured here, while the data may still be on its way.
    step_->prepare({.training = {config.batch_size}});
    validator_.prepare();
    training_.agree();
    const RunMeasures measures = training_.measures(graph_);
    step_->prepare({.training = training_.batch_sizes()});
    const std::string note = state_.resume(measures);
    split_ = {measures.batches_per_epoch, config.accumulate_steps};
    options_.notify([&](RunListener& listener) {
        if (!note.empty() && options_.rank == 0) {
            listener.note(note);
        }
        if (!advice.empty()) {
            listener.note(advice);
        }
        if (config.ddp.find_unused_parameters && options_.rank == 0) {
            listener.note(
                "ddp.find_unused_parameters is not needed: every parameter of this model takes part in every "
                "step");
        }
        if (options_.rank == 0 && (progress_.epoch >= config.epochs || finished())) {
            listener.note(
                "nothing is left to train: the checkpoint is at the end of the run. Give more epochs or "
                "steps, or "
                "another folder for checkpoints");
        }
        listener.run_begins(facts());
    });
    if (progress_.epoch < config.epochs && !finished()) {
        training_.begin(*step_, progress_.epoch, progress_.batch_in_epoch);
    }
    while (progress_.epoch < config.epochs && !finished()) {
        train_epoch();
        finish_epoch();
    }
    if (progress_.batch_in_epoch > 0) {
        save({.update = progress_.update, .epoch = progress_.epoch, .run_ends = true});
    }
    const std::string checksum = this->checksum();
    state_.finish();
    state_.report_written();
    options_.notify([&](RunListener& listener) { listener.run_done(checksum); });
    return checksum;
}

std::string Trainer::checksum() {
    if (!options_.divided() && !shares_weights()) {
        return parameter_checksum(*model_, graph_);
    }
    constexpr std::size_t kLength = 71;  // "sha256:" and 64 digits
    std::string mine;
    step_->with_whole_arrays(CompiledModel::Whole::weights, [&] {
        model_->with_whole_model(CompiledModel::Whole::weights, [&] {
            if (options_.rank == 0) {
                mine = parameter_checksum(*model_, graph_);
            }
        });
    });
    mine.resize(kLength);
    return options_.group->all_gather(mine).front();
}

bool Trainer::shares_weights() const {
    return model_->shards() != nullptr && model_->shards()->gathers();
}

std::string Trainer::save(const SavePoint& point) {
    if (!state_.due(point)) {
        return "";
    }
    reporter_.report_all();
    if (!point.epoch_ends) {  // an epoch's end has compared them
        compare_ranks();
    }
    return state_.save(point);
}

void Trainer::compare_ranks() {
    if (parameters_differ_ || shares_weights()) {
        return;
    }
    const std::optional<ParameterDifference> found =
        compare_parameters(*model_, graph_, options_.replica_group());
    if (!found) {
        return;
    }
    parameters_differ_ = true;
    if (std::find(found->ranks.begin(), found->ranks.end(), options_.data_rank()) != found->ranks.end()) {
        options_.notify([&](RunListener& listener) {
            listener.parameters_differ({.update = progress_.update, .parameter = found->parameter});
        });
    }
}

void Trainer::finish_epoch() {
    compare_ranks();
    EpochReport report{.epoch = progress_.epoch,
                       .update = progress_.update,
                       .validation = validator_.validate_epoch(progress_.epoch)};
    SavePoint point{.update = progress_.update, .epoch_ends = true, .epoch = progress_.epoch};
    if (report.validation) {
        point.best = progress_.add_validation(report.validation->acc1());
        report.best_acc1 = *progress_.best_acc1;
    }
    if (progress_.batch_in_epoch == split_.batches) {
        progress_.begin_next_epoch();
        report.checkpoint = save(point);
    }
    state_.report_written();
    options_.notify([&](RunListener& listener) { listener.epoch_done(report); });
}

RunPosition Trainer::position_of(std::int64_t update_in_epoch) const {
    return {.epoch = progress_.epoch,
            .step_in_epoch = update_in_epoch,
            .steps_per_epoch = split_.updates(),
            .epochs = options_.config.epochs};
}

void Trainer::train_epoch() {
    const std::int64_t first_update = progress_.batch_in_epoch / split_.accumulate;
    const double lr = scheduled_rate(schedule_, position_of(first_update)).lr;
    options_.notify([&](RunListener& listener) { listener.epoch_begins(progress_.epoch, lr); });
    reporter_.begin_epoch();
    std::optional<Batch> batch;
    while (progress_.batch_in_epoch < split_.batches && !finished()) {
        train_update(batch);
        if (progress_.batch_in_epoch < split_.batches) {  // the epoch's end has its own
            save({.update = progress_.update, .epoch = progress_.epoch});
        }
        state_.report_written();
    }
    reporter_.report_all();
    // The next epoch's first batches are made while this one is validated.
    if (progress_.epoch + 1 < options_.config.epochs && !finished()) {
        training_.begin_epoch(progress_.epoch + 1);
    }
}

void Trainer::train_update(std::optional<Batch>& batch) {
    PendingUpdate update{.report = {.update = progress_.update + 1,
                                    .epoch = progress_.epoch,
                                    .update_in_epoch = progress_.batch_in_epoch / split_.accumulate + 1,
                                    .updates_per_epoch = split_.updates()},
                         .begun_at = Clock::now()};
    StepReport& report = update.report;
    const bool last = report.update_in_epoch == split_.updates();
    update.reduce = last || report.update_in_epoch % options_.config.metrics_every == 0;
    const OptimizerStep step = scheduled_step(optimizer_, schedule_, position_of(report.update_in_epoch - 1),
                                              progress_.update - progress_.skipped_before + 1);
    const std::int64_t batches = split_.batches_from(progress_.batch_in_epoch);
    const auto sent = [this] { return parallel_.sent(options_.memory_group()); };
    const std::uint64_t sent_before = sent();
    try {
        step_->begin(batches);
        for (std::int64_t i = 0; i < batches; ++i) {
            const auto wait = Clock::now();
            batch = training_.next(std::move(batch));
            report.times.data_ms += ms_since(wait);
            step_->batch(*batch, report.times);
        }
        step_->finish(step, update.reduce, report.times);
    } catch (const NotFiniteError& error) {
        throw reporter_.diverged(error, report);
    }
    report.sent = sent() - sent_before;
    if (update.reduce) {
        report.memory = memory_of(*model_);
    }
    progress_.add_update(batches, step);
    report.lr = step.lr;
    reporter_.add(update);
}

}  // namespace rankscope::engine
