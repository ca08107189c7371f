// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/train/update_plan.h>

namespace rankscope::engine {

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
