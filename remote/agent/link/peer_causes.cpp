// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <remote/agent/link/cause.h>
#include <remote/agent/link/peer_link.h>

namespace rankscope::agent {
namespace {

constexpr double kSameMoment = 1;
constexpr double kHubAnswers = 1;
constexpr double kStoppedLongEnough = 1;  // a rank that is stopped for less delays no other rank
constexpr double kSuspiciousSilence = 3.5;

}  // namespace

// What a spoke hears from the hub counts always: all nodes must name the same cause.
bool PeerLink::adopt(const wire::Cause& cause, double now) {
    if (cause_ && hub() && (!is_consequence(*cause_) || is_consequence(cause))) {
        return false;
    }
    cause_ = cause;
    cause_at_ = now;
    return true;
}

void PeerLink::take_down(std::size_t index, wire::Cause cause, double now) {
    if (cause.kind() == wire::CAUSE_NODE_SILENT && cause.node() == options_.nodes[options_.index]) {
        cause.set_node(options_.nodes[index]);  // it misses us, we are here: the cut is on its way
    }
    awaits_hub_until_ = 0;
    cause = hub() ? explained(cause, now) : cause;
    if (adopt(cause, now)) {
        report({cause, {}});
        for (std::size_t i = 0; hub() && i < peers_.size(); ++i) {
            if (i != index) {
                send_cause(peers_[i]);
            }
        }
    }
    if (hub()) {
        send_cause(peers_[index]);  // the cause that all shall name, which may be another one
    }
}

void PeerLink::take_posted_states(double now) {
    std::vector<wire::PeerRankState> states;
    {
        const std::lock_guard lock(mutex_);
        states.swap(posted_states_);
    }
    for (const auto& state : states) {
        take_rank_state(state, now);
        wire::PeerMessage message;
        *message.mutable_rank_state() = state;
        for (auto& peer : peers_) {
            if (peer.channel) {
                peer.channel->send(message);
            }
        }
    }
}

void PeerLink::take_rank_state(const wire::PeerRankState& state, double now) {
    if (state.stopped()) {
        stopped_.try_emplace(state.rank(), StoppedRank{state, now});
    } else {
        stopped_.erase(state.rank());
    }
}

// A new connection does not know of them.
void PeerLink::send_stopped_ranks(Peer& peer) {
    for (const auto& [rank, stopped] : stopped_) {
        wire::PeerMessage message;
        *message.mutable_rank_state() = stopped.state;
        peer.channel->send(message);
    }
}

// A rank that ended because others did not answer is a victim. Who it waited for is known here, where a rank is
// stopped or a node is silent: what it names itself counts most, then what has lasted longest.
wire::Cause PeerLink::explained(const wire::Cause& cause, double now) const {
    if (!is_consequence(cause)) {
        return cause;
    }
    const int missing = cause.exit().has_missing_rank() ? cause.exit().missing_rank() : -1;
    const StoppedRank* stopped = nullptr;
    for (const auto& [rank, entry] : stopped_) {
        const bool better = stopped == nullptr || rank == missing ||
                            (stopped->state.rank() != missing && entry.since < stopped->since);
        stopped =
            now - entry.since >= kStoppedLongEnough && rank != cause.rank() && better ? &entry : stopped;
    }
    if (stopped != nullptr) {
        wire::Cause result = rank_stopped_cause(stopped->state, now - stopped->since);
        result.set_attempt(cause.attempt());
        return result;
    }
    const auto of_missing = missing >= 0 && static_cast<std::size_t>(missing) < options_.node_of_rank.size()
                                ? options_.node_of_rank[static_cast<std::size_t>(missing)]
                                : peers_.size();
    std::size_t silent = peers_.size();
    for (std::size_t i = 0; i < peers_.size(); ++i) {
        const bool suspect =
            peers_[i].linked && !peers_[i].over && now - peers_[i].heard >= kSuspiciousSilence;
        const bool better = silent == peers_.size() || i == of_missing ||
                            (silent != of_missing && peers_[i].heard < peers_[silent].heard);
        silent = suspect && better ? i : silent;
    }
    if (silent == peers_.size()) {
        return cause;
    }
    wire::Cause result;
    result.set_kind(wire::CAUSE_NODE_SILENT);
    result.set_node(options_.nodes[silent]);
    result.set_rank(-1);
    result.set_after_s(now - peers_[silent].heard);
    result.set_attempt(cause.attempt());
    return result;
}

// A rank that ended by itself in the moment in which another node's supervisor went has lost its peers there.
bool PeerLink::may_be_consequence_of(std::size_t index) const {
    const Peer& peer = peers_[index];
    return cause_ && cause_->kind() == wire::CAUSE_RANK_ENDED && cause_->node() != options_.nodes[index] &&
           peer.lost > 0 && peer.closed && cause_at_ > peer.lost - kSameMoment;
}

void PeerLink::send_cause(Peer& peer) {
    if (cause_ && peer.channel) {
        wire::PeerMessage message;
        *message.mutable_down() = *cause_;
        peer.channel->send(message);
        peer.channel->flush();
    }
}

void PeerLink::forward_causes(double now) {
    std::vector<wire::Cause> outbox;
    {
        const std::lock_guard lock(mutex_);
        outbox.swap(outbox_);
    }
    for (const auto& own : outbox) {
        if (own.attempt() != attempt_) {
            continue;
        }
        const wire::Cause cause = explained(own, now);
        if (cause_ && (!is_consequence(*cause_) || is_consequence(cause))) {
            continue;
        }
        cause_ = cause;
        cause_at_ = now;
        if (cause.kind() != own.kind()) {
            report({cause, {}});
        }
        if (!hub() && is_consequence(cause) && peers_[0].channel && !peers_[0].over) {
            awaits_hub_until_ = now + kHubAnswers;  // it sees all nodes, and may know better
        }
        for (auto& peer : peers_) {
            send_cause(peer);
        }
    }
}

void PeerLink::conclude(double now) {
    for (std::size_t i = 0; i < peers_.size(); ++i) {
        Peer& peer = peers_[i];
        const bool gone = peer.lost > 0 && peer.closed && now - peer.lost > options_.return_s;
        const bool silent = options_.timeout_s > 0 && now - peer.heard > options_.timeout_s;
        if (waits_to_restart() && !stuck_reported_ && peer.linked && (peer.over || gone || silent)) {
            stuck_reported_ = true;
            News news;
            news.stuck = options_.nodes[i];
            report(std::move(news));
        }
        if (!peer.linked || peer.over || (cause_ && !may_be_consequence_of(i))) {
            continue;
        }
        if (!gone && !silent) {
            continue;
        }
        peer.over = true;
        wire::Cause cause;
        cause.set_kind(gone ? wire::CAUSE_NODE_GONE : wire::CAUSE_NODE_SILENT);
        cause.set_node(options_.nodes[i]);
        cause.set_rank(-1);
        cause.set_after_s(gone ? 0 : now - peer.heard);
        cause.set_attempt(attempt_);
        cause_ = cause;
        cause_at_ = now;
        report({cause, {}});
        for (auto& other : peers_) {
            send_cause(other);
        }
    }
}

}  // namespace rankscope::agent
