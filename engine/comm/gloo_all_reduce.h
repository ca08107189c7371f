// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gloo/context.h>
#include <gloo/transport/unbound_buffer.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <vector>

namespace rankscope::engine {

/// Sum over the ranks, built on Gloo's point-to-point messages. Every rank owns one shard: all send it their
/// part of it, it adds them in rank order (so the result is the same bits on every rank and in every run) and
/// sends the sum to all. That moves as many bytes as a ring in two rounds instead of 2·(ranks − 1). Two ranks
/// with little to add (up to 1 MiB) send each other everything: one round. Above kMaxDirectRanks, where so
/// many messages at once would hurt, Gloo's ring is used.
class GlooAllReduce {
public:
    explicit GlooAllReduce(std::shared_ptr<gloo::Context> context) : context_(std::move(context)) {}
    /// In place. Throws what Gloo throws.
    void run(std::span<float> values);

private:
    using Buffer = gloo::transport::UnboundBuffer;
    static constexpr int kMaxDirectRanks = 32;

    void exchange(std::span<float> values);
    void shards(std::span<float> values);
    void ring(std::span<float> values);
    Buffer& buffer_of(std::span<float> values);
    std::span<float> scratch(std::size_t size);

    std::shared_ptr<gloo::Context> context_;
    std::map<std::pair<const float*, std::size_t>, std::unique_ptr<Buffer>> buffers_;
    std::vector<float> scratch_;
    std::uint64_t operations_ = 0;
};

}  // namespace rankscope::engine
