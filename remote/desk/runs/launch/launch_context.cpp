// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/jobs/plan/nccl_plugin.h>
#include <remote/desk/runs/launch/desk_stage.h>
#include <remote/desk/runs/launch/launch_context.h>
#include <remote/desk/runs/preflight/environment_view.h>
#include <remote/desk/shared/text.h>

#include <utility>

namespace rankscope::inline runs {

void LaunchContext::post(Event event) const {
    std::vector<Event> one;
    one.push_back(std::move(event));
    reports.post(std::move(one));
}

void LaunchContext::stage(StageName name, StageStatus status, const std::string& detail,
                          double progress) const {
    post(desk_stage(name, status, detail, progress));
}

Result<void> LaunchContext::find_parts(const LaunchPlan& first_plan) {
    environment =
        job.environment.wanted() ? std::make_unique<EnvironmentSource>(requirements_source(job)) : nullptr;
    if (!job.train && job.nccl_profiler == NcclProfiler::Off) {
        return {};
    }
    auto found = job.train ? find_worker_bundle() : find_nccl_bundle();
    if (found) {
        bundle = std::move(*found);
    } else if (job.train) {
        return found.failure();
    } else if (observes_nccl(first_plan, "")) {
        stage(StageName::Note, StageStatus::Failed, to_line(found.failure()));
    }
    return {};
}

Result<std::optional<WorkerBundle>> LaunchContext::bundle_for(const std::string& machine) const {
    if (!bundle || machine.empty() || machine == own_machine()) {
        return bundle;
    }
    auto other = job.train ? find_worker_bundle(machine) : find_nccl_bundle(machine);
    if (!other) {
        return other.failure();
    }
    return std::optional(std::move(*other));
}

bool LaunchContext::needs_bundle(const LaunchPlan& plan, const std::string& node) const {
    return bundle && (job.train || observes_nccl(plan, node));
}

const Result<UserTree>& LaunchContext::files(const std::stop_token& stop,
                                             const AgentLink::Progress& progress) {
    const std::lock_guard lock(tree_mutex_);
    if (!tree_) {
        auto report = [&progress](std::uint64_t bytes) {
            progress(
                text("LaunchContext", "reading the files of push:, %1 MB", {std::to_string(bytes / 1000000)}),
                -1);
        };
        tree_ = collect_user_tree(job.file, job.push, stop, std::move(report));
    }
    return *tree_;
}

}  // namespace rankscope::inline runs
