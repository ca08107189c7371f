// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/optim/optimizer_update.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace rankscope::engine {
namespace {

/// A gradient as the update sees it. No limit is an infinite one, so that the loops have no branch.
struct Conditioned {
    float scale;
    float limit;

    explicit Conditioned(const OptimizerStep& step)
        : scale(static_cast<float>(step.gradient_scale)),
          limit(step.clip_value > 0 ? static_cast<float>(step.clip_value)
                                    : std::numeric_limits<float>::infinity()) {}
    float operator()(float gradient) const {
        const float scaled = gradient * scale;
        // Written so that NaN stays NaN, as torch.clamp does.
        const float above = scaled < -limit ? -limit : scaled;
        return above > limit ? limit : above;
    }
};

/// So few that they are still in the cache when the update reads them.
constexpr std::size_t kChecked = 4096;

/// Integers, so that the compiler turns the loop into vectors.
bool all_finite(const Conditioned& conditioned, std::span<const float> gradients) {
    constexpr std::uint32_t kExponent = 0x7F800000U;
    std::uint32_t largest = 0;
    for (const float gradient : gradients) {
        largest = std::max(largest, std::bit_cast<std::uint32_t>(conditioned(gradient)) & kExponent);
    }
    return largest != kExponent;
}

std::span<float> part_of(std::span<float> state, std::size_t begin, std::size_t count) {
    return state.empty() ? state : state.subspan(begin, count);
}

}  // namespace

void sgd_update(const OptimizerStep& step, std::span<const float> gradients, std::span<float> parameters,
                std::span<float> momentum_buffer) {
    const std::size_t count = parameters.size();
    const Conditioned conditioned(step);
    const auto lr = static_cast<float>(step.lr);
    const auto decay = static_cast<float>(step.weight_decay);
    const float* const g = gradients.data();
    float* const p = parameters.data();
    if (step.momentum == 0.0) {
        for (std::size_t i = 0; i < count; ++i) {
            p[i] -= lr * (conditioned(g[i]) + decay * p[i]);
        }
        return;
    }
    const bool first = step.step <= 1;
    const float keep = first ? 0.0F : static_cast<float>(step.momentum);
    const float take = first ? 1.0F : static_cast<float>(1.0 - step.dampening);
    const float ahead = step.nesterov ? static_cast<float>(step.momentum) : 1.0F;
    const float direct = step.nesterov ? 1.0F : 0.0F;
    float* const buffer = momentum_buffer.data();
    for (std::size_t i = 0; i < count; ++i) {
        const float d = conditioned(g[i]) + decay * p[i];
        buffer[i] = keep * buffer[i] + take * d;
        p[i] -= lr * (direct * d + ahead * buffer[i]);
    }
}

void adam_update(const OptimizerStep& step, std::span<const float> gradients, std::span<float> parameters,
                 std::span<float> exp_avg, std::span<float> exp_avg_sq) {
    const std::size_t count = parameters.size();
    const Conditioned conditioned(step);
    const bool decoupled = step.kind == OptimizerKind::adamw;
    const auto number = static_cast<double>(step.step);
    const double correction1 = 1.0 - std::pow(step.beta1, number);
    const double correction2 = 1.0 - std::pow(step.beta2, number);
    const auto keep = static_cast<float>(decoupled ? 1.0 - step.lr * step.weight_decay : 1.0);
    const auto decay = static_cast<float>(decoupled ? 0.0 : step.weight_decay);
    const auto beta1 = static_cast<float>(step.beta1);
    const auto take1 = static_cast<float>(1.0 - step.beta1);
    const auto beta2 = static_cast<float>(step.beta2);
    const auto take2 = static_cast<float>(1.0 - step.beta2);
    const auto size = static_cast<float>(step.lr / correction1);
    const auto root_correction2 = static_cast<float>(std::sqrt(correction2));
    const auto eps = static_cast<float>(step.eps);
    const float* const gradient = gradients.data();
    float* const p = parameters.data();
    float* const m = exp_avg.data();
    float* const v = exp_avg_sq.data();
    for (std::size_t i = 0; i < count; ++i) {
        const float g = conditioned(gradient[i]) + decay * p[i];
        m[i] = beta1 * m[i] + take1 * g;
        v[i] = beta2 * v[i] + take2 * g * g;
        p[i] = keep * p[i] - size * (m[i] / (std::sqrt(v[i]) / root_correction2 + eps));
    }
}

bool optimizer_update(const OptimizerStep& step, bool decayed, std::span<const float> gradients,
                      std::span<float> parameters, const OptimizerState& state) {
    OptimizerStep own = step;
    own.weight_decay = decayed ? step.weight_decay : 0.0;
    const Conditioned conditioned(step);
    bool finite = true;
    for (std::size_t begin = 0; begin < parameters.size(); begin += kChecked) {
        const std::size_t count = std::min(kChecked, parameters.size() - begin);
        const std::span<const float> g = gradients.subspan(begin, count);
        if (!all_finite(conditioned, g)) {
            finite = false;
            continue;
        }
        const std::span<float> p = parameters.subspan(begin, count);
        if (step.kind == OptimizerKind::sgd) {
            sgd_update(own, g, p, part_of(state.first, begin, count));
        } else {
            adam_update(own, g, p, part_of(state.first, begin, count), part_of(state.second, begin, count));
        }
    }
    return finite;
}

}  // namespace rankscope::engine
