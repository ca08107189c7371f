// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/launch/run_conflicts.h>
#include <gui/strings.h>

#include <QCoreApplication>
#include <QStringList>
#include <algorithm>
#include <map>
#include <set>

namespace rankscope::gui {

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(Launch)
};

constexpr int kMostNamedNodes = 3;  ///< named in a warning

using Gpus = std::map<std::string, std::set<std::string>>;  ///< "cuda:0" by node

QString node_text(const std::string& node) {
    return node == kLocalNodeName ? Words::tr("this computer") : qs(node);
}

Gpus gpus_of(const LaunchPlan& plan) {
    Gpus gpus;
    for (const RankPlan& rank : plan.ranks) {
        if (rank.device.starts_with("cuda")) {
            gpus[rank.node].insert(rank.device);
        }
    }
    return gpus;
}

/// Nodes may have several names, but a loopback address is each one's own.
bool same_master(const LaunchPlan& one, const LaunchPlan& other) {
    const std::string& address = one.master_addr;
    const bool loopback =
        address.empty() || address.starts_with("127.") || address == "localhost" || address == "::1";
    return one.master_node == other.master_node || (!loopback && address == other.master_addr);
}

/// "node1: cuda:0, cuda:1".
QStringList shared_gpus(const Gpus& wanted, const Gpus& used) {
    QStringList nodes;
    for (const auto& [node, gpus] : wanted) {
        const auto there = used.find(node);
        if (there == used.end()) {
            continue;
        }
        QStringList both;
        for (const std::string& gpu : gpus) {
            if (there->second.contains(gpu)) {
                both += qs(gpu);
            }
        }
        if (!both.isEmpty()) {
            nodes += QString(node_text(node) % u": "_s % both.join(u", "_s));
        }
    }
    return nodes;
}

}  // namespace

RunConflicts run_conflicts(const LaunchPlan& plan, const std::vector<RunningPlan>& running) {
    RunConflicts conflicts;
    const Gpus wanted = gpus_of(plan);
    for (const RunningPlan& other : running) {
        if (conflicts.fault.isEmpty() && plan.master_port != 0 &&
            plan.master_port == other.plan.master_port && same_master(plan, other.plan)) {
            conflicts.fault = Words::tr(
                                  "The run %1 uses port %2 of %3: set Master port to 0 for a free one, or to "
                                  "another number.")
                                  .arg(qs(other.name))
                                  .arg(plan.master_port)
                                  .arg(node_text(plan.master_node));
        }
        if (!conflicts.warning.isEmpty()) {
            continue;
        }
        QStringList nodes = shared_gpus(wanted, gpus_of(other.plan));
        if (nodes.size() > kMostNamedNodes) {
            nodes = nodes.first(kMostNamedNodes) + QStringList(u"…"_s);
        }
        if (!nodes.isEmpty()) {
            conflicts.warning = Words::tr(
                                    "The run %1 uses these GPUs, too (%2): both become slower, and "
                                    "their memory may not suffice.")
                                    .arg(qs(other.name), nodes.join(u"; "_s));
        }
    }
    return conflicts;
}

}  // namespace rankscope::gui
