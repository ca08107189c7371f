// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/probes/connect_attempt.h>

#include <netinet/in.h>
#include <poll.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

namespace rankscope::agent {
namespace {

int pending_error(int fd) {
    int error = 0;
    socklen_t size = sizeof error;
    return ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) == 0 ? error : errno;
}

bool is_connected(int fd) {
    sockaddr_storage peer{};
    socklen_t size = sizeof peer;
    return ::getpeername(fd, reinterpret_cast<sockaddr*>(&peer), &size) == 0;
}

// The kernel retransmitted the SYN, and no retransmission left this node: its own rules drop it. A packet that waits
// for the neighbour's address does not count as retransmitted at all.
bool own_rules_drop(const tcp_info& info) {
    return info.tcpi_total_retrans > 0 && info.tcpi_retrans == 0;
}

}  // namespace

tcp_info tcp_info_of(int fd) {
    tcp_info info{};
    socklen_t size = sizeof info;
    ::getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &size);
    return info;
}

ConnectAttempt::ConnectAttempt(const ProbeTarget& target, const OwnAddresses& own)
    : target_(&target), own_(&own) {
    begin();
}

void ConnectAttempt::begin() {
    const Address& address = target_->address;
    fd_ = tcp_socket(address.storage.ss_family);
    if (!fd_) {
        return fail(errno, true);
    }
    keep_icmp_errors(fd_.get(), address.storage.ss_family);
    if (!choose_source()) {
        return fail(errno, true);
    }
    if (::connect(fd_.get(), reinterpret_cast<const sockaddr*>(&address.storage), address.size) != 0 &&
        errno != EINPROGRESS) {
        fail(errno, true);
    }
}

// The interface itself; where the kernel (before 5.7) wants root for it, or the target is of this machine (its
// packets take lo), the interface's address.
bool ConnectAttempt::choose_source() {
    if (target_->interface.empty()) {
        return true;
    }
    const std::string& name = target_->interface;
    if (!target_->own && ::setsockopt(fd_.get(), SOL_SOCKET, SO_BINDTODEVICE, name.data(),
                                      static_cast<socklen_t>(name.size())) == 0) {
        return true;
    }
    const int on = 1;
    ::setsockopt(fd_.get(), IPPROTO_IP, IP_BIND_ADDRESS_NO_PORT, &on, sizeof on);
    return ::bind(fd_.get(), reinterpret_cast<const sockaddr*>(&target_->source->storage),
                  target_->source->size) == 0;
}

short ConnectAttempt::events() const {
    return state_ == State::Connecting ? POLLOUT : POLLIN;
}

void ConnectAttempt::step() {
    if (state_ == State::Connecting) {
        finish_connect();
    }
    if (state_ == State::Exchanging) {
        read_answer();
    }
}

void ConnectAttempt::finish_connect() {
    // The message decides, even where the connection continues: the kernel takes one that arrives within connect(2)
    // (a rule of this machine's) for a passing error, and sends the SYN again.
    if (auto icmp = take_icmp_error(fd_.get())) {
        return fail(icmp->error, false, icmp);
    }
    if (const int error = pending_error(fd_.get()); error != 0) {
        return fail(error, false);
    }
    if (!is_connected(fd_.get())) {
        return;
    }
    if (target_->plain) {
        state_ = State::Succeeded;
        return;
    }
    nonce_ = new_probe_nonce();
    const std::string hello = make_probe_hello(target_->key, nonce_);
    if (::send(fd_.get(), hello.data(), hello.size(), MSG_NOSIGNAL) != static_cast<ssize_t>(hello.size())) {
        return fail_as(wire::CONNECT_CLOSED, errno);
    }
    state_ = State::Exchanging;
}

void ConnectAttempt::read_answer() {
    std::array<char, kProbeAnswerBytes> bytes;
    for (;;) {
        const auto got = ::recv(fd_.get(), bytes.data(), bytes.size() - answer_.size(), 0);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) {
            if (auto icmp = take_icmp_error(fd_.get())) {
                icmp_ = icmp;
            }
            return;
        }
        if (got == 0) {
            return fail_as(wire::CONNECT_CLOSED, 0);
        }
        if (got < 0) {
            if (errno == ECONNRESET || errno == EPIPE) {
                return fail_as(wire::CONNECT_CLOSED, errno);
            }
            // Once a connection stands, the kernel reports an ICMP message and continues.
            if (auto icmp = take_icmp_error(fd_.get())) {
                icmp_ = icmp;
                continue;
            }
            return fail(errno, false);
        }
        answer_.append(bytes.data(), static_cast<std::size_t>(got));
        if (!can_begin_probe_message(answer_)) {
            return fail_as(wire::CONNECT_WRONG_HOST, EPROTO);
        }
        if (answer_.size() == kProbeAnswerBytes) {
            const auto seen = open_probe_answer(target_->key, nonce_, answer_);
            if (!seen) {
                return fail_as(wire::CONNECT_WRONG_HOST, EPROTO);
            }
            in6_addr address{};
            std::memcpy(&address, seen->address.data(), seen->address.size());
            seen_as_ = address_text(address);
            state_ = State::Succeeded;
            return;
        }
    }
}

void ConnectAttempt::fail(int error, bool at_once, std::optional<IcmpError> icmp) {
    ConnectError what;
    what.error = error;
    what.at_once = at_once;
    what.icmp = icmp;
    if (icmp) {
        what.from_self = own_->contains(icmp->from);
        what.from_target = same_address(icmp->from, target_->address.storage);
    }
    if (!at_once) {
        what.next_hop = next_hop_state(target_->address.storage, target_->interface_index);
    }
    fail_as(outcome_of(what), error);
    failure_.icmp = icmp;
}

void ConnectAttempt::fail_as(wire::ConnectOutcome outcome, int error) {
    state_ = State::Failed;
    failure_ = {outcome, error, {}};
    fd_.reset();
}

ConnectAttempt::Failure ConnectAttempt::unanswered() {
    const tcp_info info = tcp_info_of(fd_.get());
    if (state_ == State::Exchanging) {
        // Acknowledged, but not answered: a program that is not ours, or one that does not run.
        const bool arrived = info.tcpi_unacked == 0;
        if (icmp_) {
            fail(icmp_->error, false, icmp_);
        } else {
            fail_as(arrived ? wire::CONNECT_WRONG_HOST : wire::CONNECT_DROPPED, ETIMEDOUT);
        }
    } else if (own_rules_drop(info)) {
        fail_as(wire::CONNECT_LOCAL_DENIED, ETIMEDOUT);
    } else {
        fail(ETIMEDOUT, false);
    }
    return failure_;
}

}  // namespace rankscope::agent
