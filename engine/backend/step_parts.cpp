// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/step_parts.h>
#include <engine/backend/training_step.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace rankscope::engine {

void load_labels(const Batch& batch, Executable& executable) {
    const std::span<std::uint64_t> keys = executable.sample_keys();
    std::copy_n(batch.keys.begin(), std::min(keys.size(), batch.keys.size()), keys.begin());
    const std::span<float> targets = executable.targets();
    if (targets.empty()) {
        std::copy(batch.labels.begin(), batch.labels.end(), executable.labels().begin());
        return;
    }
    // A model with a mean squared error is trained towards the one-hot label.
    const std::size_t outputs = targets.size() / batch.labels.size();
    std::fill(targets.begin(), targets.end(), 0.0F);
    for (std::size_t i = 0; i < batch.labels.size(); ++i) {
        const auto label = static_cast<std::size_t>(batch.labels[i]);
        if (label < outputs) {
            targets[i * outputs + label] = 1.0F;
        }
    }
}

void fail_not_finite(Executable& executable, double loss) {
    const std::string what = std::isnan(loss) ? "not a number" : "infinite";
    const std::string layer = executable.first_non_finite().value_or("the loss itself");
    throw NotFiniteError("the loss is " + what + "; the first layer whose result is not finite: " + layer +
                         (layer == "input" ? " (the data contain such values)" : ""));
}

void check_gradient_norm(double norm) {
    if (!std::isfinite(norm)) {
        throw NotFiniteError("the loss is finite, but the norm of the gradients is not");
    }
}

void check_gradients(bool finite) {
    if (!finite) {
        throw NotFiniteError("the loss of this rank is finite, but the average of the gradients is not");
    }
}

}  // namespace rankscope::engine
