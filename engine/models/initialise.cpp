// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/initialise.h>
#include <engine/models/random.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numbers>

namespace rankscope::engine {
namespace {

void uniform_fan_in(const Parameter& parameter, TorchGenerator& generator, std::vector<float>& values) {
    const double root = std::sqrt(static_cast<double>(parameter.fan_in));
    // kaiming_uniform_(a=√5) in PyTorch's own order of operations: gain, then deviation, then bound.
    const double gain = std::sqrt(2.0 / (1.0 + std::sqrt(5.0) * std::sqrt(5.0)));
    const bool is_weight = parameter.shape.size() > 1;
    const double bound = is_weight ? std::sqrt(3.0) * (gain / root) : 1.0 / root;
    generator.uniform(values, -bound, bound);
}

/// The inverse of erf(): a rational approximation and two steps of Newton and Raphson in double precision. PyTorch asks
/// Intel's VML for it; 0.6 % of the numbers differ from that in the last bit.
float inverse_erf(float value) {
    constexpr std::array kA{0.886226899, -1.645349621, 0.914624893, -0.140543331};
    constexpr std::array kB{1.0, -2.118377725, 1.442710462, -0.329097515, 0.012229801};
    constexpr std::array kC{-1.970840454, -1.624906493, 3.429567803, 1.641345311};
    constexpr std::array kD{1.0, 3.543889200, 1.637067800};
    constexpr double kCentral = 0.7;
    const auto y = static_cast<double>(value);
    if (std::abs(y) >= 1.0) {
        return std::copysign(std::numeric_limits<float>::infinity(), value);
    }
    const auto polynomial = [](double z, const auto& factors) {
        double sum = 0;
        for (std::size_t i = factors.size(); i-- > 0;) {
            sum = sum * z + factors[i];
        }
        return sum;
    };
    double x = 0;
    if (std::abs(y) <= kCentral) {
        x = y * polynomial(y * y, kA) / polynomial(y * y, kB);
    } else {
        const double z = std::sqrt(-std::log((1.0 - std::abs(y)) / 2.0));
        x = std::copysign(polynomial(z, kC) / polynomial(z, kD), y);
    }
    for (int step = 0; step < 2; ++step) {
        x -= (std::erf(x) - y) / (2.0 * std::numbers::inv_sqrtpi * std::exp(-x * x));
    }
    return static_cast<float>(x);
}

/// timm's trunc_normal_(std = spread), whose limits of ±2 are so far out that the uniform numbers are of all of (−1, 1).
void truncated_normal(double spread, TorchGenerator& generator, std::vector<float>& values) {
    constexpr float kLimit = 2.0F;
    generator.uniform(values, -1.0, 1.0);
    const auto scale = static_cast<float>(spread * std::sqrt(2.0));
    for (float& value : values) {
        value = std::clamp(inverse_erf(value) * scale, -kLimit, kLimit);
    }
}

/// What the network draws once more, after all constructors.
std::vector<Redraw> redraws_of(const Graph& graph) {
    if (!graph.redraws.empty()) {
        return graph.redraws;
    }
    std::vector<Redraw> redraws;
    for (const ParameterId id : graph.parameters.indices()) {
        const Parameter& parameter = graph.parameters[id];
        if (parameter.initialisation == Initialisation::normal ||
            parameter.initialisation == Initialisation::uniform) {
            redraws.push_back({id, parameter.initialisation, parameter.spread});
        }
    }
    return redraws;
}

}  // namespace

void initialise(const Graph& graph, std::uint64_t seed, const SetParameter& set) {
    TorchGenerator generator(seed);
    const std::vector<Redraw> redraws = redraws_of(graph);
    IndexedVector<ParameterId, std::size_t> redraws_left(graph.parameters.size(), 0);
    for (const Redraw& redraw : redraws) {
        ++redraws_left[redraw.parameter];
    }
    std::vector<float> values;  // one for all: fresh memory costs more than the numbers
    for (const ParameterId id : graph.parameters.indices()) {
        const Parameter& parameter = graph.parameters[id];
        const bool is_replaced = redraws_left[id] > 0;
        generator.skip_uniform(parameter.draws_before);
        values.assign(static_cast<std::size_t>(element_count(parameter.shape)),
                      parameter.initialisation == Initialisation::ones ? 1.0F : 0.0F);
        const bool drawn = parameter.initialisation != Initialisation::ones &&
                           parameter.initialisation != Initialisation::zeros;
        if (drawn && (is_replaced || parameter.initialisation == Initialisation::drawn_zeros)) {
            generator.skip_uniform(
                values.size());  // PyTorch's constructor draws them before they are replaced
        }
        if (is_replaced) {
            continue;
        }
        if (parameter.initialisation == Initialisation::uniform_fan_in) {
            uniform_fan_in(parameter, generator, values);
        }
        set(id, values);
    }
    for (const Redraw& redraw : redraws) {
        const Parameter& parameter = graph.parameters[redraw.parameter];
        generator.skip_uniform(redraw.draws_before);
        values.resize(static_cast<std::size_t>(element_count(parameter.shape)));
        switch (redraw.kind) {
            case Initialisation::uniform:
                generator.uniform(values, -redraw.spread, redraw.spread);
                break;
            case Initialisation::uniform_fan_in:
                uniform_fan_in(parameter, generator, values);
                break;
            case Initialisation::truncated:
                truncated_normal(redraw.spread, generator, values);
                break;
            default:
                generator.normal(values, 0.0, redraw.spread);
        }
        if (--redraws_left[redraw.parameter] == 0) {
            set(redraw.parameter, values);
        }
    }
}

CanonicalParameters default_initialisation(const Graph& graph, std::uint64_t seed) {
    CanonicalParameters parameters(graph.parameters.size());
    initialise(graph, seed, [&](ParameterId id, std::span<const float> values) {
        parameters[id].assign(values.begin(), values.end());
    });
    return parameters;
}

}  // namespace rankscope::engine
