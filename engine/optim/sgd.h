// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/optim/sgd_options.h>

#include <span>

namespace rankscope::engine {

/// torch.optim.SGD, element by element: d = g + wd·p; buffer = d on the first step, momentum·buffer +
/// (1−dampening)·d later; d = buffer, or d + momentum·buffer (Nesterov); p −= lr·d. `buffer` may be empty
/// when momentum is 0. Works on any storage order, as every element is independent. Sizes must agree.
void sgd_update(const SgdOptions& options, bool first_step, std::span<const float> gradients,
                std::span<float> parameters, std::span<float> buffer);

}  // namespace rankscope::engine
