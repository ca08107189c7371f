// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/backend/step_parts.h>
#include <engine/backend/training_step.h>

#include <algorithm>
#include <cmath>
#include <string>

namespace rankscope::engine {

void load_labels(const Batch& batch, std::int64_t first, Executable& executable) {
    const std::span<std::uint64_t> keys = executable.sample_keys();
    if (!batch.keys.empty()) {
        std::copy_n(batch.keys.begin() + first, keys.size(), keys.begin());
    }
    const std::span<std::int32_t> labels = executable.labels();
    std::copy_n(batch.labels.begin() + first * batch.rows, labels.size(), labels.begin());
    const std::span<float> targets = executable.targets();
    if (targets.empty()) {
        return;
    }
    // A model with a mean squared error is trained towards the one-hot label.
    const auto samples = static_cast<std::size_t>(executable.batch_size());
    const std::size_t outputs = targets.size() / samples;
    std::fill(targets.begin(), targets.end(), 0.0F);
    for (std::size_t i = 0; i < samples; ++i) {
        const auto label = static_cast<std::size_t>(batch.labels[static_cast<std::size_t>(first) + i]);
        if (label < outputs) {
            targets[i * outputs + label] = 1.0F;
        }
    }
}

void fail_not_finite(Executable* executable, double loss) {
    const std::string what = std::isnan(loss) ? "not a number" : "infinite";
    if (executable == nullptr) {
        throw NotFiniteError("the loss is " + what);
    }
    const std::string layer = executable->first_non_finite().value_or("the loss itself");
    const bool of_stage = !executable->input_gradient().empty();
    throw NotFiniteError("the loss is " + what + "; the first layer whose result is not finite: " +
                         (layer != "input" ? layer
                          : of_stage       ? "one of an earlier stage of the pipeline"
                                           : "input (the data contain such values)"));
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
