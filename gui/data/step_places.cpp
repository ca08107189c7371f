// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/step_places.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace rankscope::gui {

namespace {

constexpr std::int64_t kMostPlace = 9'000'000'000'000'000;
constexpr double kMostEpoch = 1e15;

}  // namespace

void StepPlaces::restart(std::size_t rank) {
    if (rank < ranks_.size()) {
        ranks_[rank].fresh = true;
    }
}

std::int64_t StepPlaces::place(std::size_t rank, const MetricEvent& metric, const MetricSeries& series,
                               const MetricNames& names, std::int64_t steps_per_epoch) {
    if (rank >= ranks_.size()) {
        ranks_.resize(rank + 1);
    }
    Rank& of_rank = ranks_[rank];
    const bool has_epoch = metric.epoch >= 0 && metric.epoch < kMostEpoch;
    const double epoch = has_epoch ? std::floor(metric.epoch) : -1;
    if (has_epoch && first_epoch_ < 0) {
        first_epoch_ = std::int64_t(epoch);
    }
    if (of_rank.fresh) {
        of_rank.fresh = false;
        of_rank.behind = has_epoch ? behind_of(epoch) : 0;
        of_rank.epochs.clear();
    } else if (has_epoch && begins_again(of_rank, metric, series, names)) {
        const auto [known, first] =
            behind_.try_emplace(std::int64_t(epoch), new_place(std::int64_t(epoch), steps_per_epoch));
        if (first && behind_.size() == 1) {
            first_step_again_ = metric.step;
        }
        // This rank may have reported more steps of the last epoch than the one that began this epoch.
        of_rank.behind = std::max(known->second, std::int64_t(series.last_step()) + 1 - metric.step);
    }
    if (of_rank.behind > kMostPlace - metric.step) {
        of_rank.behind = 0;
    }
    for (const auto& [name, value] : metric.values) {
        if (const auto id = names.find(name); id && has_epoch) {
            if (id->value() >= of_rank.epochs.size()) {
                of_rank.epochs.resize(id->value() + 1, -1);
            }
            of_rank.epochs[id->value()] = epoch;
        }
    }
    const std::int64_t place = of_rank.behind + metric.step;
    furthest_ = std::max(furthest_, place);
    return place;
}

// A metric has a smaller step than before, and a later epoch. Validation may count its own steps: each metric is
// compared with itself.
bool StepPlaces::begins_again(const Rank& of_rank, const MetricEvent& metric, const MetricSeries& series,
                              const MetricNames& names) const {
    return std::any_of(metric.values.begin(), metric.values.end(), [&](const auto& value) {
        const auto id = names.find(value.first);
        if (!id || id->value() >= of_rank.epochs.size() || of_rank.epochs[id->value()] < 0 ||
            std::floor(metric.epoch) <= of_rank.epochs[id->value()]) {
            return false;
        }
        const MetricColumn& column = series.column(*id);
        return !column.empty() && of_rank.behind + metric.step <= column.steps().last();
    });
}

// After a start at a checkpoint: as the ranks had that epoch before.
std::int64_t StepPlaces::behind_of(double epoch) const {
    const auto after = behind_.upper_bound(std::int64_t(epoch));
    return after == behind_.begin() ? 0 : std::prev(after)->second;
}

std::int64_t StepPlaces::new_place(std::int64_t epoch, std::int64_t steps_per_epoch) const {
    const double known = double(epoch - first_epoch_) * double(steps_per_epoch);
    return known > 0 && known < double(kMostPlace) ? std::max(furthest_, std::int64_t(known)) : furthest_;
}

}  // namespace rankscope::gui
