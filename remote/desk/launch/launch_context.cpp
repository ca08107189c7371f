// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/launch/desk_stage.h>
#include <remote/desk/launch/launch_context.h>
#include <remote/desk/text.h>

#include <utility>

namespace rankscope {

void LaunchContext::post(Event event) const {
    std::vector<Event> one;
    one.push_back(std::move(event));
    reports.post(std::move(one));
}

void LaunchContext::stage(StageName name, StageStatus status, const std::string& detail,
                          double progress) const {
    post(desk_stage(name, status, detail, progress));
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

}  // namespace rankscope
