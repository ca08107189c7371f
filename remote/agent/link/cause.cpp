// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/link/cause.h>

#include <cmath>

namespace rankscope::agent {

std::string describe(const wire::Cause& cause) {
    const auto seconds = [&cause] { return std::to_string(std::lround(cause.after_s())) + " s"; };
    switch (cause.kind()) {
        case wire::CAUSE_RANK_ENDED: {
            const auto& exit = cause.exit();
            const std::string how = exit.signal() != 0
                                        ? "was killed by signal " + std::to_string(exit.signal())
                                        : "exited with code " + std::to_string(exit.code());
            return "rank " + std::to_string(cause.rank()) + " on " + cause.node() + ' ' + how;
        }
        case wire::CAUSE_RANK_STOPPED:
            return "rank " + std::to_string(cause.rank()) + " on " + cause.node() +
                   " stopped answering: its process is stopped (state " + cause.process_state() + ')';
        case wire::CAUSE_NODE_SILENT:
            return cause.node() + " was not heard from for " + seconds();
        case wire::CAUSE_NODE_GONE:
            return "the supervisor of " + cause.node() + " is gone";
        case wire::CAUSE_SIGNALLED:
            return cause.node() + ": " + cause.detail();
        default:
            return cause.detail();
    }
}

bool is_consequence(const wire::Cause& cause) {
    return cause.kind() == wire::CAUSE_RANK_ENDED && cause.exit().lost_peer();
}

wire::Cause rank_stopped_cause(const wire::PeerRankState& state, double since_s) {
    wire::Cause cause;
    cause.set_kind(wire::CAUSE_RANK_STOPPED);
    cause.set_rank(state.rank());
    cause.set_node(state.node());
    cause.set_after_s(since_s);
    cause.set_process_state("T");
    cause.mutable_exit()->set_code(-1);
    cause.mutable_exit()->set_signal(state.signal());
    return cause;
}

}  // namespace rankscope::agent
