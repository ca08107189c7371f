// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/launch/connected_nodes.h>

#include <utility>

namespace rankscope::inline runs {

std::vector<ConnectedNode> connected_nodes(const std::vector<NodeSpec>& nodes, const KnownFacts& facts,
                                           const AskAgent& ask, const std::stop_token& stop) {
    std::vector<ConnectedNode> connected;
    for (const auto& node : nodes) {
        const auto known = facts.find(node.name);
        if (known == facts.end()) {
            continue;
        }
        connected.push_back(
            {node, known->second, [ask, stop, name = node.name](wire::Request request, double timeout_s) {
                 return ask_and_wait(ask, name, std::move(request), timeout_s, stop);
             }});
    }
    return connected;
}

}  // namespace rankscope::inline runs
