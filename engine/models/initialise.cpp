// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/initialise.h>
#include <engine/models/random.h>

#include <algorithm>
#include <cmath>

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

/// The network draws it once more, after all constructors.
bool is_replaced(const Parameter& parameter) {
    return parameter.initialisation == Initialisation::normal ||
           parameter.initialisation == Initialisation::uniform;
}

}  // namespace

void initialise(const Graph& graph, std::uint64_t seed, const SetParameter& set) {
    TorchGenerator generator(seed);
    std::vector<float> values;  // one for all: fresh memory costs more than the numbers
    for (const ParameterId id : graph.parameters.indices()) {
        const Parameter& parameter = graph.parameters[id];
        generator.skip_uniform(parameter.draws_before);
        values.assign(static_cast<std::size_t>(element_count(parameter.shape)),
                      parameter.initialisation == Initialisation::ones ? 1.0F : 0.0F);
        if (is_replaced(parameter) || parameter.initialisation == Initialisation::drawn_zeros) {
            generator.skip_uniform(
                values.size());  // PyTorch's constructor draws them before they are replaced
        }
        if (is_replaced(parameter)) {
            continue;
        }
        if (parameter.initialisation == Initialisation::uniform_fan_in) {
            uniform_fan_in(parameter, generator, values);
        }
        set(id, values);
    }
    for (const ParameterId id : graph.parameters.indices()) {
        const Parameter& parameter = graph.parameters[id];
        if (is_replaced(parameter)) {
            values.resize(static_cast<std::size_t>(element_count(parameter.shape)));
            if (parameter.initialisation == Initialisation::normal) {
                generator.normal(values, 0.0, parameter.spread);
            } else {
                generator.uniform(values, -parameter.spread, parameter.spread);
            }
            set(id, values);
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
