// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/collective_kind.h>
#include <engine/comm/shared_memory_messages.h>
#include <engine/error.h>

#include <cstring>
#include <new>
#include <string>
#include <utility>

namespace rankscope::engine {

/// From one rank to another, in the sender's memory. Everything but the counters is written before `filled` moves.
struct SharedMemoryMessages::Box {
    static constexpr std::size_t kLine = 64;
    alignas(kLine) PhaseCounter filled;   ///< messages so far, by the sender
    alignas(kLine) PhaseCounter emptied;  ///< messages so far, by the receiver
    alignas(kLine) HostMemory::Location at;
    std::uint64_t bytes = 0;
};

// The ranks of a pipeline take turns: looking for a while would only take the core from those that compute.
SharedMemoryMessages::SharedMemoryMessages(std::shared_ptr<HostMemory> memory, std::vector<Member> members,
                                           int rank, std::chrono::milliseconds timeout,
                                           const AbortFlag& aborted)
    : memory_(std::move(memory)),
      members_(std::move(members)),
      rank_(rank),
      timeout_(timeout),
      aborted_(aborted),
      own_(memory_->allocate(sizeof(Box) * members_.size())),
      outgoing_(members_.size()),
      received_(members_.size()),
      patience_(false) {
    for (std::size_t i = 0; i < members_.size(); ++i) {
        new (own_.get() + i * sizeof(Box)) Box{};
    }
}

SharedMemoryMessages::~SharedMemoryMessages() = default;

SharedMemoryMessages::Box& SharedMemoryMessages::box(int from, int to) const {
    return boxes_[static_cast<std::size_t>(from)][to];
}

std::uint32_t SharedMemoryMessages::block() const {
    return memory_->locate(own_.get(), sizeof(Box))->block;
}

void SharedMemoryMessages::connect(std::span<const std::uint32_t> blocks) {
    for (std::size_t other = 0; other < members_.size(); ++other) {
        std::byte* page = memory_->resolve(members_[other].place, {.block = blocks[other], .offset = 0});
        boxes_.push_back(std::launder(static_cast<Box*>(static_cast<void*>(page))));
    }
}

void SharedMemoryMessages::wait(PhaseCounter& counter, std::uint32_t messages, int other, const char* what) {
    const auto began = std::chrono::steady_clock::now();
    aborted_.check();
    patience_.wait(counter, messages, [&] {
        aborted_.check();
        if (std::chrono::steady_clock::now() - began >= timeout_) {
            throw PeerLostError("rank " + std::to_string(name(other)) + " did not " + what +
                                " a message within " + std::to_string(timeout_.count() / 1000) + " s");
        }
    });
}

void SharedMemoryMessages::send(std::span<const std::byte> bytes, int to) {
    Outgoing& outgoing = outgoing_[static_cast<std::size_t>(to)];
    Box& box = this->box(rank_, to);
    wait(box.emptied, outgoing.messages, to, "receive");
    if (outgoing.bytes < bytes.size()) {
        outgoing.memory = memory_->allocate(bytes.size());
        outgoing.bytes = bytes.size();
    }
    if (!bytes.empty()) {
        std::memcpy(outgoing.memory.get(), bytes.data(), bytes.size());
        box.at = *memory_->locate(outgoing.memory.get(), bytes.size());
    }
    box.bytes = bytes.size();
    box.filled.advance(++outgoing.messages);
}

void SharedMemoryMessages::receive(std::span<std::byte> bytes, int from) {
    Box& box = this->box(from, rank_);
    std::uint32_t& received = received_[static_cast<std::size_t>(from)];
    wait(box.filled, received + 1, from, "send");
    if (box.bytes != bytes.size()) {
        throw Error("the ranks are out of step: rank " + std::to_string(name(from)) + " sent a message of " +
                    bytes_text(box.bytes) + ", rank " + std::to_string(name(rank_)) + " expects " +
                    bytes_text(bytes.size()));
    }
    if (!bytes.empty()) {
        std::memcpy(bytes.data(), memory_->resolve(members_[static_cast<std::size_t>(from)].place, box.at),
                    bytes.size());
    }
    box.emptied.advance(++received);
}

}  // namespace rankscope::engine
