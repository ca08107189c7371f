// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/pieces.h>
#include <engine/tensor/element_type.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace rankscope::engine {

/// What an all-reduce adds up. All ranks give the same type, scale and counts.
struct Reduction {
    std::span<const Piece> pieces{};
    ElementType type = ElementType::f32;
    float scale = 1.0F;  ///< every value is multiplied by it before it is added

    std::size_t count() const { return element_count(pieces); }
    std::size_t bytes() const { return count() * size_of(type); }
};

/// Collectives of a group of processes, each called by all members in the same order, by one thread at a
/// time, and messages between two of them. Three implementations: SharedMemoryCollectives inside a host, GlooCollectives between hosts,
/// HierarchicalCollectives for both at once. They throw PeerLostError when another member is gone or the
/// group was aborted, Error when the members do different things.
class Collectives {
public:
    virtual ~Collectives() = default;
    virtual int rank() const = 0;
    virtual int size() const = 0;
    /// How the bytes travel, for the user: "shared memory".
    virtual std::string transport() const = 0;

    /// In place; the result is the same bits on every rank and in every run. Added in rank order; across
    /// hosts first the ranks of each host, then the hosts.
    virtual void all_reduce(const Reduction& reduction) = 0;
    virtual void broadcast(std::span<std::byte> bytes, int root) = 0;
    /// `all` has size() times the bytes of `mine`, by rank.
    virtual void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) = 0;
    /// The sum of all_reduce(), the same bits, in this rank's share only; the rest of its memory is undefined afterwards.
    virtual void reduce_scatter(const Reduction& reduction, Shares shares) = 0;
    /// Every rank's share, from its memory, in the memory of all ranks.
    virtual void gather_shares(std::span<const Piece> pieces, ElementType type, Shares shares) = 0;
    virtual void barrier() = 0;

    /// A message to another member. Returns when `bytes` may be overwritten, which is when the message before it was
    /// received. Messages from one member to another arrive in order. The sender must not go before the last one was received.
    virtual void send(std::span<const std::byte> bytes, int to) = 0;
    /// The next message of this member, which has the same size.
    virtual void receive(std::span<std::byte> bytes, int from) = 0;

    /// Bytes so far that this rank has given to others, counted once for each that takes them.
    virtual std::uint64_t sent() const = 0;

    /// From any thread: whatever is running, and everything after it, ends in PeerLostError(why), soon.
    virtual void abort(const std::string& why) = 0;
};

}  // namespace rankscope::engine
