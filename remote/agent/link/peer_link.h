// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failed_dial.h>
#include <base/fd.h>
#include <base/wake_fd.h>
#include <remote/agent/link/peer_channel.h>
#include <remote/agent/node/agent_failure.h>
#include <remote/wire/frames.pb.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace rankscope::agent {

/// What the supervisors of a run report to each other without the desk: a star through the master node's, so
/// that a death on one node ends the run on all of them. On a thread of its own: a spool on a disk that hangs
/// must not look like a silent node. Nothing is concluded about a node that was never heard (a firewall between
/// them): then only the desk can pass causes on, and a note says so.
///
/// The cause of an end: the first one counts, but a victim (a rank that ended because others did not answer)
/// gives way to what it waited for: a rank that another supervisor has reported as stopped, a node that is
/// silent. Parts: peer_hub.cpp, peer_spoke.cpp, peer_causes.cpp.
class PeerLink {
public:
    struct Options {
        std::string run_id;
        std::string token;
        std::vector<std::string> nodes;         ///< the hub's first
        std::size_t index = 0;                  ///< which of them this is
        std::vector<std::size_t> node_of_rank;  ///< by rank: index into nodes; may be empty
        double timeout_s = 45;                  ///< silence of a node that was linked; 0: never concluded
        double return_s = 2;                    ///< how long a closed connection may take to come back
        double waiting_s = 3;                   ///< when to report what the dials fail with
        double absent_s = 20;                   ///< when to report that no link could be made
        bool restarts = false;  ///< nodes whose ranks are done stay: another one's failure restarts all
    };
    /// What the supervisor learns, one of: that the run ends, that there is no link (`absent` says why), what
    /// the dials fail with, that all nodes start the next attempt, or that a node cannot (`stuck` names it).
    struct News {
        std::optional<wire::Cause> cause = {};
        std::string absent = {};
        std::optional<std::uint32_t> go = {};
        std::string stuck = {};
        std::optional<FailedDial> failed_dial = {};
    };

    explicit PeerLink(Options options);
    ~PeerLink();
    PeerLink(const PeerLink&) = delete;
    PeerLink& operator=(const PeerLink&) = delete;

    /// The hub's: binds (address not numeric: all) and listens. Returns the port.
    AgentResult<std::uint16_t> listen(const std::string& address);
    /// The hub's, once it may have threads.
    void start();
    /// A spoke's: where the hub listens; tried in turn until one answers. Only the first call counts.
    void connect(std::vector<std::string> addresses, std::uint16_t port);

    /// Readable when there is news.
    int fd() const { return news_wake_.fd(); }
    std::vector<News> take_news();
    /// Reports to all others why the run ends. When another cause explains it, that is news.
    void post(const wire::Cause& cause);
    /// Reports to all others that a rank of this node was stopped, or continues.
    void post(const wire::PeerRankState& state);
    /// Every node of the star was linked at least once (a spoke's: the hub).
    bool complete() const;
    /// No rank of an attempt before this one is left here. When all nodes have said so, all get the news
    /// `go`; when one of them never will, `stuck`.
    void ready(std::uint32_t attempt);
    /// All ranks of this node have ended well, in this attempt.
    void finished();
    /// The hub's: there are linked nodes whose part is not over, so the star must stay. With restarts, a
    /// spoke's as well.
    bool needed() const;
    /// A rank of this node ended as another node's supervisor went, or as a victim: in a moment it is known
    /// what the cause is.
    bool unsettled() const;
    /// Says goodbye to the others, and ends the thread.
    void leave();

private:
    struct Peer {
        std::optional<PeerChannel> channel;
        bool linked = false;          ///< was, at least once
        bool over = false;            ///< said goodbye, or was concluded upon
        double heard = 0;             ///< when it last confirmed a new beat of ours
        std::uint64_t beats = 0;      ///< ours to it
        std::uint64_t confirmed = 0;  ///< of them
        std::uint64_t its_beat = 0;
        double lost = 0;          ///< when the connection ended; 0: it has not
        bool closed = false;      ///< by the other side's process, not by the network
        std::uint32_t ready = 0;  ///< for this attempt
        bool finished = false;    ///< in the present one
    };
    struct StoppedRank {
        wire::PeerRankState state;
        double since;  ///< when it was reported
    };
    struct Pending {
        PeerChannel channel;
        double until;
    };
    struct Dialing {
        UniqueFd fd;
        double until = 0;
    };

    bool hub() const { return options_.index == 0; }
    void loop();
    void wait(double now);
    void accept_some(double now);
    void read_pending(double now);
    void read_peers(double now);
    void take(std::size_t index, const wire::PeerMessage& message);
    void take_ready(Peer& peer, const wire::PeerReady& ready);
    void take_posted();
    void send_ready(Peer& hub_peer);
    void go_if_all_are_ready();
    void begin_attempt(std::uint32_t attempt);
    bool waits_to_restart() const { return own_ready_ > attempt_; }
    void link_lost(Peer& peer, double now);
    void conclude(double now);
    void beat(double now);
    void dial(double now);
    void begin_dial(double now);
    void dial_failed(int error, double now);
    void leave_silent_link(double now);
    void forward_causes(double now);
    void take_down(std::size_t index, wire::Cause cause, double now);
    void take_posted_states(double now);
    void take_rank_state(const wire::PeerRankState& state, double now);
    void send_stopped_ranks(Peer& peer);
    wire::Cause explained(const wire::Cause& cause, double now) const;
    bool adopt(const wire::Cause& cause, double now);
    void send_cause(Peer& peer);
    bool may_be_consequence_of(std::size_t index) const;
    void report(News news);
    void say_goodbye();

    Options options_;
    UniqueFd listener_;
    std::vector<Peer> peers_;  ///< by node index; a spoke knows only the hub
    std::vector<Pending> pending_;
    std::vector<std::string> addresses_;
    std::uint16_t port_ = 0;
    Dialing dialing_;
    std::size_t next_address_ = 0;
    double next_dial_ = 0;
    double first_dial_ = 0;
    bool absent_reported_ = false;
    int reported_error_ = 0;  ///< errno
    double connected_at_ = 0;
    double next_beat_ = 0;
    std::optional<wire::Cause> cause_;
    double cause_at_ = 0;
    double awaits_hub_until_ = 0;
    std::map<int, StoppedRank> stopped_;  ///< by rank
    std::uint32_t attempt_ = 0;
    std::uint32_t own_ready_ = 0;
    bool own_finished_ = false;
    bool stuck_reported_ = false;

    WakeFd wake_;
    WakeFd news_wake_;
    mutable std::mutex mutex_;  ///< of what follows
    std::vector<wire::Cause> outbox_;
    std::vector<wire::PeerRankState> posted_states_;
    std::vector<News> news_;
    std::uint32_t posted_ready_ = 0;
    bool posted_finished_ = false;
    bool leaving_ = false;
    bool needed_ = false;
    bool unsettled_ = false;
    bool complete_ = false;
    std::thread thread_;
};

}  // namespace rankscope::agent
