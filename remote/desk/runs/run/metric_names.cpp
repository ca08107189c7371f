// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/metric_names.h>

namespace rankscope::inline runs {

std::optional<MetricId> MetricNames::intern(const std::string& name) {
    if (const auto known = ids_.find(name); known != ids_.end()) {
        return known->second;
    }
    if (names_.size() == kMost) {
        ++refused_;
        return std::nullopt;
    }
    const MetricId id(names_.size());
    names_.push_back(name);
    ids_.emplace(name, id);
    return id;
}

std::optional<MetricId> MetricNames::find(const std::string& name) const {
    const auto known = ids_.find(name);
    return known == ids_.end() ? std::nullopt : std::optional(known->second);
}

bool is_total(std::string_view name) {
    return name == "epochs" || name == "steps_per_epoch" || name == "steps";
}

}  // namespace rankscope::inline runs
