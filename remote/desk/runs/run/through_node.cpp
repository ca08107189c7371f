// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/launch/run_launcher.h>
#include <remote/desk/runs/run/through_node.h>

#include <utility>

namespace rankscope::inline runs {

std::optional<ThroughNode> through_node(const Job& job, const Inventory& inventory,
                                        const std::string& run_id) {
    const LauncherKind& kind = launcher_kind(job);
    if (kind.ask_through == nullptr) {
        return std::nullopt;
    }
    const auto nodes = resolve_nodes(inventory, job);
    NodeSpec node;  // one that is not in the inventory cannot be connected to, and says so
    node.name = submit_node(job);
    return ThroughNode{nodes && !nodes->empty() ? nodes->front() : node,
                       [ask = kind.ask_through, run_id](const std::string& name, wire::Request request) {
                           return ask(run_id, name, std::move(request));
                       },
                       kind.abilities.look_delay_s};
}

}  // namespace rankscope::inline runs
