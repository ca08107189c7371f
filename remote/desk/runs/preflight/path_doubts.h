// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/preflight/node_view.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <vector>

namespace rankscope::inline runs {

// One lost packet must not count as a rule: what a first round of attempts leaves in doubt is tried again.

/// Attempts without an answer whose nodes reach each other on another port: a rule, or lost packets. Indices.
std::vector<std::size_t> unanswered_paths(const std::vector<PathResult>& paths);
/// What a second attempt says. True: it got an answer, so packets were lost before.
bool take_second_attempt(PathResult& path, const PathResult& second);

/// Transfers of small and of large segments over the same path.
struct SizeTrials {
    std::uint32_t small_sent = 0;
    std::uint32_t small_resent = 0;
    int large_tried = 0;     ///< transfers of full segments
    int large_vanished = 0;  ///< those of which nothing arrived

    void add(const wire::ConnectResult& result);
};
/// Whether the size decides: nothing of any large transfer arrived, and the loss of the small segments does not explain
/// that by chance.
bool vanishes_by_size(const SizeTrials& trials);
/// The result of a path whose large segments stalled at first. True: packets were lost, whatever their size.
bool conclude_stall(PathResult& path, const SizeTrials& trials);

/// To the SSH port, where nothing answers on any port: whether the host answers at all, and whether packets pass in the
/// opposite direction. `port_of`: of a node, by its index.
std::vector<PathResult> knocks_for(const std::vector<PathResult>& paths,
                                   const std::function<int(std::size_t)>& port_of);

/// The nodes whose firewall may be what blocks a path that the run uses: the target, or the sender where its own rules
/// forbid it.
std::set<std::size_t> nodes_to_read_rules(const std::vector<PathResult>& paths);
/// Replaces what a quick inspection says of the firewall.
void take_rules(NodeView& view, wire::HostInspection rules);

}  // namespace rankscope::inline runs
