// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/nccl_activity/bandwidth.h>
#include <remote/observe/nccl_activity/collective_report.h>

#include <algorithm>
#include <tuple>

namespace rankscope {
namespace {

/// Means weighted by the operations that they are of.
void merge(CollectiveRow& into, const CollectiveRow& row) {
    const auto here = static_cast<double>(into.operations);
    const auto there = static_cast<double>(row.operations);
    const double all = std::max(here + there, 1.0);
    const auto mean = [&](double CollectiveRow::*field) {
        into.*field = (into.*field * here + row.*field * there) / all;
    };
    for (const auto field :
         {&CollectiveRow::bytes, &CollectiveRow::mean_s, &CollectiveRow::transfer_s,
          &CollectiveRow::algorithm_bandwidth, &CollectiveRow::bus_bandwidth, &CollectiveRow::wait_share,
          &CollectiveRow::network_share, &CollectiveRow::peer_wait_share}) {
        mean(field);
    }
    if (row.spread_s > into.spread_s) {
        into.spread_s = row.spread_s;
        into.slowest_rank = row.slowest_rank;
    }
    if (row.last_share > into.last_share) {
        into.last_share = row.last_share;
        into.last_rank = row.last_rank;
    }
    if (row.operations > into.operations) {
        into.communicator = row.communicator;
    }
    into.shortest_s = std::min(into.shortest_s, row.shortest_s);
    into.longest_s = std::max(into.longest_s, row.longest_s);
    into.operations += row.operations;
    into.matched += row.matched;
    into.ranks_seen = std::max(into.ranks_seen, row.ranks_seen);
    into.gpu_times = into.gpu_times && row.gpu_times;
    ++into.communicators;
    if (into.algorithm != row.algorithm || into.protocol != row.protocol) {
        into.algorithm.clear();
        into.protocol.clear();
    }
}

}  // namespace

bool CollectiveReport::has_operations() const {
    return !rows.empty() || std::any_of(ranks.begin(), ranks.end(), [](const ReportRank& rank) {
        return !rank.open.empty() || !rank.recent.empty();
    });
}

double CollectiveReport::link_share(const CollectiveRow& row) const {
    return link.bytes_per_s > 0 ? row.bus_bandwidth / link.bytes_per_s : 0;
}

std::vector<CollectiveRow> merge_alike(const CollectiveReport& report) {
    std::map<std::tuple<int, std::string, std::string, std::size_t, int>, CollectiveRow> merged;
    for (const CollectiveRow& row : report.rows) {
        const ReportCommunicator& communicator = report.communicators.at(row.communicator);
        const auto key = std::tuple(-communicator.ranks, communicator.axis, communicator.name, row.function,
                                    row.size_class);
        const auto [at, fresh] = merged.try_emplace(key, row);
        if (!fresh) {
            merge(at->second, row);
        }
    }
    std::vector<CollectiveRow> rows;
    rows.reserve(merged.size());
    for (auto& [key, row] : merged) {
        rows.push_back(std::move(row));
    }
    return rows;
}

void name_axes(const std::vector<ReportCommunicator*>& communicators,
               const std::vector<GroupTraffic>& traffic, int world_size) {
    std::vector<ObservedGroup> groups;
    for (std::size_t i = 0; i < communicators.size(); ++i) {
        const ReportCommunicator& one = *communicators[i];
        const bool all = one.members.size() == static_cast<std::size_t>(one.ranks);
        groups.push_back({.name = one.name,
                          .description = {},
                          .ranks = all ? one.members : std::vector<int>(),
                          .traffic = traffic[i]});
    }
    const Mesh mesh = infer_mesh(groups, world_size);
    for (std::size_t i = 0; i < communicators.size(); ++i) {
        communicators[i]->axis = mesh.places[i].axis;
        communicators[i]->number = mesh.places[i].number;
    }
}

void rename_ranks(CollectiveReport& report, const std::map<int, int>& names) {
    const auto rename = [&](int& rank) {
        const auto name = names.find(rank);
        rank = name == names.end() ? rank : name->second;
    };
    for (CollectiveRow& row : report.rows) {
        rename(row.slowest_rank);
        rename(row.last_rank);
    }
    for (ReportRank& rank : report.ranks) {
        rename(rank.rank);
    }
    for (ReportCommunicator& communicator : report.communicators) {
        std::for_each(communicator.members.begin(), communicator.members.end(), rename);
        std::sort(communicator.members.begin(), communicator.members.end());
    }
    std::sort(report.ranks.begin(), report.ranks.end(),
              [](const ReportRank& left, const ReportRank& right) { return left.rank < right.rank; });
}

}  // namespace rankscope
