// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/config/lr_schedule.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace rankscope::config {
namespace {

double annealed(Anneal anneal, double start, double end, double share) {
    if (anneal == Anneal::linear) {
        return (end - start) * share + start;
    }
    return end + (start - end) / 2.0 * (std::cos(std::numbers::pi * share) + 1.0);
}

struct Phase {
    double end_step;
    double start_lr, end_lr;
    double start_momentum, end_momentum;
};

ScheduledRate one_cycle(const OneCycleOptions& options, double max_lr, double step, double total_steps) {
    const double initial = max_lr / options.div_factor;
    const double least = initial / options.final_div_factor;
    const double high = options.max_momentum;
    const double low = options.base_momentum;
    const double up = options.pct_start * total_steps - 1.0;
    const double last = total_steps - 1.0;
    std::vector<Phase> phases{{up, initial, max_lr, high, low}};
    if (options.three_phase) {
        phases.push_back({2.0 * options.pct_start * total_steps - 2.0, max_lr, initial, low, high});
        phases.push_back({last, initial, least, high, high});
    } else {
        phases.push_back({last, max_lr, least, low, high});
    }
    double start = 0.0;
    std::size_t at = 0;
    while (at + 1 < phases.size() && step > phases[at].end_step) {
        start = phases[at].end_step;
        ++at;
    }
    const Phase& phase = phases[at];
    // A phase without length (a run of one step) is at its end; PyTorch divides by zero there.
    const double length = phase.end_step - start;
    const double share = length > 0 ? std::min((step - start) / length, 1.0) : 1.0;
    ScheduledRate rate;
    rate.lr = annealed(options.anneal, phase.start_lr, phase.end_lr, share);
    if (options.cycle_momentum) {
        rate.momentum = annealed(options.anneal, phase.start_momentum, phase.end_momentum, share);
    }
    return rate;
}

double policy_factor(const LrSchedule& schedule, double epoch, double epochs) {
    switch (schedule.policy) {
        case LrPolicy::cosine: {
            const double share = std::min(epoch / epochs, 1.0);
            const double cosine = 0.5 * (1.0 + std::cos(std::numbers::pi * share));
            return (1.0 - schedule.min_lr_factor) * cosine + schedule.min_lr_factor;
        }
        case LrPolicy::steps: {
            const auto passed =
                std::upper_bound(schedule.milestones.begin(), schedule.milestones.end(), epoch) -
                schedule.milestones.begin();
            return std::pow(schedule.gamma, static_cast<double>(passed));
        }
        case LrPolicy::constant:
        case LrPolicy::one_cycle:
            break;
    }
    return 1.0;
}

double warmup(const LrSchedule& schedule, double epoch, double step) {
    double share = 1.0;
    if (schedule.warmup_steps > 0) {
        share = step / static_cast<double>(schedule.warmup_steps);
    } else if (schedule.warmup_epochs > 0) {
        share = epoch / schedule.warmup_epochs;
    }
    return share < 1.0 ? schedule.warmup_factor * (1.0 - share) + share : 1.0;
}

LrPolicy policy_of(const std::string& name) {
    return name == "cos"        ? LrPolicy::cosine
           : name == "steps"    ? LrPolicy::steps
           : name == "onecycle" ? LrPolicy::one_cycle
                                : LrPolicy::constant;
}

}  // namespace

ScheduledRate scheduled_rate(const LrSchedule& schedule, const RunPosition& position) {
    const auto per_epoch = static_cast<double>(std::max<std::int64_t>(position.steps_per_epoch, 1));
    const auto whole_epoch = static_cast<double>(position.epoch);
    const auto epochs = static_cast<double>(std::max<std::int64_t>(position.epochs, 1));
    const double step = whole_epoch * per_epoch + static_cast<double>(position.step_in_epoch);
    if (schedule.policy == LrPolicy::one_cycle) {
        return one_cycle(schedule.one_cycle, schedule.lr, step, epochs * per_epoch);
    }
    const double epoch = schedule.by_step ? step / per_epoch : whole_epoch;
    return {schedule.lr * policy_factor(schedule, epoch, epochs) * warmup(schedule, epoch, step),
            std::nullopt};
}

double scaled_lr(double lr, std::int64_t total_batch, std::int64_t reference_batch) {
    return lr * static_cast<double>(total_batch) / static_cast<double>(reference_batch);
}

LrSchedule lr_schedule(const TrainConfig& config, int world_size) {
    const ScheduleConfig& from = config.schedule;
    LrSchedule schedule;
    schedule.policy = policy_of(from.name);
    schedule.lr = config.optimizer.lr;
    if (from.reference_batch) {
        schedule.lr = scaled_lr(schedule.lr, config.batch_size * world_size * config.accumulate_steps,
                                *from.reference_batch);
    }
    schedule.by_step = from.by == "step";
    schedule.min_lr_factor = from.min_lr_factor;
    schedule.milestones = from.milestones;
    schedule.gamma = from.gamma;
    if (from.warmup) {
        schedule.warmup_epochs = from.warmup->epochs.value_or(0.0);
        schedule.warmup_steps = from.warmup->steps.value_or(0);
        schedule.warmup_factor = from.warmup->factor;
    }
    schedule.one_cycle = {.pct_start = from.pct_start,
                          .anneal = from.anneal == "linear" ? Anneal::linear : Anneal::cosine,
                          .div_factor = from.div_factor,
                          .final_div_factor = from.final_div_factor,
                          .three_phase = from.three_phase,
                          .cycle_momentum = from.cycle_momentum,
                          .base_momentum = from.base_momentum,
                          .max_momentum = from.max_momentum};
    return schedule;
}

}  // namespace rankscope::config
