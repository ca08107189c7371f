// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/launch/ssh/run_meeting.h>

namespace rankscope::inline runs {

RunMeeting::RunMeeting(Inventory inventory, Job job, int nodes)
    : inventory_(std::move(inventory)), job_(std::move(job)), nodes_(nodes) {}

void RunMeeting::connected(const std::string& node, const NodeFacts& facts, int master_port) {
    const std::lock_guard lock(mutex_);
    facts_[node] = facts;
    if (master_port != 0) {
        master_port_ = master_port;
    }
    if (++arrived_[static_cast<int>(Point::Connected)] == nodes_) {
        make_plan_locked();
    }
    changed_.notify_all();
}

void RunMeeting::make_plan_locked() {
    if (master_port_ != 0) {
        job_.master_port = master_port_;
    }
    auto plan = make_node_plan(inventory_, job_, facts_);
    if (plan) {
        plan_ = std::move(*plan);
    } else if (!failure_) {
        failure_ = plan.failure();
    }
}

void RunMeeting::arrive(Point point) {
    const std::lock_guard lock(mutex_);
    ++arrived_[static_cast<int>(point)];
    changed_.notify_all();
}

void RunMeeting::pass(Point point) {
    const std::lock_guard lock(mutex_);
    arrived_[static_cast<int>(point)] = nodes_;
    changed_.notify_all();
}

bool RunMeeting::passed(Point point) const {
    const std::lock_guard lock(mutex_);
    return failure_ || arrived_[static_cast<int>(point)] >= nodes_;
}

KnownFacts RunMeeting::facts() const {
    const std::lock_guard lock(mutex_);
    return facts_;
}

void RunMeeting::use_addresses(const std::map<std::string, std::string>& addresses) {
    const std::lock_guard lock(mutex_);
    for (const auto& [node, address] : addresses) {
        for (auto& spec : inventory_.nodes) {
            if (spec.name == node) {
                spec.address = address;
            }
        }
    }
    make_plan_locked();
}

bool RunMeeting::wait_all(Point point) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return failure_ || arrived_[static_cast<int>(point)] >= nodes_; });
    return !failure_;
}

LaunchPlan RunMeeting::plan() const {
    const std::lock_guard lock(mutex_);
    return plan_.value_or(LaunchPlan());
}

int RunMeeting::arrived(Point point) const {
    const std::lock_guard lock(mutex_);
    return arrived_[static_cast<int>(point)];
}

void RunMeeting::set_peer_port(int port) {
    const std::lock_guard lock(mutex_);
    peer_port_ = port;
}

int RunMeeting::peer_port() const {
    const std::lock_guard lock(mutex_);
    return peer_port_;
}

std::vector<std::string> RunMeeting::master_addresses() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::string> addresses{plan_ ? plan_->master_addr : std::string()};
    const auto facts = plan_ ? facts_.find(plan_->master_node) : facts_.end();
    if (facts != facts_.end()) {
        for (const auto& interface : facts->second.interfaces) {
            if (interface.up && !interface.loopback) {
                addresses.insert(addresses.end(), interface.addresses.begin(), interface.addresses.end());
            }
        }
    }
    return addresses;
}

void RunMeeting::abort(const Failure& failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) {
        failure_ = failure;
    }
    changed_.notify_all();
}

std::optional<Failure> RunMeeting::failure() const {
    const std::lock_guard lock(mutex_);
    return failure_;
}

}  // namespace rankscope::inline runs
