// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/export/curve_bins.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace rankscope::inline archive {
namespace {

void widen(double& first, double& last, double x) {
    first = last < first ? x : std::min(first, x);
    last = std::max(last, x);
}

}  // namespace

double CurveBins::seconds(const Event& event) const {
    constexpr double kMicroseconds = 1e6;
    return static_cast<double>(event.t_us - started_us_) / kMicroseconds;
}

CurveBins::Axis* CurveBins::axis_of(const std::string& name) {
    const auto id = names_.find(name);
    return id && id->value() < axes_.size() ? &axes_[id->value()] : nullptr;
}

void CurveBins::measure(const Event& event) {
    const auto* metric = event.as<MetricEvent>();
    if (metric == nullptr) {
        return;
    }
    for (const auto& [name, value] : metric->values) {
        if (is_total(name)) {
            continue;
        }
        if (!names_.find(name) && names_.size() >= kMostMetrics) {
            if (further_.size() < kMostCounted) {
                further_.insert(name);
            }
            continue;
        }
        const auto id = names_.intern(name);
        if (!id) {
            continue;
        }
        axes_.resize(std::max(axes_.size(), id->value() + 1));
        Axis& axis = axes_[id->value()];
        widen(axis.first_s, axis.last_s, seconds(event));
        if (metric->step >= 0) {
            widen(axis.first_step, axis.last_step, static_cast<double>(metric->step));
        }
    }
}

void CurveBins::take(const Event& event) {
    const auto* metric = event.as<MetricEvent>();
    if (metric == nullptr) {
        return;
    }
    for (const auto& [name, value] : metric->values) {
        Axis* axis = axis_of(name);
        if (axis == nullptr) {
            continue;
        }
        const bool by_step = axis->last_step >= axis->first_step;
        if (!std::isfinite(value)) {
            ++axis->not_finite;
            continue;
        }
        if (by_step && metric->step < 0) {
            continue;
        }
        const double x = by_step ? static_cast<double>(metric->step) : seconds(event);
        const double first = by_step ? axis->first_step : axis->first_s;
        const double last = by_step ? axis->last_step : axis->last_s;
        const double share = last > first ? (x - first) / (last - first) : 0;
        const auto place = static_cast<std::size_t>(std::clamp(share, 0.0, 1.0) * (kBins - 1));
        auto& bins = axis->bins[world_size_ <= kMostCurves ? event.rank : -1];
        bins.resize(kBins);
        Bin& bin = bins[place];
        bin.x += x;
        bin.sum += value;
        bin.least = bin.count == 0 ? value : std::min(bin.least, value);
        bin.most = bin.count == 0 ? value : std::max(bin.most, value);
        ++bin.count;
    }
}

std::vector<BinnedMetric> CurveBins::metrics() const {
    std::vector<BinnedMetric> all;
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const Axis& axis = axes_[i];
        BinnedMetric metric{names_.name(MetricId(i)), axis.last_step >= axis.first_step, {}, axis.not_finite};
        for (const auto& [rank, bins] : axis.bins) {
            BinnedCurve curve{rank, {}};
            for (const auto& bin : bins) {
                if (bin.count > 0) {
                    const auto count = static_cast<double>(bin.count);
                    curve.points.push_back({bin.x / count, bin.sum / count, bin.least, bin.most});
                }
            }
            metric.curves.push_back(std::move(curve));
        }
        all.push_back(std::move(metric));
    }
    return all;
}

}  // namespace rankscope::inline archive
