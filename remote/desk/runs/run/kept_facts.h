// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/session/node_facts.h>
#include <remote/desk/runs/store/stop_order.h>

#include <map>
#include <memory>
#include <string>

namespace rankscope::inline runs {

class EventPump;
class RunStore;

/// Stores what a start learns of its nodes, on the thread of the run's events. Without a store it does nothing.
class KeptFacts {
public:
    /// `pump` must live longer.
    KeptFacts(std::string run_id, std::shared_ptr<RunStore> store, EventPump& pump);

    void reached(const std::string& node, const NodeFacts& facts);
    /// By name: node/version_names.h.
    void found(const std::string& node, const std::map<std::string, std::string>& versions);
    /// The report that run_reports.h remembers, where there is one.
    void inspected();
    void delivered(const StopOrder& order);

private:
    std::string run_id_;
    std::shared_ptr<RunStore> store_;
    EventPump* pump_;
};

}  // namespace rankscope::inline runs
