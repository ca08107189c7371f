// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/plan/variable_notes.h>
#include <remote/desk/runs/launch/run_launcher.h>
#include <remote/desk/runs/launch/slurm/slurm_launcher.h>
#include <remote/desk/runs/launch/ssh/ssh_launcher.h>
#include <remote/desk/runs/watch/group_words.h>

#include <vector>

namespace rankscope::inline runs {
namespace {

/// How each of job_launchers() starts a run, in the same order.
const std::vector<LauncherKind>& kinds() {
    static const std::vector<LauncherKind> all{ssh_launcher(), slurm_launcher()};
    return all;
}

}  // namespace

const LauncherKind& launcher_kind(const Job& job) {
    return *launcher_kind(std::string(launcher_of(job).name));
}

const LauncherKind* launcher_kind(const std::string& name) {
    for (const auto& kind : kinds()) {
        if (name == kind.name) {
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
        if (const auto crossing = tensor_across_nodes(mesh_of(*plan), *plan)) {
            plan->notes.push_back(crossing->title + ' ' + crossing->fix.front());
        }
    }
    return plan;
}

}  // namespace rankscope::inline runs
