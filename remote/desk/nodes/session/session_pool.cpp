// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/desk/nodes/session/session_pool.h>

#include <algorithm>
#include <utility>

namespace rankscope::inline nodes {
namespace {

constexpr double kKeptS = 600;

}  // namespace

// Under the lock; closing a connection takes a while, so the caller drops them after it.
std::list<SessionPool::Kept> SessionPool::take_expired() {
    std::list<Kept> expired;
    for (auto it = kept_.begin(); it != kept_.end();) {
        const auto next = std::next(it);
        if (it->until < monotonic_s()) {
            expired.splice(expired.end(), kept_, it);
        }
        it = next;
    }
    return expired;
}

void SessionPool::put(const NodeSpec& node, std::unique_ptr<AgentLink> link) {
    link->rebind(never_, {});
    std::list<Kept> expired;
    const std::lock_guard lock(mutex_);
    expired = take_expired();
    for (auto it = kept_.begin(); it != kept_.end();) {
        const auto next = std::next(it);
        if (it->node.name == node.name) {
            expired.splice(expired.end(), kept_, it);
        }
        it = next;
    }
    kept_.push_back({node, std::move(link), monotonic_s() + kKeptS});
}

std::unique_ptr<AgentLink> SessionPool::take(const NodeSpec& node) {
    std::list<Kept> expired;
    const std::lock_guard lock(mutex_);
    expired = take_expired();
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const Kept& kept) { return kept.node == node; });
    if (found == kept_.end()) {
        return nullptr;
    }
    auto link = std::move(found->link);
    kept_.erase(found);
    return link;
}

void SessionPool::clear() {
    std::list<Kept> all;
    const std::lock_guard lock(mutex_);
    all.swap(kept_);
}

}  // namespace rankscope::inline nodes
