// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/leftovers.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline nodes {
namespace {

constexpr double kLookWithin = 60;
constexpr double kCleanWithin = 300;
constexpr double kEndWithin = 30;

Leftover from_wire(const wire::Leftover& entry) {
    return {entry.kind(),
            entry.what(),
            entry.pid(),
            entry.user(),
            entry.since_us(),
            entry.bytes(),
            static_cast<int>(entry.port()),
            entry.run_id(),
            entry.own(),
            entry.live(),
            entry.run_name(),
            entry.desk(),
            entry.elsewhere(),
            entry.start_ticks()};
}

}  // namespace

std::vector<LeftoverGroup> by_run(std::vector<Leftover> entries) {
    std::vector<LeftoverGroup> groups;
    for (Leftover& entry : entries) {
        auto group = std::find_if(groups.begin(), groups.end(),
                                  [&](const LeftoverGroup& one) { return one.run_id == entry.run_id; });
        if (group == groups.end()) {
            group = groups.insert(group, {entry.run_id, false, {}});
        }
        group->live = group->live || (entry.live && !entry.run_id.empty());
        group->entries.push_back(std::move(entry));
    }
    const auto place = [](const LeftoverGroup& group) {
        return group.live ? 0 : group.run_id.empty() ? 2 : 1;
    };
    std::stable_sort(groups.begin(), groups.end(),
                     [&](const LeftoverGroup& a, const LeftoverGroup& b) { return place(a) < place(b); });
    return groups;
}

FreedBy freed_by(const Leftover& entry) {
    if (!entry.own) {
        return FreedBy::OtherUser;
    }
    if (entry.live) {
        return FreedBy::StopRun;
    }
    if (entry.kind == "other-shared-memory") {
        return FreedBy::RemoveFile;
    }
    return !entry.run_id.empty() || entry.kind == "shared-memory" ? FreedBy::Clean : FreedBy::EndProcess;
}

Result<std::vector<Leftover>> find_leftovers(AgentLink& link, int port) {
    wire::Request request;
    request.mutable_leftovers()->set_port(static_cast<std::uint32_t>(port));
    auto reply = link.call(std::move(request), kLookWithin);
    if (!reply) {
        return reply.failure();
    }
    std::vector<Leftover> all;
    for (const auto& entry : reply->leftovers().entries()) {
        all.push_back(from_wire(entry));
    }
    return all;
}

Result<Cleaned> clean_leftovers(AgentLink& link, const CleanRequest& what) {
    wire::Request request;
    request.mutable_clean()->set_run_id(what.run_id);
    request.mutable_clean()->set_all_runs(what.run_id.empty());
    request.mutable_clean()->set_caches(what.caches);
    request.mutable_clean()->set_dry_run(what.dry_run);
    auto reply = link.call(std::move(request), kCleanWithin);
    if (!reply) {
        return reply.failure();
    }
    const auto& done = reply->cleaned();
    return Cleaned{{done.removed().begin(), done.removed().end()},
                   {done.kept().begin(), done.kept().end()},
                   done.bytes()};
}

Result<ProcessEnd> end_process(AgentLink& link, const Leftover& entry) {
    wire::Request request;
    request.mutable_end_process()->set_pid(entry.pid);
    request.mutable_end_process()->set_start_ticks(entry.start_ticks);
    auto reply = link.call(std::move(request), kEndWithin);
    if (!reply) {
        return reply.failure();
    }
    const auto& ended = reply->process_ended();
    return ended.killed()        ? ProcessEnd::Killed
           : ended.was_running() ? ProcessEnd::Terminated
                                 : ProcessEnd::Before;
}

}  // namespace rankscope::inline nodes
