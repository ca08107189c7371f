// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rankscope::engine {

/// A collective under way. Copies share the same operation.
class Work {
public:
    Work() : state_(std::make_shared<State>()) {}
    /// Returns when it is finished; throws PeerLostError when it cannot be finished any more.
    void wait();
    /// For the process group: finished, or failed with a text.
    void finish(std::optional<std::string> error = std::nullopt);

private:
    struct State {
        std::mutex mutex;
        std::condition_variable changed;
        bool done = false;
        std::optional<std::string> error;
    };
    std::shared_ptr<State> state_;
};

/// All ranks of a run as one communicator. Two implementations: Gloo (CPU), NCCL (GPU). Every rank must start
/// the same operations in the same order. Memory is the backend's; it must stay untouched until the work is
/// done.
class ProcessGroup {
public:
    virtual ~ProcessGroup() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// Replaces `values` on every rank by the sum over the ranks. Returns at once; operations run in order.
    virtual Work all_reduce_sum(std::span<float> values) = 0;
    /// Replaces `values` on every rank by those of `root`.
    virtual void broadcast(std::span<float> values, int root) = 0;
    /// Every rank's bytes, by rank. All ranks must give the same number. Host memory.
    virtual std::vector<std::string> all_gather(const std::string& bytes) = 0;
    virtual void barrier() = 0;
};

}  // namespace rankscope::engine
