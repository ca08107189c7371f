// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/compare/metric_sense.h>
#include <remote/desk/archive/compare/run_curves.h>

#include <algorithm>
#include <cmath>

namespace rankscope::inline archive {
namespace {

constexpr int kMostRanks = 65536;  ///< what a damaged store says must not be allocated
constexpr double kNoPoint = std::numeric_limits<double>::quiet_NaN();

std::int64_t& of_rank(std::vector<std::int64_t>& steps, int rank) {
    const auto index = static_cast<std::size_t>(std::clamp(rank, 0, kMostRanks));
    if (steps.size() <= index) {
        steps.resize(index + 1, -1);
    }
    return steps[index];
}

}  // namespace

double MetricStats::best(const std::string& metric) const {
    const Better better = better_values(metric);
    return better == Better::Lower ? min : better == Better::Higher ? max : kNoPoint;
}

double MetricStats::best_step(const std::string& metric) const {
    const Better better = better_values(metric);
    return better == Better::Lower ? min_step : better == Better::Higher ? max_step : -1;
}

void MetricCurve::merge(Bin& into, const Bin& from) {
    into.steps += from.steps;
    into.epochs += from.epochs;
    into.seconds += from.seconds;
    into.values += from.values;
    into.count += from.count;
    into.epoch_count += from.epoch_count;
}

MetricCurve::Bin& MetricCurve::bin_of(std::int64_t step) {
    const std::int64_t place = step / stride_;
    if (!bins_.empty() && bins_.back().place == place) {
        return bins_.back();
    }
    const auto at = std::lower_bound(bins_.begin(), bins_.end(), place,
                                     [](const Bin& bin, std::int64_t wanted) { return bin.place < wanted; });
    return at != bins_.end() && at->place == place ? *at : *bins_.insert(at, Bin{.place = place});
}

void MetricCurve::coarsen() {
    stride_ *= 2;
    std::vector<Bin> merged;
    merged.reserve(bins_.size() / 2 + 1);
    for (Bin bin : bins_) {
        bin.place /= 2;
        if (!merged.empty() && merged.back().place == bin.place) {
            merge(merged.back(), bin);
        } else {
            merged.push_back(bin);
        }
    }
    bins_ = std::move(merged);
}

void MetricCurve::void_after(std::int64_t step, int rank) {
    std::int64_t& last = of_rank(last_steps_, rank);
    if (last > step) {
        std::erase_if(bins_, [&](const Bin& bin) { return bin.place >= (step + 1) / stride_; });
        last_step_ = -1;
        last = step;
    }
}

void MetricCurve::add(std::int64_t step, double epoch, double t_s, int rank, double value) {
    std::int64_t& last = of_rank(last_steps_, rank);
    if (step < last) {
        std::erase_if(bins_, [&](const Bin& bin) { return bin.place >= step / stride_; });
        last_step_ = -1;
    }
    last = step;
    if (!std::isfinite(value)) {
        ++not_finite_;
        return;
    }
    merge(bin_of(step), {0, static_cast<double>(step), std::isfinite(epoch) ? epoch : 0, t_s, value, 1,
                         std::isfinite(epoch) ? 1U : 0U});
    if (step > last_step_) {
        last_step_ = step;
        last_sum_ = 0;
        last_count_ = 0;
    }
    if (step == last_step_) {
        last_sum_ += value;
        ++last_count_;
    }
    while (bins_.size() > kMostPoints && stride_ < std::numeric_limits<std::int64_t>::max() / 4) {
        coarsen();
    }
}

std::size_t MetricCurve::rank_count() const {
    return static_cast<std::size_t>(
        std::count_if(last_steps_.begin(), last_steps_.end(), [](std::int64_t step) { return step >= 0; }));
}

double MetricCurve::scale(bool rate) const {
    return rate ? static_cast<double>(rank_count()) : 1;
}

std::vector<CurvePoint> MetricCurve::points(bool rate) const {
    std::vector<CurvePoint> points;
    points.reserve(bins_.size());
    for (const Bin& bin : bins_) {
        const auto count = static_cast<double>(bin.count);
        points.push_back({bin.steps / count,
                          bin.epoch_count > 0 ? bin.epochs / static_cast<double>(bin.epoch_count) : kNoPoint,
                          bin.seconds / count, bin.values / count * scale(rate)});
    }
    return points;
}

MetricStats MetricCurve::stats(bool rate) const {
    MetricStats stats;
    stats.not_finite = not_finite_;
    double sum = 0;
    for (const CurvePoint& point : points(rate)) {
        sum += point.value;
        if (!(point.value >= stats.min)) {
            stats.min = point.value;
            stats.min_step = point.step;
        }
        if (!(point.value <= stats.max)) {
            stats.max = point.value;
            stats.max_step = point.step;
        }
    }
    for (const Bin& bin : bins_) {
        stats.count += bin.count;
    }
    if (!bins_.empty()) {
        stats.mean = sum / static_cast<double>(bins_.size());
        const bool exact = last_count_ > 0 && last_step_ >= 0;
        stats.last =
            exact ? last_sum_ / static_cast<double>(last_count_) * scale(rate) : points(rate).back().value;
        stats.last_step = exact ? static_cast<double>(last_step_) : points(rate).back().step;
    }
    return stats;
}

void RunCurves::add(const Event& event) {
    const auto* metric = event.as<MetricEvent>();
    if (metric == nullptr) {
        return;
    }
    std::int64_t& rank_step = of_rank(rank_steps_, event.rank);
    if (metric->step >= 0) {
        rank_step = metric->step;
        last_step_ = std::max(last_step_, metric->step);
    }
    const double t_s = std::max(0.0, static_cast<double>(event.t_us - started_us_) / 1e6);
    for (const auto& [name, value] : metric->values) {
        const auto id = is_total(name) ? std::nullopt : names_.intern(name);
        if (!id) {
            continue;
        }
        if (curves_.size() <= id->value()) {
            curves_.resize(id->value() + 1);
        }
        if (metric->voids_after) {
            curves_[id->value()].void_after(*metric->voids_after, event.rank);
        }
        curves_[id->value()].add(std::max<std::int64_t>(rank_step, 0),
                                 metric->epoch >= 0 ? metric->epoch : kNoPoint, t_s, event.rank, value);
    }
}

const MetricCurve* RunCurves::find(const std::string& name) const {
    const auto id = names_.find(name);
    return id ? &curves_[id->value()] : nullptr;
}

}  // namespace rankscope::inline archive
