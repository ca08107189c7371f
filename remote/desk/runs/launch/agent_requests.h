// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/session/agent_link.h>
#include <remote/desk/runs/launch/run_launcher.h>

#include <mutex>
#include <vector>

namespace rankscope::inline runs {

/// Requests of other threads to the agent of one node, over the link that a run already has. The callbacks are
/// called without a lock held: on the thread of serve() and close(), or, while it is closed, of add().
class AgentRequests {
public:
    explicit AgentRequests(std::string node);
    AgentRequests(const AgentRequests&) = delete;
    AgentRequests& operator=(const AgentRequests&) = delete;
    /// Fails what is left.
    ~AgentRequests();

    /// There is a link, which serve() will get.
    void open();
    /// There is none: what waits fails, and so does what is added until open().
    void close(const Failure& failure);
    /// Any thread.
    void add(wire::Request request, double timeout_s, RunLauncher::OnReply on_reply);
    /// The thread of the link, whenever something may have arrived: sends what waits, delivers the replies, and
    /// fails what is late.
    void serve(AgentLink& link);

private:
    struct Entry {
        wire::Request request;
        double timeout_s = 0;
        double deadline_s = 0;
        std::uint64_t id = 0;  ///< 0: not sent yet
        RunLauncher::OnReply on_reply;
    };

    std::string node_;
    std::mutex mutex_;
    std::vector<Entry> entries_;
    bool open_ = false;
    Failure closed_by_;
};

}  // namespace rankscope::inline runs
