// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/tcp_store.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

namespace rankscope::engine {

/// Another rank that went away, and why as far as it is known.
struct PeerLoss {
    int rank = 0;
    std::string reason;
};

/// Learns within milliseconds, also while this rank is blocked in a collective, that another rank has gone:
/// waits on a connection of its own for the store's note. The store itself going away means that rank 0 has
/// gone.
class PeerWatch {
public:
    /// `lost` is called once, on the watching thread.
    PeerWatch(StoreClientOptions options, std::function<void(const PeerLoss&)> lost);
    ~PeerWatch();
    PeerWatch(const PeerWatch&) = delete;
    PeerWatch& operator=(const PeerWatch&) = delete;

    /// From now on a peer's end is no loss; to be called before saying goodbye to the store.
    void stop();

private:
    void watch(const std::function<void(const PeerLoss&)>& lost);

    int rank_;
    std::string address_;
    std::unique_ptr<TcpStore> store_;
    std::atomic<bool> stopping_{false};
    std::jthread thread_;
};

}  // namespace rankscope::engine
