// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <base/wake_fd.h>
#include <remote/desk/nodes/deploy/artifacts.h>
#include <remote/desk/nodes/transport/transport.h>
#include <remote/wire/frame_codec.h>
#include <remote/wire/frames.pb.h>

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

namespace rankscope::inline nodes {

/// A conversation with the agent on one node, over one channel of its transport. Used by one thread.
class AgentLink {
public:
    using Progress =
        std::function<void(const std::string& text, double share)>;  ///< share: 0…1, negative: unknown

    /// Starts the agent there, pushing it first where it is missing. `wake` becoming readable while `stop` is
    /// requested ends any waiting with "cancelled".
    static Result<std::unique_ptr<AgentLink>> open(const NodeSpec& node, std::unique_ptr<Transport> transport,
                                                   const WakeFd& wake, std::stop_token stop,
                                                   const Progress& progress);

    /// Sends without waiting; returns the request's id.
    std::uint64_t send(wire::Request request);
    /// Waits for the reply of one request. A Failure reply of the agent becomes a Failure value.
    Result<wire::Reply> receive(std::uint64_t id, double timeout_s = 60);
    Result<wire::Reply> call(wire::Request request, double timeout_s = 60);
    /// The next unasked reply (events). Nothing: none within the time, or woken, or the link is lost
    /// (alive()).
    std::optional<wire::Reply> next(int timeout_ms);
    /// Drops the reply of a request that is not awaited in receive(). true: it had arrived.
    bool take_reply(std::uint64_t id) { return replies_.erase(id) > 0; }
    /// The reply of one request where it has arrived; never waits. A Failure reply becomes a Failure value.
    std::optional<Result<wire::Reply>> poll(std::uint64_t id);
    /// The reply of this request is dropped when it arrives.
    void ignore(std::uint64_t id) { ignored_.insert(id); }
    bool alive() const { return alive_; }
    /// For another thread that takes over: what wakes its waiting from now on.
    void rebind(const WakeFd& wake, std::stop_token stop) {
        wake_ = &wake;
        stop_ = std::move(stop);
    }
    const ConnectionInfo& info() const { return transport_->info(); }
    /// Seconds from the command to the agent's (or its absence's) first word: the login shell's start.
    double shell_s() const { return shell_s_; }
    /// Why the link was lost, as far as it is known.
    Failure lost() const;

private:
    AgentLink(NodeSpec node, std::unique_ptr<Transport> transport, const WakeFd& wake, std::stop_token stop);
    Result<void> start(const Progress& progress);
    Result<AgentBinary> agent_for(const std::string& system) const;
    Result<void> push_agent(const AgentBinary& agent, const Progress& progress);
    /// How a start on the node went: the agent greets, or it may be pushed, to a node of this system (uname -sm).
    struct Attempt {
        bool greeted = false;
        std::string system{};
    };
    Result<Attempt> try_start(const AgentBinary& agent, const Progress& progress);
    void note_shell_time(double begin);
    /// One round: writes, reads, sorts replies. Waits up to timeout_ms when there is nothing to do.
    void pump(int timeout_ms);
    void take_replies();
    bool too_many_replies() const;

    NodeSpec node_;
    std::unique_ptr<Transport> transport_;
    std::unique_ptr<Channel> channel_;
    const WakeFd* wake_;
    std::stop_token stop_;
    FrameReader frames_;
    std::string unsent_;
    std::string errors_;
    std::map<std::uint64_t, wire::Reply> replies_;
    std::set<std::uint64_t> ignored_;
    std::deque<wire::Reply> unasked_;
    std::size_t unasked_bytes_ = 0;
    std::uint64_t next_id_ = 1;
    bool foreign_ = false;  ///< the stream is no agent's
    bool alive_ = false;
    double shell_s_ = 0;
};

}  // namespace rankscope::inline nodes
