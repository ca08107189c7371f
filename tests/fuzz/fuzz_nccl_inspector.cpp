// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Files of NCCL Inspector, and what is counted from them.

#include "target.h"

#include <remote/observe/nccl_activity/collective_stats.h>
#include <remote/observe/nccl_inspector/inspector_lines.h>

#include <cmath>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    CollectiveStats stats;
    std::string_view rest = fuzz::as_text(data, size);
    std::uint64_t lines = 0;
    while (!rest.empty()) {
        const auto end = std::min(rest.find('\n'), rest.size() - 1);
        if (const auto line = read_inspector_line(rest.substr(0, end + 1))) {
            stats.take(line->communicator.rank, line->communicator, line->operation);
            ++lines;
        }
        rest.remove_prefix(end + 1);
    }
    const CollectiveReport report = stats.report();
    std::uint64_t operations = 0;
    for (const CollectiveRow& row : report.rows) {
        operations += row.operations;
        fuzz::require(std::isfinite(row.bus_bandwidth) && row.bus_bandwidth >= 0, "a bandwidth is a number");
        fuzz::require(row.wait_share >= 0 && row.wait_share <= 1, "a share is a share");
        fuzz::require(
            row.communicator < report.communicators.size() && row.function < report.functions.size(),
            "indexes are of the report");
    }
    fuzz::require(operations <= lines, "nothing is counted twice");
    fuzz::require(merge_alike(report).size() <= report.rows.size(), "merging makes no rows");
    return 0;
}
