// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/models/initialise.h>
#include <engine/models/random.h>

#include <cmath>

namespace rankscope::engine {

CanonicalParameters default_initialisation(const Graph& graph, std::uint64_t seed) {
    TorchGenerator generator(seed);
    CanonicalParameters parameters;
    for (const Parameter& parameter : graph.parameters) {
        const double root = std::sqrt(static_cast<double>(parameter.fan_in));
        // kaiming_uniform_(a=√5) in PyTorch's own order of operations: gain, then deviation, then bound.
        const double gain = std::sqrt(2.0 / (1.0 + std::sqrt(5.0) * std::sqrt(5.0)));
        const bool is_weight = parameter.shape.size() > 1;
        const double bound = is_weight ? std::sqrt(3.0) * (gain / root) : 1.0 / root;
        std::vector<float>& values =
            parameters.emplace_back(static_cast<std::size_t>(element_count(parameter.shape)));
        generator.uniform(values, -bound, bound);
    }
    return parameters;
}

}  // namespace rankscope::engine
