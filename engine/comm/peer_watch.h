// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/awake_clock.h>
#include <engine/comm/flight_recorder.h>
#include <engine/comm/tcp_store.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>

namespace rankscope::engine {

/// A rank that went away or does not take part any more, and why as far as it is known.
struct PeerLoss {
    enum class Kind {
        gone,    ///< dead, silent, or ended with an error; `reason` says which
        missing  ///< it lives, but a collective waited for it beyond the time-out; `reason` is the sentence
    };
    int rank = 0;  ///< −1: no rank's fault (the network fails)
    std::string reason{};
    Kind kind = Kind::gone;

    /// The whole sentence, as seen by rank `self`: "rank 2 is gone: out of memory".
    std::string text(int self) const;
};

struct PeerWatchOptions {
    /// A rank that gives no sign of life for so long is lost: stopped (SIGSTOP, a debugger) or cut off from
    /// the network. 0: never. The signs come from a thread of their own, so a long computation is no silence.
    /// Must be more than twice the cut that a run shall survive: TCP sends again only when as much time has
    /// passed as the cut lasted.
    std::chrono::milliseconds silence_limit{75000};
    /// A collective that takes longer is aborted, and the rank that is missing in it named. 0: never.
    std::chrono::milliseconds collective_timeout{600000};
    std::shared_ptr<FlightRecorder> recorder{};  ///< null: no collectives are watched
};

/// Learns, also while this rank is blocked in a collective, that another rank is lost: within milliseconds
/// when it died, within the limits above when it is stopped, cut off or out of step. Reports to the store that
/// this rank lives and what it does, and learns of losses, over a connection of its own. The store itself going
/// away or falling silent means that rank 0 is lost. Time in which this process itself was stopped does not
/// count, so that a run that is paused as a whole continues afterwards.
class PeerWatch {
public:
    /// `lost` is called at most once, on the watching thread, after the recorder's groups were aborted.
    PeerWatch(StoreClientOptions store, PeerWatchOptions options, std::function<void(const PeerLoss&)> lost);
    ~PeerWatch();
    PeerWatch(const PeerWatch&) = delete;
    PeerWatch& operator=(const PeerWatch&) = delete;

    /// From now on a peer's end is no loss; to be called before sending goodbye to the store.
    void stop();

private:
    using Duration = AwakeClock::Duration;
    struct Seen {
        std::uint64_t sequence = 0;
        Duration since{0};
        Duration asked{0};  ///< who is missing
    };

    void watch(const std::function<void(const PeerLoss&)>& lost);
    std::optional<PeerLoss> beat();
    std::optional<PeerLoss> ask(store_protocol::Op op, std::vector<std::string> fields,
                                store_protocol::Message* answer);
    /// The next whole frame of what has arrived; false: there is none yet.
    bool take_frame(std::string& sealed);
    std::optional<PeerLoss> check_collectives();
    std::optional<PeerLoss> accuse(const GroupRecord& record, const GroupState& state, Duration waited);
    std::string own_state() const;
    PeerLoss store_gone(const std::string& how) const;

    StoreClientOptions store_;
    PeerWatchOptions options_;
    std::chrono::milliseconds interval_;  ///< between two signs of life
    std::chrono::milliseconds tick_;
    AwakeClock clock_;
    std::optional<StoreConnection> connection_;
    std::string in_;
    std::map<std::string, Seen> seen_;  ///< running collectives, by group
    std::atomic<bool> stopping_{false};
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace rankscope::engine
