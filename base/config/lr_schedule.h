// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/config/train_config.h>

#include <cstdint>
#include <optional>
#include <vector>

/// The learning rate as a pure function of where the run is: nothing to save in a checkpoint, nothing to
/// step.
namespace rankscope::config {

enum class LrPolicy {
    constant,
    cosine,  ///< lr · ((1−m)·½(1+cos(π·t/T)) + m), m = min_lr_factor (torch's CosineAnnealingLR, Distribuuuu)
    steps,     ///< lr · gamma^(milestones ≤ t) (torch's MultiStepLR, Distribuuuu)
    one_cycle  ///< torch.optim.lr_scheduler.OneCycleLR; lr is its max_lr; always by step
};

enum class Anneal { cosine, linear };

/// OneCycleLR's settings, with its defaults.
struct OneCycleOptions {
    double pct_start = 0.3;
    Anneal anneal = Anneal::cosine;
    double div_factor = 25.0;
    double final_div_factor = 1e4;
    bool three_phase = false;
    bool cycle_momentum = true;  ///< momentum of SGD, beta1 of Adam
    double base_momentum = 0.85;
    double max_momentum = 0.95;
};

struct LrSchedule {
    LrPolicy policy = LrPolicy::constant;
    double lr = 1e-4;  ///< base; one_cycle: the highest
    /// Whether t moves with every step or only with every epoch (Distribuuuu, torch's usual use).
    bool by_step = false;
    double min_lr_factor = 0.0;      ///< cosine: the end, as a share of lr
    std::vector<double> milestones;  ///< steps: epochs, ascending
    double gamma = 0.1;              ///< steps
    double warmup_epochs = 0.0;      ///< the rate grows linearly from warmup_factor to 1 times the policy's
    std::int64_t warmup_steps = 0;   ///< the same in steps; moves with every step. At most one of the two
    double warmup_factor = 0.1;
    OneCycleOptions one_cycle;
};

/// Where a run is: the step that is about to be made.
struct RunPosition {
    std::int64_t epoch = 0;          ///< from 0
    std::int64_t step_in_epoch = 0;  ///< updates made in this epoch before this one
    std::int64_t steps_per_epoch = 1;
    std::int64_t epochs = 1;
};

struct ScheduledRate {
    double lr = 0.0;
    std::optional<double> momentum;  ///< one_cycle with cycle_momentum: SGD's momentum, Adam's beta1
};

/// Every rate is the same on every rank and after every resume: it depends on nothing else.
ScheduledRate scheduled_rate(const LrSchedule& schedule, const RunPosition& position);

/// The linear scaling rule (Goyal et al., arXiv 1706.02677): lr is meant for reference_batch samples per
/// update.
double scaled_lr(double lr, std::int64_t total_batch, std::int64_t reference_batch);

/// The schedule of a `train` section, its base rate scaled to the total batch where a reference batch is given.
LrSchedule lr_schedule(const TrainConfig& config, int world_size);

}  // namespace rankscope::config
