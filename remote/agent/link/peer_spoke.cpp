// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/wait_fd.h>
#include <remote/agent/link/link_socket.h>
#include <remote/agent/link/peer_link.h>

#include <poll.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace rankscope::agent {
namespace {

constexpr double kDialTimeout = 3;
constexpr double kDialAgain = 0.25;  // after a link that was there: it is urgent
constexpr double kFirstRedial = 1;   // before the first one
constexpr double kRedialAfter = 6;   // of silence on a link that is still open

}  // namespace

void PeerLink::connect(std::vector<std::string> addresses, std::uint16_t port) {
    if (thread_.joinable() || hub()) {
        return;
    }
    addresses_ = std::move(addresses);
    port_ = port;
    start();
}

void PeerLink::dial(double now) {
    if (hub() || peers_[0].channel || peers_[0].over || addresses_.empty()) {
        return;
    }
    first_dial_ = first_dial_ > 0 ? first_dial_ : now;
    if (!dialing_.fd) {
        if (now >= next_dial_) {
            begin_dial(now);
        }
        return;
    }
    if (!wait_fd(dialing_.fd.get(), POLLOUT, now)) {
        if (now > dialing_.until) {
            dial_failed(ETIMEDOUT, now);
        }
        return;
    }
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(dialing_.fd.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
        return dial_failed(error, now);
    }
    connected_at_ = now;
    Peer& hub_peer = peers_[0];
    hub_peer.beats = hub_peer.confirmed = hub_peer.its_beat = 0;
    hub_peer.channel.emplace(std::move(dialing_.fd), PeerChannel::Side::Spoke, options_.token,
                             options_.run_id);
    wire::PeerMessage hello;
    hello.mutable_hello()->set_index(static_cast<std::uint32_t>(options_.index));
    hub_peer.channel->send(hello);
    send_stopped_ranks(hub_peer);
    send_cause(hub_peer);
    send_ready(hub_peer);
    hub_peer.channel->flush();
}

void PeerLink::begin_dial(double now) {
    const std::string& text = addresses_[next_address_ % addresses_.size()];
    const auto address = numeric_address(text, port_);
    if (!address) {
        return dial_failed(EADDRNOTAVAIL, now);
    }
    dialing_.fd = tcp_socket(address->storage.ss_family);
    dialing_.until = now + kDialTimeout;
    if (::connect(dialing_.fd.get(), reinterpret_cast<const sockaddr*>(&address->storage), address->size) !=
            0 &&
        errno != EINPROGRESS) {
        dial_failed(errno, now);
    }
}

void PeerLink::dial_failed(int error, double now) {
    dialing_.fd.reset();
    const std::string& address = addresses_[next_address_ % addresses_.size()];
    ++next_address_;
    next_dial_ = now + (peers_[0].linked ? kDialAgain : kFirstRedial);
    if (!peers_[0].linked && now - first_dial_ > options_.waiting_s && error != reported_error_) {
        reported_error_ = error;
        News news;
        news.failed_dial = FailedDial{address, port_, error};
        report(std::move(news));
    }
    if (!peers_[0].linked && !absent_reported_ && now - first_dial_ > options_.absent_s) {
        absent_reported_ = true;
        report({std::nullopt, address + ':' + std::to_string(port_) + ": " + std::strerror(error)});
    }
    // Refused where the hub listened before: its process is gone, as much as if it had closed the connection.
    if (peers_[0].lost > 0 && error == ECONNREFUSED) {
        peers_[0].closed = true;
    }
}

// After a cut, TCP itself tries again only when as much time has passed as the cut lasted. A new connection
// gets through at once.
void PeerLink::leave_silent_link(double now) {
    Peer& hub_peer = peers_[0];
    if (hub() || !hub_peer.channel || hub_peer.over || addresses_.empty() ||
        now - std::max(hub_peer.heard, connected_at_) < kRedialAfter) {
        return;
    }
    hub_peer.channel.reset();
    hub_peer.lost = hub_peer.lost > 0 ? hub_peer.lost : now;
    hub_peer.closed = false;
    next_dial_ = now;
}

void PeerLink::send_ready(Peer& hub_peer) {
    if (!hub_peer.channel || (own_ready_ == 0 && !own_finished_)) {
        return;
    }
    wire::PeerMessage message;
    message.mutable_ready()->set_attempt(own_ready_);
    message.mutable_ready()->set_finished(own_finished_);
    hub_peer.channel->send(message);
}

}  // namespace rankscope::agent
