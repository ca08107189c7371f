// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/bench/rank_figures.h>
#include <engine/train/process_memory.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <numeric>
#include <string>
#include <type_traits>

namespace rankscope::engine {
namespace {

using Json = nlohmann::ordered_json;
using Figure = double RankFigures::*;

std::vector<double> all(const std::vector<RankFigures>& ranks, Figure figure) {
    std::vector<double> values;
    for (const RankFigures& rank : ranks) {
        values.push_back(rank.*figure);
    }
    return values;
}
double middle(const std::vector<RankFigures>& ranks, Figure figure) {
    return median(all(ranks, figure));
}
double largest(const std::vector<RankFigures>& ranks, Figure figure) {
    const std::vector<double> values = all(ranks, figure);
    return *std::max_element(values.begin(), values.end());
}
double sum(const std::vector<RankFigures>& ranks, Figure figure) {
    const std::vector<double> values = all(ranks, figure);
    return std::accumulate(values.begin(), values.end(), 0.0);
}

Json per_rank(const std::vector<RankFigures>& ranks) {
    Json list = Json::array();
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const RankFigures& of = ranks[rank];
        list.push_back({{"rank", rank},
                        {"step_ms", of.step_ms},
                        {"p99_ms", of.p99_ms},
                        {"comm_ms", of.comm_ms},
                        {"cpu_ms", of.cpu_ms},
                        {"cpu_ms_mean", of.cpu_ms_mean},
                        {"peak_rss_mb", of.peak_rss_mb},
                        {"first_step_at", of.first_step_at}});
    }
    return list;
}

}  // namespace

void StepSeries::add(Milliseconds wall, Milliseconds cpu, const StepTimes& times) {
    wall_.push_back(wall.count());
    cpu_.push_back(cpu.count());
    data_.push_back(times.data_ms);
    forward_.push_back(times.forward_ms);
    backward_.push_back(times.backward_ms);
    comm_.push_back(times.comm_ms);
    optimizer_.push_back(times.optimizer_ms);
}

RankFigures::RankFigures(const StepSeries& steps, const StepSeries& alone, double first_step)
    : step_ms(median(steps.wall_)),
      p99_ms(quantile(steps.wall_, 0.99)),
      cpu_ms(median(steps.cpu_)),
      cpu_ms_mean(std::accumulate(steps.cpu_.begin(), steps.cpu_.end(), 0.0) /
                  static_cast<double>(std::max<std::size_t>(1, steps.cpu_.size()))),
      data_ms(median(steps.data_)),
      forward_ms(median(steps.forward_)),
      backward_ms(median(steps.backward_)),
      comm_ms(median(steps.comm_)),
      optimizer_ms(median(steps.optimizer_)),
      peak_rss_mb(engine::peak_rss_mb()),
      first_step_at(first_step),
      no_sync_step_ms(median(alone.wall_)),
      no_sync_cpu_ms(median(alone.cpu_)) {}

std::vector<RankFigures> gather_figures(const RankFigures& mine, ProcessGroup* group) {
    static_assert(std::is_trivially_copyable_v<RankFigures>);
    if (group == nullptr) {
        return {mine};
    }
    std::string bytes(sizeof(mine), '\0');
    std::memcpy(bytes.data(), &mine, sizeof(mine));
    std::vector<RankFigures> ranks;
    for (const std::string& rank : group->all_gather(bytes)) {
        std::memcpy(&ranks.emplace_back(), rank.data(), sizeof(mine));
    }
    return ranks;
}

Json summary(const std::vector<RankFigures>& ranks, double samples) {
    const double step_ms = middle(ranks, &RankFigures::step_ms);
    const double cpu_ms = sum(ranks, &RankFigures::cpu_ms);
    Json result = {{"images_per_s", samples * 1000.0 / step_ms},
                   {"step_ms", {{"median", step_ms}, {"p99", largest(ranks, &RankFigures::p99_ms)}}},
                   {"phases_ms",
                    {{"data", middle(ranks, &RankFigures::data_ms)},
                     {"forward", middle(ranks, &RankFigures::forward_ms)},
                     {"backward", middle(ranks, &RankFigures::backward_ms)},
                     {"communication", middle(ranks, &RankFigures::comm_ms)},
                     {"optimizer", middle(ranks, &RankFigures::optimizer_ms)}}},
                   {"cpu_s_per_step", cpu_ms / 1000.0},
                   {"peak_rss_mb", largest(ranks, &RankFigures::peak_rss_mb)},
                   {"first_step_at", largest(ranks, &RankFigures::first_step_at)}};
    if (const double alone = middle(ranks, &RankFigures::no_sync_step_ms); alone > 0) {
        result["exposed_communication"] = 1 - alone / step_ms;
        result["communication_cpu"] = 1 - sum(ranks, &RankFigures::no_sync_cpu_ms) / cpu_ms;
    }
    result["ranks"] = per_rank(ranks);
    return result;
}

}  // namespace rankscope::engine
