// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/peer_watch.h>
#include <engine/comm/process_group.h>
#include <engine/comm/rank_env.h>
#include <engine/comm/tcp_store.h>
#include <engine/comm/tcp_store_server.h>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// How far the meeting is.
struct RendezvousProgress {
    int here = 0;
    int world = 1;
    std::vector<int> missing{};               ///< not yet here; empty while the first three seconds last
    std::optional<FailedDial> unreachable{};  ///< this rank does not reach rank 0
};

struct RendezvousOptions {
    RankEnv env;
    bool allow_no_token = false;                ///< --insecure-no-token
    std::chrono::milliseconds timeout{120000};  ///< for all ranks to arrive and connect
    /// Called on another thread, after the groups were aborted.
    std::function<void(const PeerLoss&)> peer_lost;
    /// Called on the thread that meets: when ranks arrive, and from the third second on what is waited for.
    std::function<void(const RendezvousProgress&)> progress;
};

/// This rank's membership of the run: the store (served by rank 0), the watch over the others, the process
/// group.
class Rendezvous {
public:
    /// Returns when all ranks are here and connected. Throws ConfigError without a token, Error when that does
    /// not happen in time: who is missing, which address was tried, what to look at. The others are notified of
    /// the reason before it throws.
    explicit Rendezvous(const RendezvousOptions& options);

    /// All ranks, with the backend "gloo": host memory.
    ProcessGroup& group() { return *group_; }
    /// For communicators of other backends ("nccl"): where their ranks meet, and who watches them.
    Store& store() { return *store_; }
    std::shared_ptr<FlightRecorder> recorder() { return recorder_; }
    /// Reports to the others that this rank ends with an error, so that they can name it. Never throws.
    void fail(const std::string& reason);
    /// Ends in order, together with the others.
    void leave();

private:
    void meet(const RendezvousOptions& options, const StoreClientOptions& client);
    void await_members(const RendezvousOptions& options);

    std::shared_ptr<FlightRecorder> recorder_ = std::make_shared<FlightRecorder>();
    std::unique_ptr<TcpStoreServer> server_;
    std::unique_ptr<TcpStore> store_;
    std::unique_ptr<PeerWatch> watch_;
    std::unique_ptr<ProcessGroup> group_;
};

}  // namespace rankscope::engine
