// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/facts/run_facts.h>
#include <remote/logs/story/story.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

/// How far the clock of a host is from that of another one, by what both of them log of the same moment.
struct HostClock {
    std::string host = {};
    std::string reference = {};     ///< the host that it is compared with
    double ahead_s = 0;             ///< negative: it is behind
    double uncertainty_s = 0;       ///< the true value is this far from ahead_s at most
    std::size_t communicators = 0;  ///< that both set up; 0: other moments decide
    std::size_t other_moments =
        0;                   ///< rendezvous and time-outs of the same collective, where no communicator is
    bool corrected = false;  ///< ahead_s is more than its uncertainty, and nothing contradicts it
};

/// The host of each rank, as the largest communicators have it; a rank that they place differently is left out.
std::map<int, std::string> hosts_of_ranks(const RunFacts& facts);

/// The clocks of the hosts of a log. The hosts of a run are compared with the one whose clock most of them have; of two, with
/// the one of the lowest rank. A host that shares no moment with others keeps its clock.
class HostClocks {
public:
    HostClocks() = default;
    /// From the ends of the set-up of communicators, rendezvous and time-outs of the same collective.
    HostClocks(const RunFacts& facts, const Story& story);

    /// Those that could be compared, without the references.
    const std::vector<HostClock>& all() const { return all_; }
    /// What to subtract from the times of a line; 0 where nothing is corrected. `rank` says the host where the line
    /// does not; -1: unknown.
    double ahead_of(std::string_view host, int rank) const;
    /// Whether a time is corrected anywhere.
    bool any() const { return !ahead_.empty(); }

private:
    std::vector<HostClock> all_;
    std::map<std::string, double, std::less<>> ahead_;  // by host and by its name without a domain
    std::map<int, std::string> host_of_rank_;
};

}  // namespace rankscope::logs
