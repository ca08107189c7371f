// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/fleet/run_adoption.h>
#include <gui/session/node_use.h>
#include <remote/desk/runs/run/adopt_run.h>

#include <algorithm>
#include <utility>

namespace rankscope::gui {

Result<void> adopt_parts(RunStore& store, const Prompter& prompter, const std::vector<RunPart>& parts,
                         const JobHandle& handle, const std::function<void(std::uint64_t)>& progress) {
    WakeFd wake;
    const std::stop_callback on_stop(handle.stop(), [&wake] { wake.wake(); });
    std::vector<NodeConnection> connections;
    std::vector<AdoptedNode> nodes;
    connections.reserve(parts.size());
    for (const RunPart& part : parts) {
        auto connection = connect_node(part.node, prompter, wake, handle.stop(), {}, nullptr);
        if (!connection) {
            return connection.failure();
        }
        connections.push_back(std::move(*connection));
        nodes.push_back({part.node.name, part.run, &connections.back()});
    }
    return adopt_run(store, nodes, progress, handle.stop());
}

Result<std::vector<RunPart>> find_parts(const std::string& run_id, const NodeSpec& node,
                                        const std::vector<NodeSpec>& others, const Prompter& prompter,
                                        const JobHandle& handle) {
    const auto ask = [&](const NodeSpec& asked) {
        return with_node(asked, prompter, nullptr, handle,
                         [&](AgentLink& link) { return run_on_node(link, asked.name, run_id); });
    };
    const auto own = ask(node);
    if (!own) {
        return own.failure();
    }
    std::vector<RunPart> parts{{node, *own}};
    for (const NodeSpec& other : others) {
        const auto& names = own->nodes;
        if (other.name == node.name || std::find(names.begin(), names.end(), other.name) == names.end()) {
            continue;
        }
        if (const auto part = ask(other)) {
            parts.push_back({other, *part});
        }
    }
    return parts;
}

}  // namespace rankscope::gui
