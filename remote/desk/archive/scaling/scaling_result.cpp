// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/archive/compare/metric_sense.h>
#include <remote/desk/archive/scaling/scaling_result.h>
#include <remote/desk/shared/text.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <ctime>

namespace rankscope::inline archive {
namespace {

constexpr const char* kContext = "Scaling";
constexpr std::string_view kTag = "scaling-";
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kWarmUpShare = 0.25;   ///< of the measured time, at the start
constexpr std::size_t kLeastSteps = 3;  ///< after it
constexpr std::size_t kMostSteps = 200'000;
constexpr std::array<const char*, 6> kTimes{"t_data_ms",      "t_forward_ms", "t_backward_ms",
                                            "t_optimizer_ms", "t_comm_ms",    "t_step_ms"};

double quantile(std::vector<double> values, double share) {
    if (values.empty()) {
        return kNan;
    }
    const auto at =
        values.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1) + 0.5);
    std::nth_element(values.begin(), at, values.end());
    return *at;
}

/// One step of all ranks.
struct Step {
    std::int64_t first_us = 0;
    double rate = 0;
    int ranks = 0;
};

/// What the ranks of a run report, as far as a measurement needs it.
class Measurement {
public:
    void add(const Event& event) {
        const auto* metric = event.as<MetricEvent>();
        if (metric == nullptr || metric->step < 0 || steps_.size() > kMostSteps) {
            return;
        }
        if (unit_.empty()) {
            const auto rate = std::find_if(metric->values.begin(), metric->values.end(),
                                           [](const auto& value) { return is_rate(value.first); });
            unit_ = rate == metric->values.end() ? "" : rate->first;
        }
        const double rate = unit_.empty() ? kNan : metric->value(unit_);
        Step& step = steps_[metric->step];
        step.first_us = step.ranks == 0 ? event.t_us : std::min(step.first_us, event.t_us);
        step.rate += std::isfinite(rate) ? rate : 0;
        ++step.ranks;
        if (metric->has("t_step_ms")) {
            std::array<double, kTimes.size()> times{};
            for (std::size_t i = 0; i < kTimes.size(); ++i) {
                times[i] = metric->has(kTimes[i]) ? metric->value(kTimes[i]) : 0;
            }
            times_.emplace_back(event.t_us, times);
        }
    }
    void finish(int world_size, ScalingMode mode, ScalingPoint& point, std::string& unit) const {
        std::int64_t begin = std::numeric_limits<std::int64_t>::max();
        std::int64_t end = 0;
        for (const auto& [number, step] : steps_) {
            begin = std::min(begin, step.first_us);
            end = std::max(end, step.first_us);
        }
        const std::int64_t from =
            begin + static_cast<std::int64_t>(kWarmUpShare * static_cast<double>(end - begin));
        const std::vector<double> rates =
            unit_.empty() ? steps_per_s(from, world_size, mode) : reported(from, world_size);
        unit = unit_.empty() ? "steps_per_s" : unit_;
        point.steps = rates.size();
        if (rates.size() < kLeastSteps) {
            point.failure = steps_.empty()
                                ? text(kContext, "the ranks reported no steps")
                                : text(kContext, "only %1 steps after the warm-up; give it more seconds",
                                       {std::to_string(rates.size())});
            return;
        }
        point.throughput = quantile(rates, 0.5);
        point.low = quantile(rates, 0.25);
        point.high = quantile(rates, 0.75);
        point.shares = shares(from);
    }

private:
    std::vector<double> reported(std::int64_t from, int world_size) const {
        std::vector<double> rates;
        for (const auto& [number, step] : steps_) {
            // A step that only some ranks have reported says nothing of all.
            if (step.first_us >= from && step.ranks == world_size && step.rate > 0) {
                rates.push_back(step.rate);
            }
        }
        return rates;
    }
    // With a batch for each rank, more ranks do more in a step.
    std::vector<double> steps_per_s(std::int64_t from, int world_size, ScalingMode mode) const {
        std::vector<double> rates;
        const std::pair<const std::int64_t, Step>* before = nullptr;
        for (const auto& entry : steps_) {
            const auto& [number, step] = entry;
            if (before != nullptr && before->second.first_us >= from &&
                step.first_us > before->second.first_us) {
                const double seconds = static_cast<double>(step.first_us - before->second.first_us) / 1e6;
                rates.push_back(static_cast<double>(number - before->first) / seconds *
                                (mode == ScalingMode::Weak ? world_size : 1));
            }
            before = &entry;
        }
        return rates;
    }
    std::optional<StepShares> shares(std::int64_t from) const {
        std::array<std::vector<double>, kTimes.size()> values;
        for (const auto& [t_us, times] : times_) {
            for (std::size_t i = 0; t_us >= from && i < times.size(); ++i) {
                values[i].push_back(times[i]);
            }
        }
        if (values.back().empty()) {
            return std::nullopt;
        }
        std::array<double, kTimes.size()> median{};
        for (std::size_t i = 0; i < values.size(); ++i) {
            median[i] = quantile(values[i], 0.5);
        }
        StepShares shares{median[1] + median[2] + median[3], median[0], median[4], 0, median[5]};
        shares.other_ms = std::max(0.0, shares.step_ms - shares.compute_ms - shares.data_ms - shares.comm_ms);
        return shares;
    }

    std::map<std::int64_t, Step> steps_;
    std::vector<std::pair<std::int64_t, std::array<double, kTimes.size()>>> times_;
    std::string unit_;
};

}  // namespace

std::string scaling_tag(ScalingMode mode, std::int64_t started_us) {
    const std::time_t seconds = started_us / 1'000'000;
    std::tm parts{};
    ::localtime_r(&seconds, &parts);
    char buffer[32];
    std::strftime(buffer, sizeof buffer, "%Y%m%d-%H%M%S", &parts);
    return std::string(kTag) + to_string(mode) + "-" + buffer;
}

std::optional<ScalingMode> scaling_mode_of(const std::string& tag) {
    for (const ScalingMode mode : {ScalingMode::Weak, ScalingMode::Strong}) {
        if (tag.starts_with(std::string(kTag) + to_string(mode) + "-")) {
            return mode;
        }
    }
    return std::nullopt;
}

std::optional<std::string> scaling_tag_of(const RunLabels& labels) {
    const auto found = std::find_if(labels.tags.begin(), labels.tags.end(),
                                    [](const std::string& tag) { return scaling_mode_of(tag).has_value(); });
    return found == labels.tags.end() ? std::nullopt : std::optional(*found);
}

ScalingPoint measure_run(const RunStore& store, const RunRecord& record, ScalingMode mode, std::string& unit,
                         const std::stop_token& stop) {
    ScalingPoint point;
    point.ranks = record.world_size;
    point.run_id = record.run_id;
    Measurement measurement;
    const auto read = store.replay(
        record.run_id,
        [&](const Event& event) {
            measurement.add(event);
            return !stop.stop_requested();
        },
        Replay::Metrics);
    if (!read) {
        point.failure = to_line(read.failure());
        return point;
    }
    if (record.outcome == Outcome::Failed || record.outcome == Outcome::Lost) {
        point.failure = record.summary.empty() ? text(kContext, "the run failed") : record.summary;
        return point;
    }
    std::string found;
    measurement.finish(record.world_size, mode, point, found);
    unit = point.failure.empty() ? found : unit;
    return point;
}

void rate_points(ScalingResult& result) {
    std::sort(result.points.begin(), result.points.end(),
              [](const ScalingPoint& a, const ScalingPoint& b) { return a.ranks < b.ranks; });
    const auto base = std::find_if(result.points.begin(), result.points.end(),
                                   [](const ScalingPoint& point) { return point.throughput > 0; });
    for (ScalingPoint& point : result.points) {
        if (base != result.points.end() && point.throughput > 0) {
            point.speedup = point.throughput / base->throughput * base->ranks;
            point.efficiency = point.speedup / point.ranks;
        }
    }
}

Result<ScalingResult> read_scaling(const RunStore& store, const std::map<std::string, RunLabels>& labels,
                                   const std::string& tag, const std::stop_token& stop) {
    ScalingResult result;
    result.tag = tag;
    result.mode = scaling_mode_of(tag).value_or(ScalingMode::Weak);
    for (const auto& [run_id, label] : labels) {
        if (std::find(label.tags.begin(), label.tags.end(), tag) == label.tags.end()) {
            continue;
        }
        if (const auto record = store.run(run_id)) {
            result.points.push_back(measure_run(store, *record, result.mode, result.unit, stop));
        }
    }
    if (stop.stop_requested()) {
        return Failure{"cancelled", "", text(kContext, "Cancelled."), "", ""};
    }
    if (result.points.empty()) {
        return Failure{"no-such-run", tag, text(kContext, "No stored run has the tag %1.", {tag}),
                       text(kContext, "`rankscopectl runs list` shows the tags."), ""};
    }
    rate_points(result);
    return result;
}

nlohmann::ordered_json to_json(const ScalingResult& result) {
    using Json = nlohmann::ordered_json;
    Json points = Json::array();
    for (const ScalingPoint& point : result.points) {
        Json json{{"ranks", point.ranks},
                  {"run", point.run_id},
                  {"throughput", point.throughput},
                  {"low", point.low},
                  {"high", point.high},
                  {"steps", point.steps},
                  {"speedup", point.speedup},
                  {"efficiency", point.efficiency}};
        json["step_ms"] = point.shares ? Json{{"compute", point.shares->compute_ms},
                                              {"data", point.shares->data_ms},
                                              {"communication", point.shares->comm_ms},
                                              {"other", point.shares->other_ms},
                                              {"all", point.shares->step_ms}}
                                       : Json(nullptr);
        if (!point.failure.empty()) {
            json["failure"] = point.failure;
        }
        points.push_back(std::move(json));
    }
    return {{"tag", result.tag}, {"mode", to_string(result.mode)}, {"unit", result.unit}, {"points", points}};
}

}  // namespace rankscope::inline archive
