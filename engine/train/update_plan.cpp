// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/train/update_plan.h>

namespace rankscope::engine {
namespace {

LrPolicy policy_of(const std::string& name) {
    return name == "cos"        ? LrPolicy::cosine
           : name == "steps"    ? LrPolicy::steps
           : name == "onecycle" ? LrPolicy::one_cycle
                                : LrPolicy::constant;
}

}  // namespace

OptimizerStep optimizer_settings(const config::OptimizerConfig& config) {
    OptimizerStep step;
    step.kind = config.name == "adam"    ? OptimizerKind::adam
                : config.name == "adamw" ? OptimizerKind::adamw
                                         : OptimizerKind::sgd;
    step.lr = config.lr;
    step.weight_decay = config.weight_decay;
    step.decay_norm_bias = !config.no_decay_norm_bias;
    step.momentum = config.momentum;
    step.dampening = config.dampening;
    step.nesterov = config.nesterov;
    step.beta1 = config.beta1;
    step.beta2 = config.beta2;
    step.eps = config.eps;
    return step;
}

LrSchedule lr_schedule(const config::TrainConfig& config, int world_size) {
    const config::ScheduleConfig& from = config.schedule;
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

OptimizerStep scheduled_step(OptimizerStep settings, const LrSchedule& schedule, const RunPosition& position,
                             std::int64_t number) {
    const ScheduledRate rate = scheduled_rate(schedule, position);
    settings.lr = rate.lr;
    if (rate.momentum) {
        (settings.kind == OptimizerKind::sgd ? settings.momentum : settings.beta1) = *rate.momentum;
    }
    settings.step = number;
    return settings;
}

}  // namespace rankscope::engine
