// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>
#include <remote/ctl/collectives_text.h>
#include <remote/ctl/table.h>
#include <remote/ctl/terminal_text.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace rankscope::ctl {
namespace {

using Json = nlohmann::ordered_json;

std::string rank_text(int rank) {
    return rank < 0 ? "-" : std::to_string(rank);
}

}  // namespace

std::string collective_hash(CommunicatorHash id) {
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(id.value));
    return text;
}

Json collective_json(const CollectiveReport& report, const CollectiveRow& row) {
    const ReportCommunicator& communicator = report.communicators[row.communicator];
    return {{"communicator", collective_hash(communicator.id)},
            {"name", communicator.name},
            {"axis", communicator.axis.empty() ? Json(nullptr) : Json(communicator.axis)},
            {"group", communicator.axis.empty() ? Json(nullptr) : Json(communicator.number)},
            {"communicators", row.communicators},
            {"ranks", row.ranks},
            {"ranks_seen", row.ranks_seen},
            {"function", report.functions[row.function]},
            {"bytes", row.bytes},
            {"operations", row.operations},
            {"mean_s", row.mean_s},
            {"shortest_s", row.shortest_s},
            {"longest_s", row.longest_s},
            {"spread_s", row.spread_s},
            {"transfer_s", row.transfer_s},
            {"algorithm_bandwidth", row.algorithm_bandwidth},
            {"bus_bandwidth", row.bus_bandwidth},
            {"link_share", report.link.bytes_per_s > 0 ? Json(report.link_share(row)) : Json(nullptr)},
            {"slowest_rank", row.slowest_rank},
            {"last_rank", row.last_rank},
            {"last_share", row.last_share},
            {"compared", row.matched},
            {"wait_share", row.wait_share},
            {"network_share", row.network_share},
            {"gpu_times", row.gpu_times},
            {"algorithm", row.algorithm},
            {"protocol", row.protocol}};
}

void print_collectives(const CollectiveReport& report, std::size_t most) {
    const bool axes = std::any_of(report.communicators.begin(), report.communicators.end(),
                                  [](const auto& one) { return !one.axis.empty() && one.axis != "world"; });
    std::vector<std::vector<std::string>> table{{"FUNCTION", "RANKS", "BYTES", "COUNT", "MEAN us", "MIN us",
                                                 "MAX us", "ALGBW GB/s", "BUSBW GB/s", "OF LINK", "SLOWEST",
                                                 "LAST", "WAITS"}};
    for (const auto& row : merge_alike(report)) {
        if (table.size() > most) {
            break;
        }
        const std::string groups = row.communicators > 1 ? std::to_string(row.communicators) + "x" : "";
        table.push_back(
            {safe_text(report.functions[row.function]), groups + std::to_string(row.ranks),
             fixed_text(row.bytes, 0), std::to_string(row.operations), fixed_text(row.mean_s * 1e6, 1),
             fixed_text(row.shortest_s * 1e6, 1), fixed_text(row.longest_s * 1e6, 1),
             fixed_text(row.algorithm_bandwidth * 1e-9, 2), fixed_text(row.bus_bandwidth * 1e-9, 2),
             report.link.bytes_per_s > 0 ? fixed_text(report.link_share(row) * 100, 0) + " %" : "unknown",
             rank_text(row.slowest_rank), rank_text(row.last_rank),
             fixed_text(row.wait_share * 100, 0) + " %"});
        if (axes) {
            const std::string& axis = report.communicators[row.communicator].axis;
            table.back().insert(table.back().begin() + 1, axis.empty() ? "-" : safe_text(axis));
        }
    }
    if (axes) {
        table[0].insert(table[0].begin() + 1, "AXIS");
    }
    if (table.size() > 1) {
        std::fputs(format_table(table).c_str(), stdout);
    }
}

}  // namespace rankscope::ctl
