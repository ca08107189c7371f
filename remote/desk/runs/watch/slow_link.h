// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/rank_use.h>
#include <remote/desk/runs/watch/slow_cause.h>
#include <remote/diagnosis/check.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// The connections of ranks from one node to another, between two looks.
struct LinkUse {
    double busy = 0;   ///< share of the time with data on the way, 0…1: of the connection with most
    double bytes = 0;  ///< delivered, of that connection
    double busy_s = 0;
    double retransmitted = 0;  ///< segments, of all
    double rtt_s = 0;          ///< of that connection
    int from_rank = -1;
    int to_rank = -1;

    double rate() const { return busy_s > 0 ? bytes / busy_s : 0; }  ///< bytes per second while it has data
};
using LinkUses = std::map<NodePair, LinkUse>;

/// Only connections that are in both looks, and whose two ends are known ranks of different nodes.
LinkUses link_uses(const std::vector<NodeLook>& before, const std::vector<NodeLook>& now);

/// The ranks send what they exchange by sockets, as Gloo does: their bytes show whether they make progress.
bool sends_data(const std::vector<NodeLook>& looks);
/// Since any of these sockets sent or received data.
double quiet_s(const std::vector<NodeLook>& looks);
/// Whether a rank's connections, also those within its node, have delivered data between two looks.
bool data_moved(const std::vector<NodeLook>& before, const std::vector<NodeLook>& now);

struct SlowLink {
    std::string node = {};  ///< what the slow directions have in common; one direction: who sends
    std::vector<NodePair> pairs = {};
    LinkUse worst = {};
    double usual = 0;  ///< busy share of the others
};
/// The node whose connections are much busier than those between the others; nothing: they are alike.
std::optional<SlowLink> slow_link_of(const LinkUses& uses);
/// `because` is the whole sentence. `bad_packets`: of the node, per second: "eth0.errors".
SlowCause cause_of(const SlowLink& slow, const std::map<std::string, double>& bad_packets);

}  // namespace rankscope::inline runs
