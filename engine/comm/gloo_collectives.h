// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/comm/abort_flag.h>
#include <engine/comm/collective_kind.h>
#include <engine/comm/collectives.h>
#include <engine/comm/store.h>

#include <gloo/context.h>
#include <gloo/transport/unbound_buffer.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace rankscope::engine {

struct GlooOptions {
    int rank = 0;
    int world_size = 1;
    std::string interface_name{};  ///< device to bind, for example "eth0"; empty: use `address`
    std::string address{};         ///< local address to bind
    std::string name = "world";    ///< of the group: part of the store's keys
    std::chrono::milliseconds connect_timeout{120000};
    std::chrono::milliseconds timeout{1800000};  ///< last resort of every operation
};

/// Collectives over TCP between hosts, built on Gloo's point-to-point messages.
///
/// All-reduce: every rank owns one shard; all send it their part of it, it adds them in rank order (so the
/// result is the same bits on every rank and in every run) and sends the sum to all. That moves as many bytes
/// as a ring, in two rounds; at most kWindow messages are in flight at once. Two ranks with little to add (up
/// to kExchangeBytes) send each other everything: one round.
///
/// Every operation's messages carry a number made from what the operation is: ranks that are out of step wait
/// for one another (and the watchdog names them) instead of mixing up their data.
class GlooCollectives final : public Collectives {
public:
    /// Connects every rank with every other; they exchange their addresses through the store. Throws Error
    /// when that fails.
    GlooCollectives(const GlooOptions& options, Store& store);
    ~GlooCollectives() override;

    int rank() const override { return context_->rank; }
    int size() const override { return context_->size; }
    std::string transport() const override { return "Gloo"; }
    void all_reduce(const Reduction& reduction) override;
    void broadcast(std::span<std::byte> bytes, int root) override;
    void all_gather(std::span<const std::byte> mine, std::span<std::byte> all) override;
    void reduce_scatter(const Reduction& reduction, Shares shares) override;
    void gather_shares(std::span<const Piece> pieces, ElementType type, Shares shares) override;
    void barrier() override;
    void send(std::span<const std::byte> bytes, int to) override;
    void receive(std::span<std::byte> bytes, int from) override;
    std::uint64_t sent() const override { return sent_; }
    void abort(const std::string& why) override;

private:
    using Buffer = gloo::transport::UnboundBuffer;
    struct Message {
        int peer = 0;
        std::size_t offset = 0;  ///< bytes
        std::size_t bytes = 0;
    };

    /// Messages to one rank: one is on its way, in memory of its own.
    struct Outgoing {
        std::vector<std::byte> bytes;
        std::unique_ptr<Buffer> buffer;  ///< of all of them
        std::uint64_t messages = 0;      ///< so far
    };

    void begin(CollectiveKind operation, std::size_t bytes, int detail);
    std::uint64_t slot(unsigned round) const;
    /// Sends and receives, step by step; step s goes to rank + s and comes from rank − s.
    template <typename Send, typename Receive>
    void exchange_all(unsigned round, Buffer& out, Buffer& in, const Send& send, const Receive& receive);
    void run(Buffer& out, std::span<const Message> sends, Buffer& in, std::span<const Message> receives,
             unsigned round);

    void add_directly(const Reduction& reduction, std::byte* values);
    void in_one_array(const Reduction& reduction, const std::function<void(std::byte*)>& work);
    void add_own_share(const Reduction& reduction, Shares shares, std::byte* values, unsigned round);
    void give_own_share(std::byte* values, std::size_t element, Shares shares, unsigned round);
    Buffer& buffer_of(std::byte* data, std::size_t bytes);
    std::byte* grow(std::vector<std::byte>& memory, std::size_t bytes);
    void finished(bool done) const;

    std::shared_ptr<gloo::Context> context_;
    std::chrono::milliseconds timeout_;
    std::uint64_t operation_ = 0;
    std::uint64_t signature_ = 0;
    std::uint64_t sent_ = 0;
    std::vector<std::byte> packed_;          ///< what is little or in several pieces
    std::vector<std::byte> parts_;           ///< what the others send
    std::map<int, std::uint64_t> received_;  ///< messages by rank

    struct Known {
        std::byte* data = nullptr;
        std::size_t bytes = 0;
        std::unique_ptr<Buffer> buffer;
    };
    std::mutex mutex_;                  ///< of buffers_ and outgoing_, which abort() reads
    std::list<Known> buffers_;          ///< the most recently used first
    std::map<int, Outgoing> outgoing_;  ///< by rank
    AbortFlag aborted_;
};

}  // namespace rankscope::engine
