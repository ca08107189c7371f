// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/wake_fd.h>
#include <gui/background_job.h>
#include <remote/desk/nodes/session/node_connection.h>
#include <remote/desk/nodes/session/session_pool.h>

#include <utility>

namespace rankscope::gui {

/// Connects to a node and lets `use` work there, on a job's thread: cancelling the job ends any waiting. A connection
/// that still works goes back to `sessions` (may be null).
template <typename Use>
auto with_node(const NodeSpec& node, const Prompter& prompter, SessionPool* sessions, const JobHandle& handle,
               Use use) -> decltype(use(std::declval<AgentLink&>())) {
    WakeFd wake;
    const std::stop_callback on_stop(handle.stop(), [&wake] { wake.wake(); });
    auto connection = connect_node(node, prompter, wake, handle.stop(), {}, sessions);
    if (!connection) {
        return connection.failure();
    }
    auto result = use(*connection->link);
    if (sessions != nullptr && connection->link->alive()) {
        sessions->put(node, std::move(connection->link));
    }
    return result;
}

}  // namespace rankscope::gui
