// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/launch/run_launcher.h>
#include <remote/desk/launch/slurm/slurm_launcher.h>
#include <remote/desk/launch/ssh/ssh_launcher.h>
#include <remote/desk/plan/variable_notes.h>

#include <algorithm>
#include <iterator>
#include <vector>

namespace rankscope {
namespace {

/// Every launcher; the first is the default.
const std::vector<LauncherKind>& kinds() {
    static const std::vector<LauncherKind> all{ssh_launcher(), slurm_launcher()};
    return all;
}

}  // namespace

const std::vector<JobLauncher>& job_launchers() {
    static const std::vector<JobLauncher> launchers = [] {
        std::vector<JobLauncher> all;
        std::transform(kinds().begin(), kinds().end(), std::back_inserter(all),
                       [](const LauncherKind& kind) { return kind.job; });
        return all;
    }();
    return launchers;
}

const LauncherKind& launcher_kind(const Job& job) {
    return *launcher_kind(std::string(launcher_of(job).name));
}

const LauncherKind* launcher_kind(const std::string& name) {
    for (const auto& kind : kinds()) {
        if (name == kind.job.name) {
            return &kind;
        }
    }
    return nullptr;
}

Result<LaunchPlan> make_plan(const Inventory& inventory, const Job& job, const KnownFacts& facts) {
    auto plan = launcher_kind(job).plan(inventory, job, facts);
    if (plan) {
        const auto notes = variable_notes(job, logs::VariableTable::own());
        plan->notes.insert(plan->notes.end(), notes.begin(), notes.end());
    }
    return plan;
}

}  // namespace rankscope
