// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/optim/sgd.h>

namespace rankscope::engine {

void sgd_update(const SgdOptions& options, bool first_step, std::span<const float> gradients,
                std::span<float> parameters, std::span<float> buffer) {
    const std::size_t count = parameters.size();
    const float lr = options.lr;
    const float decay = options.weight_decay;
    if (options.momentum == 0.0F) {
        for (std::size_t i = 0; i < count; ++i) {
            parameters[i] -= lr * (gradients[i] + decay * parameters[i]);
        }
        return;
    }
    const float keep = first_step ? 0.0F : options.momentum;
    const float take = first_step ? 1.0F : 1.0F - options.dampening;
    const float ahead = options.nesterov ? options.momentum : 1.0F;
    const float direct = options.nesterov ? 1.0F : 0.0F;
    for (std::size_t i = 0; i < count; ++i) {
        const float d = gradients[i] + decay * parameters[i];
        buffer[i] = keep * buffer[i] + take * d;
        parameters[i] -= lr * (direct * d + ahead * buffer[i]);
    }
}

}  // namespace rankscope::engine
