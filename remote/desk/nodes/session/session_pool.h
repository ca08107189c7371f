// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/session/agent_link.h>

#include <list>
#include <memory>
#include <mutex>

namespace rankscope::inline nodes {

/// Unused connections, kept for the next task that needs the same node: a second probe or a run
/// then starts without logging in again. Any thread.
class SessionPool {
public:
    SessionPool() = default;
    SessionPool(const SessionPool&) = delete;
    SessionPool& operator=(const SessionPool&) = delete;

    /// Replaces what was kept for this node. Kept for ten minutes.
    void put(const NodeSpec& node, std::unique_ptr<AgentLink> link);
    /// The kept one, if the inventory still says the same about the node; it may be dead, so try it. Null:
    /// none.
    std::unique_ptr<AgentLink> take(const NodeSpec& node);
    void clear();

private:
    struct Kept {
        NodeSpec node;
        std::unique_ptr<AgentLink> link;
        double until = 0;
    };
    std::list<Kept> take_expired();

    WakeFd never_;  ///< a kept link must not refer to the one of a thread that is gone
    std::mutex mutex_;
    std::list<Kept> kept_;
};

}  // namespace rankscope::inline nodes
