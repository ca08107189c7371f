// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/tensor/element_type.h>

#include <cstddef>
#include <span>
#include <string>

namespace rankscope::engine {

/// Elements that lie one behind the other; a reduction works on a list of them as if they were one array.
struct Piece {
    void* data = nullptr;
    std::size_t count = 0;  ///< elements
};

/// What an all-reduce adds up. All ranks give the same type, scale and counts.
struct Reduction {
    std::span<const Piece> pieces{};
    ElementType type = ElementType::f32;
    float scale = 1.0F;  ///< every value is multiplied by it before it is added

    std::size_t count() const {
        std::size_t sum = 0;
        for (const Piece& piece : pieces) {
            sum += piece.count;
        }
        return sum;
    }
    std::size_t bytes() const { return count() * size_of(type); }
};

/// Collectives of a group of processes, each called by all members in the same order, by one thread at a
/// time. Three implementations: SharedMemoryCollectives inside a host, GlooCollectives between hosts,
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
    virtual void barrier() = 0;

    /// From any thread: whatever is running, and everything after it, ends in PeerLostError(why), soon.
    virtual void abort(const std::string& why) = 0;
};

}  // namespace rankscope::engine
