// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/agent/probes/connect_outcome.h>
#include <remote/agent/probes/own_addresses.h>
#include <remote/agent/probes/probe_exchange.h>
#include <remote/wire/frames.pb.h>

#include <linux/tcp.h>

#include <optional>
#include <string>

namespace rankscope::agent {

/// Where to connect to, and how.
struct ProbeTarget {
    Address address;
    std::string interface = {};          ///< empty: the kernel's choice
    unsigned interface_index = 0;        ///< 0: the kernel's choice
    std::optional<Address> source = {};  ///< of the interface
    bool own = false;                    ///< an address of this machine
    bool plain = false;                  ///< without the exchange
    TokenKey key{};
};

/// Zeros where the kernel is too old to know a field, or the socket is none.
tcp_info tcp_info_of(int fd);

/// One socket on its way: the connection, then the exchange of probe_exchange.h. Never blocks.
class ConnectAttempt {
public:
    struct Failure {
        wire::ConnectOutcome outcome = wire::CONNECT_FAILED;
        int error = 0;
        std::optional<IcmpError> icmp = {};
    };
    enum class State { Connecting, Exchanging, Succeeded, Failed };

    ConnectAttempt(const ProbeTarget& target, const OwnAddresses& own);

    State state() const { return state_; }
    int fd() const { return fd_.get(); }
    short events() const;
    /// After poll(2) reported something.
    void step();
    const Failure& failure() const { return failure_; }
    /// The time is over: what the silence means.
    Failure unanswered();
    /// Our address as the other side sees it; empty for plain ones.
    const std::string& seen_as() const { return seen_as_; }
    UniqueFd take_socket() { return std::move(fd_); }

private:
    void begin();
    bool choose_source();
    void finish_connect();
    void read_answer();
    void fail(int error, bool at_once, std::optional<IcmpError> icmp = {});
    void fail_as(wire::ConnectOutcome outcome, int error);

    const ProbeTarget* target_;
    const OwnAddresses* own_;
    UniqueFd fd_;
    State state_ = State::Connecting;
    Failure failure_;
    std::optional<IcmpError> icmp_;  ///< the last one, about the connection that stands
    ProbeNonce nonce_{};
    std::string answer_;
    std::string seen_as_;
};

}  // namespace rankscope::agent
