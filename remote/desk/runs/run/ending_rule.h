// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/launch/run_launcher.h>

#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// When the desk stops waiting for nodes that do not report the end of their part. Pure: times are passed in
/// (monotonic_s()).
///
/// After a stop by the user: a node that answers may take as long as a stop takes there, one that does not
/// answer gets the grace time. After a failure: a node that is silent for the job's peer_timeout_s is lost,
/// and one that answers but does not end, once all others have ended, as well; without a further wait where its supervisor is
/// known to be stopped. After the others have finished
/// without a failure there is no hurry.
class EndingRule {
public:
    struct Limits {
        double peer_timeout_s = 10;  ///< of the job; 0: never, as far as nodes are concerned
        double grace_s = 5;
        double stop_allowance_s = 8;  ///< RunLauncher::stop_allowance_s()
    };

    explicit EndingRule(Limits limits) : limits_(limits) {}

    void stop_asked(double now, StopKind kind);
    /// A node's part is over. `failed`: not as it should be.
    void node_ended(double now, bool failed);

    /// Nodes that are not to be waited for any longer.
    std::vector<NodeStatus> lost(const std::vector<NodeStatus>& nodes, double now) const;

private:
    Limits limits_;
    std::optional<double> stop_s_;
    bool forced_ = false;
    std::optional<double> last_end_s_;
    bool failed_ = false;
};

}  // namespace rankscope::inline runs
