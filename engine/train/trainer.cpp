// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/batch_loader.h>
#include <engine/data/distributed_sampler.h>
#include <engine/error.h>
#include <engine/models/model_registry.h>
#include <engine/train/trainer.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>

namespace rankscope::engine {
namespace {

using Clock = std::chrono::steady_clock;

double ms_since(Clock::time_point from) {
    return std::chrono::duration<double, std::milli>(Clock::now() - from).count();
}

OptimizerStep optimizer_step(const protocol::OptimizerConfig& config) {
    return {.lr = config.lr,
            .weight_decay = config.weight_decay,
            .momentum = config.momentum,
            .dampening = config.dampening,
            .nesterov = config.nesterov};
}

LoaderOptions loader_options(const protocol::TrainConfig& config, const ImageSet& set) {
    return {.batch_size = config.batch_size,
            .drop_short = config.drop_last,
            .workers = static_cast<int>(config.dataset.workers.value_or(default_workers(set, 1))),
            .seed = static_cast<std::uint64_t>(config.seed)};
}

/// What all ranks must have in common; the folder of the data may differ from node to node.
std::string agreement(protocol::TrainConfig config) {
    config.dataset.root.clear();
    config.dataset.workers.reset();
    config.threads.reset();
    config.log_every = 1;
    return protocol::to_json(config).dump();
}

}  // namespace

Trainer::Trainer(const TrainerOptions& options, Backend& backend, DataSource& data, MetricsSink& metrics)
    : options_(options),
      data_(data),
      metrics_(metrics),
      graph_(build_model(options.config.model, dataset_sample_shape(options.config.dataset),
                         dataset_classes(options.config.dataset))),
      model_(synchronised_model(backend, graph_, options.config.batch_size,
                                static_cast<std::uint64_t>(options.config.seed), agreement(options.config),
                                options.group)),
      update_(optimizer_step(options.config.optimizer)) {
    constexpr double kMiB = 1048576.0;
    const auto limit = static_cast<std::size_t>(options.config.ddp.bucket_mb.value_or(0.0) * kMiB);
    runner_ = std::make_unique<StepRunner>(*model_, options.group, limit);
    // JIT compilation happens here, while the data may still be on its way.
    model_->executable(options.config.batch_size);
}

// A data set that is missing on one node is missing for the run: the ranks decide together, or they would
// train on different pictures.
void Trainer::agree_on_data() {
    if (options_.config.dataset.otherwise.empty()) {
        return;
    }
    const std::string why = data_.problem();
    bool missing = !why.empty();
    if (options_.group != nullptr) {
        for (const std::string& flag : options_.group->all_gather(missing ? "1" : "0")) {
            missing = missing || flag == "1";
        }
    }
    if (!missing) {
        return;
    }
    const std::string name = data_.name();
    data_.take_other();
    if (options_.rank == 0) {
        metrics_.stage("note", name + " is not to be had; all ranks train on " + data_.name() +
                                   " instead (dataset.otherwise)");
    }
    std::printf("%s is not to be had: %s\nAll ranks train on %s instead, as dataset.otherwise says.\n",
                name.c_str(), why.empty() ? "another rank does not have it" : why.c_str(),
                data_.name().c_str());
    std::fflush(stdout);
}

std::string Trainer::run() {
    const protocol::TrainConfig& config = options_.config;
    agree_on_data();
    const ImageSet& train = data_.train();
    metrics_.stage("data", data_.name() + ": " + std::to_string(train.size()) + " training images");
    for (std::int64_t epoch = 0; epoch < config.epochs && !finished(); ++epoch) {
        run_epoch(epoch);
        if (config.validate) {
            validate(epoch);
        }
    }
    const std::string checksum = parameter_checksum(*model_, graph_);
    protocol::MetricsLine line;
    line.texts = {{"params", checksum}};
    metrics_.write(line);
    std::printf("parameters %s\n", checksum.c_str());
    std::fflush(stdout);
    return checksum;
}

bool Trainer::finished() const {
    return options_.config.max_steps && step_ >= *options_.config.max_steps;
}

void Trainer::run_epoch(std::int64_t epoch) {
    const protocol::TrainConfig& config = options_.config;
    const ImageSet& train = data_.train();
    const DistributedSampler sampler({.dataset_size = train.size(),
                                      .world_size = options_.world_size,
                                      .rank = options_.rank,
                                      .shuffle = config.shuffle,
                                      .drop_last = config.drop_last,
                                      .seed = static_cast<std::uint64_t>(config.seed)});
    BatchLoader loader(train, Transform(config.dataset, Split::train), loader_options(config, train));
    loader.start(epoch, sampler.indices(epoch));
    steps_per_epoch_ = loader.batch_count();
    if (steps_per_epoch_ == 0) {
        throw ConfigError("the data set has " + std::to_string(train.size()) + " images: not one batch of " +
                          std::to_string(config.batch_size) + " for each of " +
                          std::to_string(options_.world_size) +
                          " ranks. Choose a smaller batch_size, or drop_last: "
                          "false.");
    }
    metrics_.stage("train", "epoch " + std::to_string(epoch + 1) + " of " + std::to_string(config.epochs));
    std::optional<Batch> batch;
    while (!finished()) {
        const auto begin = Clock::now();
        batch = loader.next(std::move(batch));
        if (!batch) {
            break;
        }
        const double data_ms = ms_since(begin);
        StepTimes times;
        update_.step = step_ + 1;
        const BatchResult result = runner_->train(*batch, update_, times);
        ++step_;
        samples_ += batch->size();
        report_step(epoch, result, times, data_ms, ms_since(begin), batch->size());
        if (!std::isfinite(result.loss)) {
            throw Error("the loss is not a number any more at step " + std::to_string(step_) +
                        ": training has diverged. A smaller optimizer.lr usually helps (it is " +
                        std::to_string(config.optimizer.lr) + ").");
        }
    }
}

void Trainer::report_step(std::int64_t epoch, const BatchResult& result, const StepTimes& times,
                          double data_ms, double step_ms, std::int64_t batch) {
    const protocol::TrainConfig& config = options_.config;
    const double acc1 = static_cast<double>(result.correct) / static_cast<double>(batch);
    protocol::MetricsLine line;
    line.step = step_;
    line.epoch = static_cast<double>(epoch + 1);
    line.values = {
        {"epochs", static_cast<double>(config.epochs)},
        {"steps_per_epoch", static_cast<double>(steps_per_epoch_)},
        {"steps", static_cast<double>(std::min(config.epochs * steps_per_epoch_,
                                               config.max_steps.value_or(config.epochs * steps_per_epoch_)))},
        {"loss", result.loss},
        {"acc1", acc1},
        {"lr", config.optimizer.lr},
        {"samples", static_cast<double>(samples_)},
        {"images_per_s", static_cast<double>(batch) * 1000.0 / step_ms},
        {"t_data_ms", data_ms},
        {"t_forward_ms", times.forward_ms},
        {"t_backward_ms", times.backward_ms},
        {"t_comm_ms", times.comm_ms},
        {"t_step_ms", step_ms}};
    metrics_.write(line);
    logged_samples_ += static_cast<double>(batch);
    logged_seconds_ += step_ms / 1000.0;
    const std::int64_t in_epoch = step_ - epoch * steps_per_epoch_;
    if (step_ == 1 || step_ % config.log_every == 0 || in_epoch == steps_per_epoch_) {
        std::printf("epoch %lld/%lld step %lld/%lld loss %.4f acc %.2f %% %.0f images/s\n",
                    static_cast<long long>(epoch + 1), static_cast<long long>(config.epochs),
                    static_cast<long long>(in_epoch), static_cast<long long>(steps_per_epoch_), result.loss,
                    100.0 * acc1, logged_samples_ / logged_seconds_);
        std::fflush(stdout);
        logged_samples_ = 0;
        logged_seconds_ = 0;
    }
}

void Trainer::validate(std::int64_t epoch) {
    const ImageSet& test = data_.test();
    metrics_.stage("validate",
                   "epoch " + std::to_string(epoch + 1) + " of " + std::to_string(options_.config.epochs));
    // Every sample on exactly one rank: no padding, so none counts twice.
    std::vector<std::int64_t> indices;
    for (std::int64_t i = options_.rank; i < test.size(); i += options_.world_size) {
        indices.push_back(i);
    }
    LoaderOptions loading = loader_options(options_.config, test);
    loading.drop_short = false;
    BatchLoader loader(test, Transform(options_.config.dataset, Split::test), loading);
    loader.start(epoch, std::move(indices));
    Validation mine;
    std::optional<Batch> batch;
    while ((batch = loader.next(std::move(batch)))) {
        const BatchResult result = runner_->evaluate(*batch);
        mine.loss += result.loss * static_cast<double>(batch->size());
        mine.acc1 += static_cast<double>(result.correct);
        mine.samples += batch->size();
    }
    Validation all = total_over_ranks(mine);
    all.loss /= static_cast<double>(all.samples);
    all.acc1 /= static_cast<double>(all.samples);
    protocol::MetricsLine line;
    line.step = step_;
    line.epoch = static_cast<double>(epoch + 1);
    line.values = {
        {"val_loss", all.loss}, {"val_acc1", all.acc1}, {"val_samples", static_cast<double>(all.samples)}};
    metrics_.write(line);
    std::printf("epoch %lld/%lld validation loss %.4f acc %.2f %% of %lld images\n",
                static_cast<long long>(epoch + 1), static_cast<long long>(options_.config.epochs), all.loss,
                100.0 * all.acc1, static_cast<long long>(all.samples));
    std::fflush(stdout);
}

Validation Trainer::total_over_ranks(const Validation& mine) const {
    if (options_.group == nullptr) {
        return mine;
    }
    std::string bytes(sizeof(Validation), '\0');
    std::memcpy(bytes.data(), &mine, sizeof(mine));
    Validation total;
    for (const std::string& rank : options_.group->all_gather(bytes)) {
        Validation part;
        std::memcpy(&part, rank.data(), sizeof(part));
        total.loss += part.loss;
        total.acc1 += part.acc1;
        total.samples += part.samples;
    }
    return total;
}

}  // namespace rankscope::engine
