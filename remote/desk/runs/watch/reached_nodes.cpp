// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/nodes/transport/transport.h>
#include <remote/desk/runs/watch/reached_nodes.h>
#include <remote/desk/shared/text.h>

#include <poll.h>

#include <algorithm>
#include <thread>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "RunExamination";

}  // namespace

ReachedNodes::ReachedNodes(const LaunchPlan& plan, const Inventory& inventory,
                           std::optional<ThroughNode> through, std::stop_token stop)
    : through_(std::move(through)), stop_(std::move(stop)), on_stop_(stop_, [this] { wake_.wake(); }) {
    for (const auto& planned : plan.nodes) {
        const NodeSpec* spec = inventory.find(planned.node);
        NodeSpec unknown;
        unknown.name = planned.node;
        ReachedNode node{spec != nullptr                  ? *spec
                         : planned.node == kLocalNodeName ? local_node()
                                                          : unknown,
                         {},
                         {}};
        if (through_) {
            node.spec = unknown;
        } else if (spec == nullptr && planned.node != kLocalNodeName) {
            node.failure =
                Failure{"unknown-node", planned.node, text(kContext, "The node is not in the inventory."),
                        text(kContext, "Add it with `rankscopectl nodes add`."), ""};
        }
        nodes_.push_back(std::move(node));
    }
}

Result<void> ReachedNodes::connect_through(const Prompter& prompter) {
    auto connection = connect_node(through_->node, prompter, wake_, stop_, {});
    if (!connection) {
        return connection.failure();
    }
    shared_ = std::move(*connection);
    for (auto& node : nodes_) {
        node.ask = [this, name = node.spec.name](wire::Request request, double timeout_s) {
            return ask_through(name, std::move(request), timeout_s);
        };
    }
    return {};
}

// Many wait for their answers at the same time; each takes what has arrived for the others, too.
Result<wire::Reply> ReachedNodes::ask_through(const std::string& node, wire::Request request,
                                              double timeout_s) {
    constexpr int kTurnMs = 20;
    const double deadline = monotonic_s() + timeout_s + through_->delay_s;
    std::optional<std::uint64_t> id;
    while (!stop_.stop_requested()) {
        const std::lock_guard lock(link_mutex_);
        AgentLink& link = *shared_.link;
        if (!id) {
            id = link.send(through_->wrap(node, std::move(request)));
        }
        static_cast<void>(link.next(kTurnMs));
        if (auto reply = link.poll(*id)) {
            return std::move(*reply);
        }
        if (!link.alive()) {
            return link.lost();
        }
        if (monotonic_s() > deadline) {
            link.ignore(*id);
            return Failure{"agent-silent", node, text(kContext, "The node did not answer in time."),
                           text(kContext, "Try again; is the node overloaded?"), ""};
        }
    }
    return cancelled(node);
}

Result<void> ReachedNodes::connect(const Prompter& prompter) {
    if (through_) {
        return connect_through(prompter);
    }
    for_all([&](ReachedNode& node) {
        auto connection = connect_node(node.spec, prompter, wake_, stop_, {});
        if (connection) {
            node.connection = std::move(*connection);
            node.ask = [link = node.connection.link.get()](wire::Request request, double timeout_s) {
                return link->call(std::move(request), timeout_s);
            };
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

}  // namespace rankscope::inline runs
