// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/nodes/session/pieces_under_way.h>

#include <utility>

namespace rankscope::inline nodes {
namespace {

constexpr std::size_t kAtMost = 8;
constexpr double kAnswerTimeout = 120;  // the node's disk may be slow

}  // namespace

PiecesUnderWay::PiecesUnderWay(AgentLink& link, std::uint64_t total, std::string what,
                               const AgentLink::Progress& progress)
    : link_(link), total_(total), what_(std::move(what)), progress_(progress) {}

Result<void> PiecesUnderWay::send(wire::Request piece, std::uint64_t bytes) {
    waiting_.push_back({link_.send(std::move(piece)), bytes});
    return waiting_.size() >= kAtMost ? take_one() : Result<void>();
}

Result<void> PiecesUnderWay::finish() {
    while (!waiting_.empty()) {
        if (auto done = take_one(); !done) {
            return done;
        }
    }
    return {};
}

Result<void> PiecesUnderWay::take_one() {
    const Waiting oldest = waiting_.front();
    waiting_.pop_front();
    auto reply = link_.receive(oldest.id, kAnswerTimeout);
    if (!reply) {
        return reply.failure();
    }
    done_ += oldest.bytes;
    if (progress_ && total_ > 0) {
        progress_(what_, static_cast<double>(done_) / static_cast<double>(total_));
    }
    return {};
}

}  // namespace rankscope::inline nodes
