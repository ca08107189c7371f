// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/watch/reached_nodes.h>

#include <poll.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace rankscope {

ReachedNodes::ReachedNodes(const LaunchPlan& plan, const Inventory& inventory, std::stop_token stop)
    : stop_(std::move(stop)), on_stop_(stop_, [this] { wake_.wake(); }) {
    for (const auto& planned : plan.nodes) {
        const NodeSpec* spec = inventory.find(planned.node);
        nodes_.push_back({spec != nullptr ? *spec : local_node(), {}, {}});
    }
}

Result<void> ReachedNodes::connect(const Prompter& prompter) {
    for_all([&](ReachedNode& node) {
        auto connection = connect_node(node.spec, prompter, wake_, stop_, {});
        if (connection) {
            node.connection = std::move(*connection);
        } else {
            node.failure = connection.failure();
        }
    });
    const bool none = std::all_of(nodes_.begin(), nodes_.end(),
                                  [](const ReachedNode& node) { return node.failure.has_value(); });
    return none && !nodes_.empty() ? Result<void>(*nodes_.front().failure) : Result<void>();
}

void ReachedNodes::for_all(const std::function<void(ReachedNode&)>& action) {
    std::vector<std::jthread> threads;
    for (auto& node : nodes_) {
        if (!node.failure) {
            threads.emplace_back([&action, &node] { action(node); });
        }
    }
}

void ReachedNodes::wait(int ms) const {
    pollfd woken{wake_.fd(), POLLIN, 0};
    ::poll(&woken, 1, ms);
}

std::map<std::string, Failure> ReachedNodes::unreachable() const {
    std::map<std::string, Failure> failures;
    for (const auto& node : nodes_) {
        if (node.failure) {
            failures.emplace(node.spec.name, *node.failure);
        }
    }
    return failures;
}

}  // namespace rankscope
