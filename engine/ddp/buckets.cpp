// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/ddp/buckets.h>

#include <algorithm>
#include <numeric>

namespace rankscope::engine {

std::vector<Bucket> plan_buckets(const ParameterLayout& layout, std::size_t first_limit, std::size_t limit) {
    std::vector<ParameterId> order(layout.slots.size());
    std::iota(order.begin(), order.end(), ParameterId{0});
    std::sort(order.begin(), order.end(),
              [&](ParameterId a, ParameterId b) { return layout.slots[a].offset < layout.slots[b].offset; });
    std::vector<Bucket> buckets;
    bool open = false;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (!open) {
            buckets.push_back({layout.slots[order[i]].offset, 0, {}});
        }
        Bucket& bucket = buckets.back();
        bucket.parameters.push_back(order[i]);
        // Up to where the next parameter begins, so that alignment gaps do not tear a bucket apart.
        const std::size_t end = i + 1 < order.size() ? layout.slots[order[i + 1]].offset : layout.total;
        bucket.size = end - bucket.offset;
        open = bucket.size * sizeof(float) < (buckets.size() == 1 ? first_limit : limit);
    }
    return buckets;
}

std::size_t default_bucket_limit(std::size_t gradient_bytes) {
    constexpr std::size_t kLeast = std::size_t{64} << 10U;
    constexpr std::size_t kMost = std::size_t{25} << 20U;
    return std::clamp(gradient_bytes / 6, kLeast, kMost);
}

}  // namespace rankscope::engine
