// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/shared_memory.h>

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// The memory that the ranks of one host show each other. Every rank allocates for itself; the others map a
/// block when they first need it. A table that all can read says where each block is.
class HostMemory : public std::enable_shared_from_this<HostMemory> {
public:
    /// A place in one rank's blocks: what is sent to the others instead of an address.
    struct Location {
        std::uint32_t block = 0;
        std::uint64_t offset = 0;  ///< bytes
    };

    /// Throws Error where the system gives no shared memory.
    static std::shared_ptr<HostMemory> create();

    /// What the other ranks of the host need for connect(): text.
    std::string address() const;
    /// Maps the tables of the host's ranks, given in an order that all share; `self` is this rank's place in
    /// it. Throws Error when one cannot be reached (another PID namespace, /proc not mounted, …).
    void connect(const std::vector<std::string>& addresses, int self);

    /// Ranks of the host, this one included.
    int ranks() const { return static_cast<int>(peers_.size()); }

    /// Zero-filled, on a page boundary; given back when the last copy of the pointer goes. Throws Error when
    /// there is no memory.
    std::shared_ptr<std::byte[]> allocate(std::size_t bytes);
    /// Where `bytes` bytes lie, if they are in a block of this rank.
    std::optional<Location> locate(const void* memory, std::size_t bytes) const;
    /// The other rank's bytes in this process. The block must not be given back meanwhile: it is part of a
    /// collective running. Throws Error when it cannot be mapped.
    std::byte* resolve(int peer, const Location& location);

    // Construct with create().
    HostMemory();

private:
    static constexpr std::size_t kMaxBlocks = 1000;

    struct Entry;
    struct Table;
    struct Mapping {
        std::uint64_t generation = 0;
        SharedMemory memory;
    };

    void release(std::uint32_t block);
    static Table& table_in(const SharedMemory& memory);

    SharedMemory own_table_;

    struct Peer {
        pid_t process = 0;
        SharedMemory table;
    };
    std::vector<Peer> peers_;  ///< by place in the host; this rank's own is empty
    int self_ = 0;

    mutable std::mutex mutex_;
    std::uint64_t generations_ = 0;
    std::map<std::uint32_t, SharedMemory> blocks_;             ///< this rank's
    std::map<std::pair<int, std::uint32_t>, Mapping> mapped_;  ///< the others'
};

}  // namespace rankscope::engine
