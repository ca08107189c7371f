// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/store/run_store.h>
#include <remote/desk/runs/watch/examination_report.h>
#include <remote/desk/shared/text.h>
#include <remote/logs/fold/rank_set.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "DoctorCommand";

PreflightReport report_without_paths(const LaunchPlan& plan) {
    PreflightReport report;
    for (const auto& node : plan.nodes) {
        report.nodes.push_back(node.node);
        report.choices.push_back({node.node, node.interface_name, node.address, {}});
    }
    report.plan = plan;
    return report;
}

}  // namespace

Job job_of_nodes(const std::vector<std::string>& nodes) {
    Job job;
    job.name = "doctor";
    job.all_nodes = nodes.size() == 1 && nodes.front() == "all";
    job.nodes = job.all_nodes ? std::vector<std::string>() : nodes;
    job.command = {"true"};
    job.preflight = StartPreflight::Always;
    return job;
}

std::vector<Verdict> stored_verdicts(const RunStore& store, const std::string& run_id) {
    std::vector<Verdict> verdicts;
    static_cast<void>(store.replay(
        run_id,
        [&](const Event& event) {
            if (const auto* verdict = event.as<DiagnosisEvent>()) {
                std::erase_if(verdicts, [&](const Verdict& other) {
                    return other.phase == VerdictPhase::Live && other.id == verdict->id &&
                           other.node == verdict->node && other.rank == verdict->rank;
                });
                if (verdict->phase != VerdictPhase::Over) {
                    verdicts.push_back(*verdict);
                }
            }
            return true;
        },
        Replay::Verdicts));
    const bool ended = std::any_of(verdicts.begin(), verdicts.end(),
                                   [](const Verdict& verdict) { return verdict.phase == VerdictPhase::End; });
    if (ended) {
        std::erase_if(verdicts, [](const Verdict& verdict) { return verdict.phase != VerdictPhase::End; });
    }
    return verdicts;
}

Check check_of(const Verdict& verdict) {
    Check check;
    check.id = verdict.id;
    check.status = CheckStatus::Fail;
    if (!verdict.node.empty()) {
        check.nodes.push_back(verdict.node);
    }
    for (const auto& node : verdict.nodes) {
        if (node != verdict.node) {
            check.nodes.push_back(node);
        }
    }
    check.pairs = verdict.pairs;
    check.detail = verdict.title;
    for (const auto& evidence : verdict.evidence) {
        check.evidence.push_back(evidence.text);
    }
    check.fixes = verdict.fixes;
    if (check.fixes.empty()) {
        for (const auto& line : verdict.fix) {
            check.remedy += (check.remedy.empty() ? "" : "\n") + line;
        }
    }
    return check;
}

PreflightReport report_of(const RunExamination& found, const LaunchPlan& plan) {
    PreflightReport report = found.paths ? *found.paths : report_without_paths(plan);
    report.plan = plan;
    std::vector<Check> checks;
    if (found.verdict) {
        checks.push_back(check_of(*found.verdict));
    }
    for (const auto& [node, failure] : found.unreachable) {
        checks.push_back(check_of(failure, node));
    }
    if (checks.empty()) {
        Check fine;
        fine.id = "rank-hang";
        if (found.unseen.empty()) {
            fine.detail = text(kContext, "Nothing holds the ranks.");
        } else {
            fine.status = CheckStatus::Warn;
            fine.detail =
                text(kContext, "No cause is seen. Ranks that were not inspected: %1.",
                     {logs::ranks_text(std::vector<int>(found.unseen.begin(), found.unseen.end()))});
        }
        report.checks.push_back(std::move(fine));
    }
    report.checks.insert(report.checks.begin(), checks.begin(), checks.end());
    sort_checks(report.checks);
    return report;
}

PreflightReport report_of(const std::vector<Verdict>& verdicts, const KeptReport* kept,
                          const LaunchPlan& plan) {
    PreflightReport report = kept != nullptr ? kept->report : report_without_paths(plan);
    std::vector<Check> news;
    for (const auto& verdict : verdicts) {
        const bool known = std::any_of(report.checks.begin(), report.checks.end(), [&](const Check& check) {
            return check.id == verdict.id && check.status == CheckStatus::Fail &&
                   (check.detail == verdict.title || verdict.title.ends_with(' ' + check.detail));
        });
        if (!known) {
            news.push_back(check_of(verdict));
        }
    }
    report.checks.insert(report.checks.begin(), news.begin(), news.end());
    sort_checks(report.checks);
    return report;
}

}  // namespace rankscope::inline runs
