// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/distributed_sampler.h>
#include <engine/models/random.h>

#include <numeric>

namespace rankscope::engine {

DistributedSampler::DistributedSampler(const SamplerOptions& options) : options_(options) {
    const std::int64_t n = options.dataset_size;
    const std::int64_t world = options.world_size;
    const auto ceiling = [](std::int64_t a, std::int64_t b) { return a <= 0 ? 0 : (a + b - 1) / b; };
    samples_ = options.drop_last && n % world != 0 ? ceiling(n - world, world) : ceiling(n, world);
}

std::vector<std::int64_t> DistributedSampler::indices(std::int64_t epoch) const {
    std::vector<std::int64_t> order;
    if (options_.shuffle) {
        order = random_permutation(options_.dataset_size, options_.seed + static_cast<std::uint64_t>(epoch));
    } else {
        order.resize(static_cast<std::size_t>(options_.dataset_size));
        std::iota(order.begin(), order.end(), std::int64_t{0});
    }
    std::vector<std::int64_t> mine;
    mine.reserve(static_cast<std::size_t>(samples_));
    for (std::int64_t i = 0; i < samples_ && !order.empty(); ++i) {
        const std::int64_t position = options_.rank + i * options_.world_size;
        // Beyond the end the order begins again: the padding.
        mine.push_back(order[static_cast<std::size_t>(position) % order.size()]);
    }
    return mine;
}

}  // namespace rankscope::engine
