// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/complete_checks.h>
#include <remote/desk/shared/text.h>
#include <remote/diagnosis/failure_catalogue.h>

#include <algorithm>
#include <string>

namespace rankscope::inline runs {
namespace {

// Of the catalogue, where it needs no argument beyond the node.
std::string remedy_of(const Check& check) {
    const CatalogueEntry* entry = catalogue_entry(check.id);
    if (entry == nullptr) {
        return {};
    }
    CatalogueArguments arguments;
    arguments.node = check.nodes.empty() ? std::string() : check.nodes.front();
    const std::string remedy = text("FailureCatalogue", entry->remedy);
    const bool needs_argument = remedy.find("{1}") != std::string::npos ||
                                remedy.find("{detail}") != std::string::npos ||
                                (arguments.node.empty() && remedy.find("{node}") != std::string::npos);
    return needs_argument ? std::string() : fill_places(remedy, arguments);
}

}  // namespace

void complete_checks(std::vector<Check>& checks) {
    sort_checks(checks);
    for (auto& check : checks) {
        if (check.status == CheckStatus::Pass) {
            continue;
        }
        // A change of the job needs no rights. Of a path, the command removes the cause for every job, and comes first.
        if (check.pairs.empty()) {
            std::stable_partition(check.fixes.begin(), check.fixes.end(),
                                  [](const Fix& fix) { return fix.command.empty(); });
        }
        std::erase(check.evidence, check.detail);
        if (check.fixes.empty() && check.remedy.empty() && check.status != CheckStatus::Skip) {
            check.remedy = remedy_of(check);
        }
    }
}

}  // namespace rankscope::inline runs
