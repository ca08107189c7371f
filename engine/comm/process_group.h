// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/collective_kind.h>
#include <engine/comm/collectives.h>
#include <engine/comm/work_queue.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::engine {

/// What a rank has given to others, by the kind of operation; each byte counts once for each rank that takes it.
struct Traffic {
    std::array<std::uint64_t, kCollectiveKinds> bytes{};

    std::uint64_t of(CollectiveKind kind) const { return bytes[static_cast<std::size_t>(kind)]; }
    std::uint64_t total() const { return std::accumulate(bytes.begin(), bytes.end(), std::uint64_t{0}); }
};

/// Some or all ranks of a run as one communicator. Two backends, by the names that PyTorch uses: "gloo" (CPU:
/// shared memory inside a host, Gloo between hosts) and "nccl" (GPU). Every member must start the same
/// operations in the same order. Memory is the backend's (host or device); it must stay untouched until the
/// work is done. Called by one thread at a time.
///
/// What waits throws PeerLostError when another member is gone or the watchdog has given the group up, Error
/// when the members do different things.
class ProcessGroup {
public:
    virtual ~ProcessGroup() = default;
    /// This rank in the group, from 0.
    virtual int rank() const = 0;
    virtual int size() const = 0;
    virtual std::string_view backend() const = 0;
    /// How the bytes travel, for the user: "shared memory".
    virtual std::string transport() const = 0;

    /// Zero-filled memory in which the group works fastest: reduced in place without a copy. Given back with
    /// the last copy of the pointer. Throws Error when it is unavailable.
    virtual std::shared_ptr<float> allocate(std::size_t count) = 0;

    /// Replaces every element on every rank by the sum over the ranks of scale · element, the same bits on
    /// all of them. Returns at once; operations run in order. After an error the memory must stay as long as
    /// the group: what was abandoned may still arrive.
    virtual Work all_reduce(const Reduction& reduction, When when = When::soon) = 0;
    /// The same for one array, without scaling.
    Work all_reduce_sum(std::span<float> values) {
        const Piece piece{values.data(), values.size()};
        return all_reduce({.pieces = {&piece, 1}});
    }

    /// The sum of all_reduce(), the same bits, in this rank's share only; the rest of its memory is undefined afterwards.
    /// Only for "gloo"; elsewhere std::logic_error.
    virtual Work reduce_scatter(const Reduction& /*reduction*/, Shares /*shares*/, When /*when*/) {
        throw std::logic_error("this process group has no reduce-scatter");
    }
    /// Every rank's share, from its memory, in the memory of all ranks: an all-gather in place. As reduce_scatter().
    virtual Work gather_shares(std::span<const Piece> /*pieces*/, Shares /*shares*/, When /*when*/) {
        throw std::logic_error("this process group gathers no shares");
    }
    /// A message to another member, in host memory. Returns when `bytes` may be overwritten, which is when the message
    /// before it was received. As reduce_scatter(); not in groups of several hosts with several ranks each.
    virtual void send(std::span<const std::byte> /*bytes*/, int /*to*/) {
        throw std::logic_error("this process group sends no messages");
    }
    /// The next message of this member, which has the same size.
    virtual void receive(std::span<std::byte> /*bytes*/, int /*from*/) {
        throw std::logic_error("this process group receives no messages");
    }
    /// What this rank has given to others so far; of "nccl" nothing.
    virtual Traffic traffic() const { return {}; }

    /// Puts the all-reduce on a queue of the caller's (a cudaStream_t) and returns: for steps that are
    /// ordered by queues, or recorded into a CUDA graph. The watchdog does not see it: announce the whole with
    /// enqueued(), and call healthy() while waiting for the queue. Only for "nccl"; elsewhere std::logic_error.
    virtual void enqueue(const Reduction& /*reduction*/, void* /*queue*/) {
        throw std::logic_error("this process group has no queue on a device");
    }
    /// For the watchdog: what lies on a queue (a whole step) is one operation of the group, which runs until `ended`
    /// says so. `ended` is called from other threads too; what it refers to must live as long as it.
    virtual void enqueued(std::size_t /*bytes*/, std::function<bool()> /*ended*/) {}
    /// Throws PeerLostError when the group has failed or was aborted, or when `waited` is longer than its limit.
    virtual void healthy(std::chrono::milliseconds /*waited*/) {}

    // The rest returns when it is done.

    /// all_reduce() of little data whose sum is needed at once: metrics, statistics.
    virtual void sum(std::span<float> values) = 0;
    /// In double precision; host memory for every backend.
    virtual void sum(std::span<double> values) = 0;
    /// Replaces the bytes on every rank by those of `root`.
    virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
    void broadcast(std::span<float> values, int root) { broadcast(std::as_writable_bytes(values), root); }
    /// Every rank's bytes, by rank. All ranks must give the same number. Host memory.
    virtual std::vector<std::string> all_gather(const std::string& bytes) = 0;
    virtual void barrier() = 0;

    /// A further group of the members that give the same colour, in the same order; null for those that give
    /// a negative one. Called by all members. It has its own numbering and may be used beside this one.
    virtual std::unique_ptr<ProcessGroup> split(int colour) = 0;
    /// From any thread: whatever is running, and everything after it, ends in PeerLostError(why).
    virtual void abort(const std::string& why) = 0;
};

}  // namespace rankscope::engine
