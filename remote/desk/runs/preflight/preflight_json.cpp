// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/preflight/preflight_json.h>

#include <nlohmann/json.hpp>

namespace rankscope::inline runs {

nlohmann::ordered_json to_json(const PreflightReport& report) {
    using Json = nlohmann::ordered_json;
    Json checks = Json::array();
    for (const auto& check : report.checks) {
        Json pairs = Json::array();
        for (const auto& pair : check.pairs) {
            pairs.push_back({{"from", pair.from}, {"to", pair.to}});
        }
        Json fixes = Json::array();
        for (const auto& fix : check.fixes) {
            Json entry{
                {"node", fix.node}, {"command", fix.command}, {"undo", fix.undo}, {"root", fix.needs_root}};
            if (!fix.job.empty()) {
                entry["job"] = fix.job;
            }
            fixes.push_back(std::move(entry));
        }
        checks.push_back({{"id", check.id.str()},
                          {"status", to_string(check.status)},
                          {"nodes", check.nodes},
                          {"detail", check.detail},
                          {"fix", check.fixes.empty() ? check.remedy : to_line(check.fixes.front())},
                          {"pairs", pairs},
                          {"evidence", check.evidence},
                          {"fixes", fixes}});
    }
    Json choices = Json::array();
    for (const auto& choice : report.choices) {
        choices.push_back({{"node", choice.node},
                           {"interface", choice.interface_name},
                           {"address", choice.address},
                           {"why", choice.why}});
    }
    return {{"checks", checks},
            {"choices", choices},
            {"master",
             {{"node", report.plan.master_node},
              {"address", report.plan.master_addr},
              {"port", report.plan.master_port}}},
            {"untested", report.untested},
            {"took_s", report.seconds}};
}

}  // namespace rankscope::inline runs
