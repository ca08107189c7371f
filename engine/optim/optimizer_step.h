// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>

namespace rankscope::engine {

enum class OptimizerKind {
    sgd,   ///< torch.optim.SGD
    adam,  ///< torch.optim.Adam: weight decay is added to the gradient (L2)
    adamw  ///< torch.optim.AdamW: weight decay is decoupled (Loshchilov, Hutter: arXiv 1711.05101)
};

/// One update of all parameters: the optimizer's settings, and what belongs to this step. Doubles, because
/// PyTorch computes 1 − beta and the bias corrections in double before it rounds to float. A header without
/// C++20, for the CUDA compiler.
struct OptimizerStep {
    OptimizerKind kind = OptimizerKind::sgd;
    double lr = 1e-4;  ///< of this step
    double weight_decay = 0.0;
    /// false: biases and the weights of normalisation layers (every parameter of one dimension) are not
    /// decayed.
    bool decay_norm_bias = true;

    double momentum = 0.0;  ///< sgd
    double dampening = 0.0;
    bool nesterov = false;

    double beta1 = 0.9;  ///< adam, adamw
    double beta2 = 0.999;
    double eps = 1e-8;

    std::int64_t step = 1;  ///< number of this update, from 1
    /// Every gradient is multiplied by this first: clipping by norm, 1 / loss scale, 1 / accumulated steps.
    double gradient_scale = 1.0;
    /// Then, where greater than 0, limited to [−clip_value, clip_value] (torch.nn.utils.clip_grad_value_).
    double clip_value = 0.0;
};

/// Arrays of state that the optimizer keeps beside the parameters, each as large as they are.
constexpr int optimizer_state_count(OptimizerKind kind, double momentum) {
    return kind != OptimizerKind::sgd ? 2 : (momentum != 0.0 ? 1 : 0);
}

/// The name of state `index` in PyTorch's optimizer.state_dict().
constexpr const char* optimizer_state_name(OptimizerKind kind, int index) {
    return kind == OptimizerKind::sgd ? "momentum_buffer" : (index == 0 ? "exp_avg" : "exp_avg_sq");
}

}  // namespace rankscope::engine
