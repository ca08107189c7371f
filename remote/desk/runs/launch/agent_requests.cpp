// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/runs/launch/agent_requests.h>
#include <remote/desk/shared/text.h>

#include <optional>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "AgentRequests";

}  // namespace

AgentRequests::AgentRequests(std::string node)
    : node_(std::move(node)),
      closed_by_{"ssh-link-lost", node_, text(kContext, "The node is not connected."), "", ""} {}

AgentRequests::~AgentRequests() {
    close(cancelled(node_));
}

void AgentRequests::open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
}

void AgentRequests::close(const Failure& failure) {
    std::vector<Entry> entries;
    {
        const std::lock_guard lock(mutex_);
        open_ = false;
        closed_by_ = failure;
        entries.swap(entries_);
    }
    for (auto& entry : entries) {
        entry.on_reply(failure);
    }
}

void AgentRequests::add(wire::Request request, double timeout_s, RunLauncher::OnReply on_reply) {
    Failure failure;
    {
        const std::lock_guard lock(mutex_);
        if (open_) {
            entries_.push_back(
                {std::move(request), timeout_s, monotonic_s() + timeout_s, 0, std::move(on_reply)});
            return;
        }
        failure = closed_by_;
    }
    on_reply(failure);
}

void AgentRequests::serve(AgentLink& link) {
    std::vector<std::pair<RunLauncher::OnReply, Result<wire::Reply>>> done;
    {
        const std::lock_guard lock(mutex_);
        const double now = monotonic_s();
        std::erase_if(entries_, [&](Entry& entry) {
            if (entry.id == 0) {
                entry.id = link.send(std::move(entry.request));
                return false;
            }
            std::optional<Result<wire::Reply>> reply = link.poll(entry.id);
            if (!reply && now >= entry.deadline_s) {
                link.ignore(entry.id);
                reply = Failure{"agent-silent", node_,
                                text(kContext, "The agent did not answer within %1 s.",
                                     {std::to_string(static_cast<int>(entry.timeout_s))}),
                                text(kContext, "Check the node's load and the network."), ""};
            }
            if (reply) {
                done.emplace_back(std::move(entry.on_reply), std::move(*reply));
            }
            return reply.has_value();
        });
    }
    for (auto& [on_reply, reply] : done) {
        on_reply(std::move(reply));
    }
}

}  // namespace rankscope::inline runs
