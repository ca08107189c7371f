// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/gloo_all_reduce.h>

#include <gloo/allreduce.h>
#include <gloo/math.h>

#include <algorithm>

namespace rankscope::engine {
namespace {

/// Between two ranks the single round halves the latency but doubles the additions: worth it while latency
/// counts.
constexpr std::size_t kMaxExchange = std::size_t{1} << 20U;

/// Apart from the numbers that Gloo's own collectives use.
constexpr std::uint64_t kSlots = std::uint64_t{0x52} << 56U;

void add(std::span<float> target, std::span<const float> other) {
    float* out = target.data();
    const float* in = other.data();
    for (std::size_t i = 0; i < target.size(); ++i) {
        out[i] += in[i];
    }
}

}  // namespace

void GlooAllReduce::run(std::span<float> values) {
    if (context_->size == 1 || values.empty()) {
        return;
    }
    if (context_->size == 2 && values.size_bytes() <= kMaxExchange) {
        exchange(values);
    } else if (context_->size <= kMaxDirectRanks) {
        shards(values);
    } else {
        ring(values);
    }
    ++operations_;
}

GlooAllReduce::Buffer& GlooAllReduce::buffer_of(std::span<float> values) {
    std::unique_ptr<Buffer>& buffer = buffers_[{values.data(), values.size()}];
    if (!buffer) {
        buffer = context_->createUnboundBuffer(values.data(), values.size_bytes());
    }
    return *buffer;
}

std::span<float> GlooAllReduce::scratch(std::size_t size) {
    if (scratch_.size() < size) {
        // Buffers made for the old memory would point into nothing.
        std::erase_if(buffers_, [this](const auto& entry) {
            const float* at = entry.first.first;
            return at >= scratch_.data() && at < scratch_.data() + scratch_.size();
        });
        scratch_ = std::vector<float>(size);
    }
    return std::span(scratch_).first(size);
}

void GlooAllReduce::exchange(std::span<float> values) {
    const int peer = 1 - context_->rank;
    const std::uint64_t slot = kSlots | (operations_ << 1U);
    const std::span<float> theirs = scratch(values.size());
    Buffer& in = buffer_of(theirs);
    Buffer& out = buffer_of(values);
    in.recv(peer, slot, 0, values.size_bytes());
    out.send(peer, slot, 0, values.size_bytes());
    in.waitRecv(context_->getTimeout());
    out.waitSend(context_->getTimeout());
    add(values, theirs);
}

void GlooAllReduce::shards(std::span<float> values) {
    const auto ranks = static_cast<std::size_t>(context_->size);
    const auto mine = static_cast<std::size_t>(context_->rank);
    const std::size_t shard = (values.size() + ranks - 1) / ranks;
    const auto begin = [&](std::size_t rank) { return std::min(rank * shard, values.size()); };
    const auto length = [&](std::size_t rank) { return begin(rank + 1) - begin(rank); };
    const std::uint64_t first = kSlots | (operations_ << 1U);
    const std::uint64_t second = first | 1U;
    const std::size_t own = length(mine);
    const std::span<float> parts = scratch(shard * ranks);
    Buffer& all = buffer_of(values);
    Buffer& in = buffer_of(parts);
    std::size_t sends = 0;
    std::size_t receives = 0;
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (rank == mine) {
            continue;
        }
        if (own > 0) {
            in.recv(static_cast<int>(rank), first, rank * shard * sizeof(float), own * sizeof(float));
            ++receives;
        }
        if (length(rank) > 0) {
            all.send(static_cast<int>(rank), first, begin(rank) * sizeof(float),
                     length(rank) * sizeof(float));
            ++sends;
        }
    }
    for (; receives > 0; --receives) {
        in.waitRecv(context_->getTimeout());
    }
    for (; sends > 0; --sends) {
        all.waitSend(context_->getTimeout());
    }
    const std::span<float> result = values.subspan(begin(mine), own);
    std::copy(result.begin(), result.end(), parts.begin() + static_cast<std::ptrdiff_t>(mine * shard));
    std::copy_n(parts.begin(), own, result.begin());
    for (std::size_t rank = 1; rank < ranks; ++rank) {
        add(result, parts.subspan(rank * shard, own));
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
        if (rank == mine) {
            continue;
        }
        if (length(rank) > 0) {
            all.recv(static_cast<int>(rank), second, begin(rank) * sizeof(float),
                     length(rank) * sizeof(float));
            ++receives;
        }
        if (own > 0) {
            all.send(static_cast<int>(rank), second, begin(mine) * sizeof(float), own * sizeof(float));
            ++sends;
        }
    }
    for (; receives > 0; --receives) {
        all.waitRecv(context_->getTimeout());
    }
    for (; sends > 0; --sends) {
        all.waitSend(context_->getTimeout());
    }
}

void GlooAllReduce::ring(std::span<float> values) {
    gloo::AllreduceOptions options(context_);
    options.setOutput(values.data(), values.size());
    options.setAlgorithm(gloo::AllreduceOptions::Algorithm::RING);
    options.setReduceFunction([](void* out, const void* a, const void* b, std::size_t count) {
        gloo::sum<float>(out, a, b, count);
    });
    gloo::allreduce(options);
}

}  // namespace rankscope::engine
