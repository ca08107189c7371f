// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/peer_watch.h>

#include <charconv>

namespace rankscope::engine {
namespace {

StoreClientOptions as_watch(StoreClientOptions options) {
    options.watch = true;
    return options;
}

}  // namespace

PeerWatch::PeerWatch(StoreClientOptions options, std::function<void(const PeerLoss&)> lost)
    : rank_(options.rank),
      address_(options.host + ":" + std::to_string(options.port)),
      store_(std::make_unique<TcpStore>(as_watch(std::move(options)))),
      thread_([this, lost = std::move(lost)] { watch(lost); }) {}

PeerWatch::~PeerWatch() {
    stop();
}

void PeerWatch::stop() {
    if (!stopping_.exchange(true)) {
        store_->interrupt();
    }
}

void PeerWatch::watch(const std::function<void(const PeerLoss&)>& lost) {
    const std::optional<std::string> note = store_->get_for_ever(store_protocol::kLostKey);
    if (stopping_) {
        return;
    }
    PeerLoss loss{
        0, "its store at " + address_ + " closed the connection (killed, crashed, or its machine is gone)"};
    if (note) {
        const std::size_t space = note->find(' ');
        std::from_chars(note->data(), note->data() + std::min(space, note->size()), loss.rank);
        loss.reason = space == std::string::npos ? "" : note->substr(space + 1);
    }
    if (loss.rank != rank_) {
        lost(loss);
    }
}

}  // namespace rankscope::engine
