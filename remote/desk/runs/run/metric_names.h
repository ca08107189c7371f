// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/strong_index.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rankscope::inline runs {

/// A metric of one run: its place in that run's MetricNames.
using MetricId = StrongIndex<struct MetricTag>;

/// The names of the metrics that a run reports, in the order of their first report. Metrics are an open set:
/// any name is accepted, up to kMost (a program that puts numbers into its names would never stop).
class MetricNames {
public:
    static constexpr std::size_t kMost = 512;

    /// The id of a name, a new one for a new name; nothing when kMost names are known already.
    std::optional<MetricId> intern(const std::string& name);
    std::optional<MetricId> find(const std::string& name) const;
    const std::string& name(MetricId id) const { return names_[id.value()]; }
    const std::vector<std::string>& all() const { return names_; }
    std::size_t size() const { return names_.size(); }
    /// Values whose name did not fit. They are in the run store only.
    std::uint64_t refused() const { return refused_; }

private:
    std::vector<std::string> names_;
    std::unordered_map<std::string, MetricId> ids_;
    std::uint64_t refused_ = 0;
};

/// Totals of the run (epochs, steps_per_epoch, steps): for progress, not for curves.
bool is_total(std::string_view name);

}  // namespace rankscope::inline runs
