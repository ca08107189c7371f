// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/mesh/axis_sizes.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string_view>

namespace rankscope {
namespace {

std::size_t usual_place(const AxisSize& axis) {
    constexpr std::array<std::string_view, 7> kOrder{"pp", "dp_replicate", "dp", "dp_shard",
                                                     "cp", "mp",           "tp"};
    const auto* const at = std::find(kOrder.begin(), kOrder.end(), axis.name);
    return static_cast<std::size_t>(at - kOrder.begin());
}

bool has(const std::vector<AxisSize>& axes, std::string_view name) {
    return std::any_of(axes.begin(), axes.end(), [&](const AxisSize& axis) { return axis.name == name; });
}

/// Whether the group is all ranks along some of the axes.
bool fits(const ObservedGroup& group, const std::vector<AxisSize>& axes) {
    std::size_t expected = 1;
    int stride = 1;
    for (auto axis = axes.rbegin(); axis != axes.rend(); ++axis) {
        const auto place = [&](int rank) { return rank / stride % axis->size; };
        const bool varies = std::any_of(group.ranks.begin(), group.ranks.end(),
                                        [&](int rank) { return place(rank) != place(group.ranks.front()); });
        expected *= varies ? static_cast<std::size_t>(axis->size) : 1;
        stride *= axis->size;
    }
    return expected == group.ranks.size();
}

/// Empty: it has no stages, or no copies.
std::vector<AxisSize> with_stages_behind_copies(std::vector<AxisSize> axes) {
    const auto copies = [](const AxisSize& axis) { return axis.name.starts_with("dp"); };
    const auto stages =
        std::find_if(axes.begin(), axes.end(), [](const AxisSize& axis) { return axis.name == "pp"; });
    const auto last = std::find_if(axes.rbegin(), axes.rend(), copies).base();
    if (stages == axes.end() || last <= stages) {
        return {};
    }
    std::rotate(stages, stages + 1, last);
    return axes;
}

}  // namespace

std::optional<int> rank_count(const std::vector<AxisSize>& axes) {
    std::int64_t ranks = 1;
    for (const AxisSize& axis : axes) {
        ranks *= axis.size;
        if (axis.size < 1 || ranks > std::numeric_limits<int>::max()) {
            return std::nullopt;
        }
    }
    return static_cast<int>(ranks);
}

std::vector<ObservedGroup> groups_of(const std::vector<AxisSize>& axes) {
    const int ranks = rank_count(axes).value_or(0);
    std::vector<ObservedGroup> groups;
    int stride = ranks;
    for (const AxisSize& axis : axes) {
        stride /= std::max(axis.size, 1);
        for (int first = 0; axis.size > 1 && first < ranks; ++first) {
            if (first / stride % axis.size != 0) {
                continue;
            }
            ObservedGroup& group = groups.emplace_back();
            group.description = axis.name;
            for (int i = 0; i < axis.size; ++i) {
                group.ranks.push_back(first + i * stride);
            }
        }
    }
    return groups;
}

std::optional<std::vector<AxisSize>> complete_mesh(std::vector<AxisSize> sizes, int world_size,
                                                   const std::vector<ObservedGroup>& observed,
                                                   bool known_order) {
    std::erase_if(sizes, [](const AxisSize& axis) { return axis.size == 1; });
    const std::optional<int> ranks = rank_count(sizes);
    if (sizes.empty() || sizes.size() > kMostAxes || !ranks || world_size < 2 || world_size % *ranks != 0) {
        return std::nullopt;
    }
    if (const int rest = world_size / *ranks; rest > 1) {
        if (has(sizes, "dp") || has(sizes, "dp_shard")) {
            return std::nullopt;  // something else is left
        }
        sizes.push_back({has(sizes, "dp_replicate") ? "dp_shard" : "dp", rest});
    }
    const auto before = [](const AxisSize& a, const AxisSize& b) { return usual_place(a) < usual_place(b); };
    std::sort(sizes.begin(), sizes.end(), before);
    const auto fits_all = [&](const std::vector<AxisSize>& axes) {
        return !axes.empty() &&
               std::all_of(observed.begin(), observed.end(), [&](const ObservedGroup& group) {
                   const bool counts = group.ranks.size() > 1 &&
                                       group.ranks.size() < static_cast<std::size_t>(world_size) &&
                                       group.ranks.front() >= 0 && group.ranks.back() < world_size;
                   return !counts || fits(group, axes);
               });
    };
    std::vector<AxisSize> order = sizes;
    do {
        if (fits_all(order)) {
            const bool clear = known_order || !fits_all(with_stages_behind_copies(order));
            return clear ? std::optional(order) : std::nullopt;
        }
    } while (std::next_permutation(order.begin(), order.end(), before));
    return std::nullopt;
}

}  // namespace rankscope
