// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

namespace rankscope::engine {

/// torch.optim.SGD's settings. A header of its own, without C++20, for the CUDA compiler.
struct SgdOptions {
    float lr = 1e-4F;
    float momentum = 0.0F;
    float dampening = 0.0F;
    float weight_decay = 0.0F;
    bool nesterov = false;
};

}  // namespace rankscope::engine
