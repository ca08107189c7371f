// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/run/throughput_record.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace rankscope::inline runs {
namespace {

using throughput::Rate;

constexpr std::size_t kMostHeard = std::size_t{1} << 19;
constexpr std::size_t kMostSaid = 256;
constexpr std::size_t kMostCounts = 8;

bool is_of_a_game(std::string_view name) {
    constexpr std::array<std::string_view, 6> kWords{"reward",  "ep_len",  "ep_rew",
                                                     "episode", "rollout", "return"};
    return std::any_of(kWords.begin(), kWords.end(),
                       [name](auto word) { return name.find(word) != std::string_view::npos; });
}

// The count of a rank's own samples; else counts by their names.
bool is_count(const std::string& name) {
    const auto rate = throughput::rate_of_series(name);
    return name == "samples" || rate == Rate::TokensSeen || rate == Rate::SamplesSeen;
}

}  // namespace

void ThroughputRecord::apply_metric(int rank, const MetricEvent& metric, std::int64_t t_us) {
    const bool validates = std::any_of(metric.values.begin(), metric.values.end(), [](const auto& value) {
        return value.first.starts_with("val_") || value.first.find("/val_") != std::string::npos;
    });
    if (validates) {
        interrupt();
    }
    if (rank_ >= 0 && rank > rank_) {
        return;
    }
    if (rank < rank_) {
        steps_.restart();  // only the first rank's times are compared
        counts_.clear();
    }
    rank_ = metric.step >= 0 || rank < rank_ ? rank : rank_;
    const bool all =
        validates && std::all_of(metric.values.begin(), metric.values.end(),
                                 [](const auto& value) { return value.first.starts_with("val_"); });
    for (const auto& [name, value] : metric.values) {
        plays_ = plays_ || is_of_a_game(name);
        tokens_ = tokens_ || throughput::speaks_of_tokens(name) || name == "ppl" || name == "perplexity";
        if (std::isfinite(value) && value >= 0 && is_count(name) &&
            (counts_.size() < kMostCounts || counts_.contains(name))) {
            counts_[name].add(value, t_us);
        }
    }
    if (metric.step < 0 || all) {
        return;
    }
    if (metric.step > 1 && metric.epoch >= 0) {
        const bool same = static_cast<double>(metric.step) == metric.epoch;
        same_as_epoch_ = same_as_epoch_ || same;
        other_than_epoch_ = other_than_epoch_ || !same;
    }
    // What comes from a file comes late, and all at once.
    if (metric.from_file && live_steps_) {
        return;
    }
    if (!metric.from_file && !live_steps_) {
        live_steps_ = true;
        steps_.restart();
    }
    steps_.add(static_cast<double>(metric.step), t_us);
}

void ThroughputRecord::apply_log(int rank, const LogEvent& log) {
    if (rank != 0 || steps_.any() || heard_ > kMostHeard) {
        return;
    }
    heard_ += log.text.size();
    std::string_view rest = log.text;
    while (!rest.empty() && said_.size() < kMostSaid) {
        const auto end = std::min(rest.find('\n'), rest.size());
        const auto line = rest.substr(0, end);
        for (auto& size : throughput::sizes_of_line(line)) {
            if (std::find(said_.begin(), said_.end(), size) == said_.end()) {
                said_.push_back(std::move(size));
            }
        }
        tokens_ = tokens_ || throughput::speaks_of_tokens(line);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

void ThroughputRecord::interrupt() {
    steps_.interrupt();
    for (auto& [name, pace] : counts_) {
        pace.interrupt();
    }
}

void ThroughputRecord::restart() {
    steps_.restart();
    counts_.clear();
    said_.clear();
    heard_ = 0;
}

}  // namespace rankscope::inline runs
