// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a process of the user's job answers to a question to NCCL's RAS.

#include "target.h"

#include <remote/observe/nccl_ras/ras_findings.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto report = read_ras_report(fuzz::as_text(data, size));
    if (!report) {
        return 0;
    }
    const auto found = ras_findings(*report);
    for (const RasFinding& finding : found) {
        fuzz::require(finding.ranks.size() <= kMostRasRanks, "a bounded number of ranks");
        for (std::size_t i = 1; i < finding.ranks.size(); ++i) {
            fuzz::require(finding.ranks[i - 1].rank <= finding.ranks[i].rank, "ranks are in order");
        }
    }
    const auto again = ras_findings(*report, found);
    fuzz::require(again.size() == found.size(), "the same report has the same findings");
    for (const RasFinding& finding : again) {
        fuzz::require(finding.standing, "what is found twice stands");
    }
    return 0;
}
