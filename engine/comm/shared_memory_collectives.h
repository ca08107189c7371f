// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/abort_flag.h>
#include <engine/comm/collective_kind.h>
#include <engine/comm/collectives.h>
#include <engine/comm/host_memory.h>
#include <engine/comm/phase_counter.h>
#include <engine/comm/shared_memory_messages.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::engine {

/// Collectives of ranks of one host, over memory that they share.
///
/// Little data (up to a kilobyte) is put beside the rank's counter; when all counters
/// have moved on, every rank adds for itself: one meeting. More is added in place in two: all are ready; rank
/// r adds the r-th part of every rank's array and writes it into every rank's array; all are finished. For that
/// the arrays must be memory of HostMemory::allocate(); others go through a staging block, chunk by chunk.
class SharedMemoryCollectives final : public Collectives {
public:
    using Member = SharedMemoryMessages::Member;
    /// Adds up across hosts what this host has added up.
    using Middle = std::function<void(const Piece& sum)>;

    /// `exchange` gives every member's text, by rank, in return for this one's. `timeout` is the last resort:
    /// a member that has not come by then is named in PeerLostError.
    SharedMemoryCollectives(std::shared_ptr<HostMemory> memory, std::vector<Member> members, int rank,
                            const std::function<std::vector<std::string>(const std::string&)>& exchange,
                            std::chrono::milliseconds timeout);
    ~SharedMemoryCollectives() override;

    int rank() const override { return rank_; }
    int size() const override { return static_cast<int>(members_.size()); }
    std::string transport() const override { return "shared memory"; }
    void all_reduce(const Reduction& reduction) override { all_reduce_through(reduction, nullptr); }
    void broadcast(std::span<std::byte> bytes, int root) override;
    void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
    void reduce_scatter(const Reduction& reduction, Shares shares) override;
    void gather_shares(std::span<const Piece> pieces, ElementType type, Shares shares) override;
    void barrier() override;
    void send(std::span<const std::byte> bytes, int to) override;
    void receive(std::span<std::byte> bytes, int from) override { messages_.receive(bytes, from); }
    std::uint64_t sent() const override { return sent_; }
    void abort(const std::string& why) override { aborted_.set(why); }

    static constexpr std::size_t kMaxPieces = 120;
    static constexpr std::size_t kMiddleBytes = std::size_t{4} << 20U;
    /// all_reduce() whose sum passes once through `middle` on rank 0 before every rank gets it: at most
    /// kMaxPieces pieces and kMiddleBytes bytes. All members give one (the others' is not called), or none
    /// does; without it there is no limit.
    void all_reduce_through(const Reduction& reduction, const Middle& middle);

private:
    struct Signature;
    struct Descriptor;
    struct Control;
    struct Windows;

    Control& control(int rank) const { return *controls_[static_cast<std::size_t>(rank)]; }
    Control& own() const { return control(rank_); }
    std::size_t parity() const { return operation_ & 1U; }

    void begin(const Signature& signature);
    void meet();
    void verify(int other) const;
    void check_time();

    std::byte* slot(int rank) const;
    std::byte* staging();
    void publish(std::span<const Piece> pieces, std::size_t element);
    void reduce_small(const Reduction& reduction, const Middle& middle);
    void reduce_large(const Reduction& reduction, const Middle& middle);
    Windows open_windows(const Reduction& reduction);
    std::byte* element_of(const Windows& windows, std::size_t rank, std::size_t piece, std::size_t offset,
                          std::size_t in_chunk) const;
    void in_parts(const Reduction& reduction,
                  const std::function<void(const Reduction& part, std::size_t before)>& work);
    using ChunkWork = std::function<void(const Windows&, std::size_t begin, std::size_t end)>;
    void over_windows(const Reduction& reduction, std::size_t given, std::size_t given_end,
                      const ChunkWork& work);
    void reduce_shard(const Reduction& reduction, const Windows& windows, std::size_t begin, std::size_t end,
                      std::byte* result);
    std::byte* result_buffer();

    std::shared_ptr<HostMemory> memory_;
    std::vector<Member> members_;
    int rank_;
    std::chrono::milliseconds timeout_;
    std::shared_ptr<std::byte[]> own_control_;
    std::vector<Control*> controls_;
    std::shared_ptr<std::byte[]> staging_;  ///< made when first needed
    std::shared_ptr<std::byte[]> result_;   ///< rank 0's, for `middle`
    // Scratch of one operation, kept to be free of allocations:
    std::vector<std::byte*> bases_;
    std::vector<bool> staged_;  ///< by rank
    std::vector<const void*> sources_;
    std::vector<void*> targets_;
    std::uint64_t operation_ = 0;
    std::uint64_t sent_ = 0;
    std::uint32_t phase_ = 0;
    std::chrono::steady_clock::time_point began_;
    Patience patience_;
    AbortFlag aborted_;
    SharedMemoryMessages messages_;
};

}  // namespace rankscope::engine
