// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::engine {

/// The factor on the loss that keeps fp16 gradients from vanishing, with the rule of
/// torch.cuda.amp.GradScaler: halved when a gradient is not finite (that update is left out), doubled after
/// 2000 finite updates in a row. bf16 needs none (scale 1, never changed).
struct LossScale {
    double scale = 65536.0;
    double growth = 2.0;
    double backoff = 0.5;
    std::int64_t growth_interval = 2000;
    std::int64_t finite_in_a_row = 0;
};

/// Takes in one update; every rank must give the same `finite` (gradients are reduced, so they agree).
/// Returns whether the update may be made.
inline bool update_loss_scale(LossScale& loss, bool finite) {
    if (!finite) {
        loss.scale *= loss.backoff;
        loss.finite_in_a_row = 0;
    } else if (++loss.finite_in_a_row == loss.growth_interval) {
        loss.scale *= loss.growth;
        loss.finite_in_a_row = 0;
    }
    return finite;
}

}  // namespace rankscope::engine
