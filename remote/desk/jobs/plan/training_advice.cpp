// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/key_table.h>
#include <base/config/lr_schedule.h>
#include <base/number_text.h>
#include <remote/desk/jobs/plan/training_advice.h>
#include <remote/desk/shared/text.h>
#include <remote/desk/shared/yaml_write.h>

#include <algorithm>

namespace rankscope::inline jobs {

namespace {

constexpr const char* kContext = "LaunchPlan";
constexpr std::int64_t kMostPoints = 300;
constexpr std::int64_t kStepsAnyway = 100;  ///< of an epoch, where only the shape over epochs matters

std::int64_t divided_up(std::int64_t a, std::int64_t b) {
    return (a + b - 1) / b;
}

std::vector<std::pair<double, double>> curve_of(const config::TrainConfig& config,
                                                const config::LrSchedule& schedule,
                                                std::optional<std::int64_t> steps_per_epoch) {
    const bool changes = schedule.policy != config::LrPolicy::constant || schedule.warmup_steps > 0 ||
                         schedule.warmup_epochs > 0;
    if (!changes || (!steps_per_epoch && schedule.warmup_steps > 0)) {
        return {};
    }
    const std::int64_t per_epoch = steps_per_epoch.value_or(kStepsAnyway);
    const std::int64_t most = config.max_steps ? divided_up(*config.max_steps, per_epoch) : config.epochs;
    const std::int64_t steps = std::min(config.epochs, most) * per_epoch;
    const std::int64_t points = std::min(steps, kMostPoints);
    std::vector<std::pair<double, double>> curve;
    for (std::int64_t i = 0; i < points; ++i) {
        const auto step = points < 2 ? 0 : std::int64_t(double(i) / double(points - 1) * double(steps - 1));
        const config::RunPosition at{step / per_epoch, step % per_epoch, per_epoch, config.epochs};
        curve.emplace_back(double(step) / double(per_epoch), config::scheduled_rate(schedule, at).lr);
    }
    return curve;
}

}  // namespace

std::optional<std::int64_t> known_samples(const config::DatasetConfig& dataset) {
    constexpr std::int64_t kMnist = 60000;
    constexpr std::int64_t kCifar = 50000;
    constexpr std::int64_t kMade = 20000;
    constexpr std::int64_t kDummy = 1000;
    std::int64_t samples = 0;
    if (dataset.name == "mnist" || dataset.name == "fashion-mnist") {
        samples = kMnist;
    } else if (dataset.name == "cifar10" || dataset.name == "cifar100") {
        samples = kCifar;
    } else if (dataset.name == "random" || dataset.name == "synthetic-digits" ||
               dataset.name == "synthetic-text") {
        samples = dataset.train_size.value_or(kMade);
    } else if (dataset.name == "dummy") {
        samples = dataset.train_size.value_or(kDummy);
    } else {
        return dataset.limit;
    }
    return std::min(samples, dataset.limit.value_or(samples));
}

std::optional<TrainingAdvice> training_advice(const Job& job, int ranks) {
    if (!job.train || ranks < 1 || !config::check_train_config(*job.train).empty()) {
        return std::nullopt;
    }
    const config::TrainConfig config = config::parse_train_config(*job.train);
    const std::int64_t parts = config.parallel.pipeline.stages * config.parallel.tensor;
    const int world_size = std::max(ranks / static_cast<int>(parts), 1);
    const config::LrSchedule schedule = config::lr_schedule(config, world_size);
    TrainingAdvice advice;
    advice.batch_size = config.batch_size;
    advice.accumulated = config.accumulate_steps;
    advice.world_size = world_size;
    advice.divided = parts > 1;
    advice.global_batch = config.batch_size * config.accumulate_steps * world_size;
    advice.lr = config.optimizer.lr;
    advice.highest_lr = schedule.lr;
    if (!config.schedule.reference_batch && advice.global_batch != config.batch_size &&
        config.optimizer.name == "sgd") {
        advice.scaled_lr = config::scaled_lr(config.optimizer.lr, advice.global_batch, config.batch_size);
    }
    if (const auto samples = known_samples(config.dataset)) {
        const std::int64_t batches = divided_up(divided_up(*samples, world_size), config.batch_size);
        advice.steps_per_epoch = std::max<std::int64_t>(divided_up(batches, config.accumulate_steps), 1);
    }
    advice.curve = curve_of(config, schedule, advice.steps_per_epoch);
    return advice;
}

std::string advice_text(const TrainingAdvice& advice) {
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    const std::string all = number(advice.global_batch);
    const std::string own = number(advice.batch_size * advice.accumulated);
    std::string out = advice.divided ? text(kContext, "%1 samples per update, %2 per replica", {all, own})
                                     : text(kContext, "%1 samples per update, %2 per rank", {all, own});
    if (advice.steps_per_epoch) {
        out += ", " + text(kContext, "%1 updates per epoch", {number(*advice.steps_per_epoch)});
    }
    out += ", " + text(kContext, "learning rate %1", {short_number_text(advice.highest_lr)});
    if (advice.scaled_lr) {
        out += " " + text(kContext, "(by linear scaling for this batch %1: schedule.reference_batch)",
                          {short_number_text(*advice.scaled_lr)});
    }
    return out;
}

std::map<std::string, std::string> scaling_keys(const Job& job, const TrainingAdvice& advice) {
    const std::string batch = std::to_string(advice.batch_size);
    const nlohmann::json schedule = job.train ? config::value_at(*job.train, "schedule") : nlohmann::json();
    if (schedule.is_object() && schedule.contains("name")) {
        return {{"train.schedule.reference_batch", batch}};
    }
    // `schedule: cos` becomes a mapping.
    const std::string name = schedule.is_string() ? schedule.get<std::string>() : "constant";
    return {{"train.schedule", yaml_flow({{"name", name}, {"reference_batch", advice.batch_size}})}};
}

}  // namespace rankscope::inline jobs
