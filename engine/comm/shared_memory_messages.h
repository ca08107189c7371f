// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/abort_flag.h>
#include <engine/comm/host_memory.h>
#include <engine/comm/phase_counter.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace rankscope::engine {

/// Messages between two ranks of one host, over memory that they share: a copy into the sender's memory and one out of
/// it. Each rank has a box for each other rank, which holds one message. For one thread at a time.
class SharedMemoryMessages {
public:
    struct Member {
        int place = 0;  ///< in the HostMemory
        int name = 0;   ///< the rank that messages of errors say
    };

    /// `timeout`: a member that has not come by then is named in PeerLostError. `aborted` must outlive this.
    SharedMemoryMessages(std::shared_ptr<HostMemory> memory, std::vector<Member> members, int rank,
                         std::chrono::milliseconds timeout, const AbortFlag& aborted);
    ~SharedMemoryMessages();

    /// Where this rank's boxes are, for the others' connect().
    std::uint32_t block() const;
    /// By rank, before any message. No rank may be destroyed before all have done this.
    void connect(std::span<const std::uint32_t> blocks);

    /// See Collectives.
    void send(std::span<const std::byte> bytes, int to);
    void receive(std::span<std::byte> bytes, int from);

private:
    struct Box;
    struct Outgoing {
        std::shared_ptr<std::byte[]> memory;
        std::size_t bytes = 0;
        std::uint32_t messages = 0;  ///< so far
    };

    Box& box(int from, int to) const;
    int name(int rank) const { return members_[static_cast<std::size_t>(rank)].name; }
    void wait(PhaseCounter& counter, std::uint32_t messages, int other, const char* what);

    std::shared_ptr<HostMemory> memory_;
    std::vector<Member> members_;
    int rank_;
    std::chrono::milliseconds timeout_;
    const AbortFlag& aborted_;
    std::shared_ptr<std::byte[]> own_;
    std::vector<Box*> boxes_;              ///< by rank, those that it sends from
    std::vector<Outgoing> outgoing_;       ///< by rank
    std::vector<std::uint32_t> received_;  ///< by rank, messages so far
    Patience patience_;
};

}  // namespace rankscope::engine
