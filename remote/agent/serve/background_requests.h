// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/event_loop.h>
#include <remote/wire/frames.pb.h>

#include <functional>
#include <list>
#include <stop_token>
#include <thread>

namespace rankscope::agent {

/// Requests that wait (for other nodes, for programs, for a file server), each in a thread of its own, so that
/// the events of attached runs continue to flow. At most kMostBackgroundRequests at a time.
class BackgroundRequests {
public:
    using Work = std::function<void(std::stop_token, wire::Reply&)>;
    using Send = std::function<void(const wire::Reply&)>;

    /// `send` is called in the loop's thread.
    BackgroundRequests(EventLoop& loop, Send send) : loop_(loop), send_(std::move(send)) {}
    BackgroundRequests(const BackgroundRequests&) = delete;
    BackgroundRequests& operator=(const BackgroundRequests&) = delete;
    /// Asks all to stop and waits: each looks at its token at least every tenth of a second.
    ~BackgroundRequests();

    /// Starts the work; its reply gets this id. An exception becomes a failure of the reply. Too many at a time:
    /// a failure at once.
    void start(std::uint64_t id, Work work);

private:
    EventLoop& loop_;
    Send send_;
    std::list<std::jthread> threads_;
};

inline constexpr std::size_t kMostBackgroundRequests = 16;

}  // namespace rankscope::agent
