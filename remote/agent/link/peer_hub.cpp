// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/link/link_socket.h>
#include <remote/agent/link/peer_link.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstring>

namespace rankscope::agent {
namespace {

constexpr double kProveWithin = 5;
constexpr std::size_t kMaxPending = 64;

}  // namespace

AgentResult<std::uint16_t> PeerLink::listen(const std::string& address) {
    listener_ = bound_socket(address);
    sockaddr_storage bound{};
    socklen_t length = sizeof bound;
    if (!listener_ || ::listen(listener_.get(), 64) != 0 ||
        ::getsockname(listener_.get(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
        const int error = errno;
        listener_.reset();
        return AgentFailure{.code = "io-error", .detail = std::strerror(error), .error = error};
    }
    return ntohs(bound.ss_family == AF_INET ? reinterpret_cast<sockaddr_in*>(&bound)->sin_port
                                            : reinterpret_cast<sockaddr_in6*>(&bound)->sin6_port);
}

void PeerLink::accept_some(double now) {
    while (listener_) {
        UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!fd) {
            return;
        }
        const int on = 1;
        ::setsockopt(fd.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
        if (pending_.size() >= kMaxPending) {
            pending_.erase(pending_.begin());  // strangers who only connect must not keep our own out
        }
        pending_.push_back(
            {PeerChannel(std::move(fd), PeerChannel::Side::Hub, options_.token, options_.run_id),
             now + kProveWithin});
        pending_.back().channel.flush();
    }
}

void PeerLink::read_pending(double now) {
    for (auto& pending : pending_) {
        const auto messages = pending.channel.read();
        pending.channel.flush();
        const bool hello = !messages.empty() && messages.front().has_hello();
        const std::size_t index = hello ? messages.front().hello().index() : 0;
        if (index == 0 || index >= peers_.size()) {
            pending.until =
                messages.empty() && pending.channel.state() == PeerChannel::State::Open ? pending.until : 0;
            continue;
        }
        Peer& peer = peers_[index];
        peer.channel.emplace(std::move(pending.channel));
        peer.linked = true;
        peer.heard = now;
        peer.lost = 0;
        peer.beats = peer.confirmed = peer.its_beat = 0;
        pending.until = 0;
        for (std::size_t i = 1; i < messages.size(); ++i) {
            take(index, messages[i]);
        }
        send_stopped_ranks(peer);
        send_cause(peer);
        next_beat_ = 0;  // so that it knows at once that it is linked
    }
    std::erase_if(pending_, [now](const Pending& pending) { return pending.until <= now; });
}

void PeerLink::take_ready(Peer& peer, const wire::PeerReady& ready) {
    peer.ready = std::max(peer.ready, ready.attempt());
    peer.finished = ready.finished() && ready.attempt() == attempt_;
    if (ready.attempt() == attempt_ && attempt_ > 0 && !ready.finished() && peer.channel) {
        wire::PeerMessage go;  // it has not heard: the connection was lost in between
        go.mutable_go()->set_attempt(attempt_);
        peer.channel->send(go);
    }
}

void PeerLink::go_if_all_are_ready() {
    if (!hub() || !waits_to_restart()) {
        return;
    }
    for (std::size_t i = 1; i < peers_.size(); ++i) {
        if (!peers_[i].channel || peers_[i].over || peers_[i].ready < own_ready_) {
            return;
        }
    }
    wire::PeerMessage go;
    go.mutable_go()->set_attempt(own_ready_);
    for (std::size_t i = 1; i < peers_.size(); ++i) {
        peers_[i].finished = false;
        peers_[i].channel->send(go);
    }
    begin_attempt(own_ready_);
}

}  // namespace rankscope::agent
