// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include "support/probe_node.h"
#include "support/wait_until.h"

#include <base/fd.h>
#include <base/wait_fd.h>
#include <remote/agent/link/link_socket.h>
#include <remote/agent/probes/connect_probe.h>
#include <remote/agent/probes/probe_exchange.h>

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/resource.h>

#include <array>
#include <cerrno>
#include <vector>

namespace rankscope::agent {
namespace {

using test::kPatience;
using test::probe_token;
using test::ProbeNode;
using test::wait_until;

const std::string kToken = probe_token("node1");

UniqueFd client(std::uint16_t port) {
    UniqueFd fd = tcp_socket(AF_INET);
    const auto address = numeric_address("127.0.0.1", port);
    ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address->storage), address->size);
    EXPECT_TRUE(wait_fd(fd.get(), POLLOUT, monotonic_s() + kPatience));
    return fd;
}

bool say(const UniqueFd& fd, const std::string& bytes) {
    return ::send(fd.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(bytes.size());
}

/// What the listener sends until it closes, or until `size` bytes are here.
std::string hear(const UniqueFd& fd, std::size_t size = 1000) {
    std::string heard;
    std::array<char, 1000> bytes;
    while (heard.size() < size && wait_readable(fd.get(), monotonic_s() + kPatience)) {
        const auto got = ::recv(fd.get(), bytes.data(), std::min(bytes.size(), size - heard.size()), 0);
        if (got <= 0) {
            break;
        }
        heard.append(bytes.data(), static_cast<std::size_t>(got));
    }
    return heard;
}

bool closed(const UniqueFd& fd) {
    char byte = 0;
    const auto got = ::recv(fd.get(), &byte, 1, MSG_DONTWAIT);
    return got == 0 || (got < 0 && errno != EAGAIN);
}

bool serves(std::uint16_t port) {
    wire::ConnectTargets request;
    auto& target = *request.add_targets();
    target.set_address("127.0.0.1");
    target.set_port(port);
    target.set_token(kToken);
    request.set_seconds(kPatience);
    return connect_targets(request, {}).results(0).outcome() == wire::CONNECTED;
}

TEST(ProbeExchange, ProvesBothSides) {
    const TokenKey key = derive_key(kToken, TokenUse::Probe);
    const TokenKey other = derive_key(probe_token("node2"), TokenUse::Probe);
    const ProbeNonce nonce = new_probe_nonce();
    const std::string hello = make_probe_hello(key, nonce);
    ASSERT_EQ(hello.size(), kProbeHelloBytes);
    EXPECT_TRUE(open_probe_hello(key, hello)->proven);
    EXPECT_EQ(open_probe_hello(key, hello)->nonce, nonce);
    EXPECT_FALSE(open_probe_hello(other, hello)->proven);
    EXPECT_FALSE(open_probe_hello(key, hello.substr(1)));
    EXPECT_FALSE(open_probe_hello(key, "x" + hello.substr(1)));

    SeenAddress seen;
    seen.address[15] = 9;
    seen.port = 0xABCD;
    const std::string answer = make_probe_answer(key, nonce, seen);
    ASSERT_EQ(answer.size(), kProbeAnswerBytes);
    const auto opened = open_probe_answer(key, nonce, answer);
    ASSERT_TRUE(opened);
    EXPECT_EQ(opened->address, seen.address);
    EXPECT_EQ(opened->port, seen.port);
    EXPECT_FALSE(open_probe_answer(other, nonce, answer)) << "another node's";
    EXPECT_FALSE(open_probe_answer(key, new_probe_nonce(), answer)) << "a recorded one";
    EXPECT_FALSE(open_probe_answer(key, nonce, make_blank_probe_answer()));
    for (std::size_t i = 0; i < answer.size(); ++i) {
        std::string damaged = answer;
        damaged[i] = static_cast<char>(damaged[i] ^ 1);
        EXPECT_FALSE(open_probe_answer(key, nonce, damaged)) << i;
    }
    EXPECT_EQ(open_probe_count(make_probe_count(0x0102030405060708)), 0x0102030405060708U);
    EXPECT_FALSE(open_probe_count("1234567"));
    EXPECT_TRUE(can_begin_probe_message(""));
    EXPECT_TRUE(can_begin_probe_message("RSP"));
    EXPECT_FALSE(can_begin_probe_message("SSH"));
}

TEST(ProbeListener, AnswersAndCounts) {
    ProbeNode node;
    const auto port = node.open(kToken);
    const UniqueFd fd = client(port);
    const TokenKey key = derive_key(kToken, TokenUse::Probe);
    const ProbeNonce nonce = new_probe_nonce();
    const std::string hello = make_probe_hello(key, nonce);
    for (const char byte : hello) {
        ASSERT_TRUE(say(fd, std::string(1, byte)));  // in pieces
    }
    EXPECT_TRUE(open_probe_answer(key, nonce, hear(fd, kProbeAnswerBytes)));
    ASSERT_TRUE(say(fd, std::string(12345, 'x')));
    ::shutdown(fd.get(), SHUT_WR);
    EXPECT_EQ(open_probe_count(hear(fd)), 12345U);
}

TEST(ProbeListener, ReportsWhyAPortCannotBeOpened) {
    ProbeNode node;
    ProbeNode other;
    const auto held = other.open(kToken);
    wire::OpenProbePorts request;
    request.set_token(kToken);
    request.set_seconds(60);
    request.add_ports(held);
    request.add_ports(70000);
    request.add_ports(0);
    request.add_ports(0);
    auto ports = node.open(request);
    ASSERT_EQ(ports.ports_size(), 4);
    EXPECT_EQ(ports.ports(0).error(), EADDRINUSE);
    EXPECT_EQ(ports.ports(0).port(), held);
    EXPECT_EQ(ports.ports(1).error(), EINVAL);
    EXPECT_EQ(ports.ports(2).error(), 0);
    EXPECT_NE(ports.ports(2).port(), ports.ports(3).port());
    EXPECT_TRUE(serves(static_cast<std::uint16_t>(ports.ports(2).port())));
    request.set_token("short");
    ports = node.open(request);
    EXPECT_EQ(ports.ports(2).error(), EINVAL);
}

TEST(ProbeListener, ANewRequestReplacesTheOldOne) {
    ProbeNode node;
    const auto first = node.open(kToken);
    const UniqueFd fd = client(first);
    const auto second = node.open(kToken);
    EXPECT_TRUE(wait_until([&] { return closed(fd); }));
    EXPECT_TRUE(serves(second));
    EXPECT_EQ(node.open(kToken, first), first) << "it is free, although connections were closed there";
}

TEST(ProbeListener, ClosesByItself) {
    ProbeNode node;
    const auto port = node.open(kToken, 0, 0.2);
    EXPECT_TRUE(wait_until([&] {
        wire::ConnectTargets request;
        auto& target = *request.add_targets();
        target.set_address("127.0.0.1");
        target.set_port(port);
        target.set_plain(true);
        request.set_seconds(5);
        return connect_targets(request, {}).results(0).outcome() == wire::CONNECT_RESET;
    }));
}

TEST(ProbeListener, StrangersLearnNothing) {
    ProbeNode node;
    const auto port = node.open(kToken);
    for (const std::string& garbage :
         {std::string("GET / HTTP/1.1\r\n\r\n"), std::string(1, '\0'), std::string(5000, 'x')}) {
        const UniqueFd fd = client(port);
        say(fd, garbage);
        EXPECT_EQ(hear(fd), "");
        EXPECT_TRUE(wait_until([&] { return closed(fd); }));
    }
    // Who knows the protocol but not the token gets bytes that look random.
    const TokenKey key = derive_key(probe_token("a guess"), TokenUse::Probe);
    const ProbeNonce nonce = new_probe_nonce();
    const UniqueFd first = client(port);
    const UniqueFd second = client(port);
    say(first, make_probe_hello(key, nonce));
    say(second, make_probe_hello(key, nonce));
    const std::string answer = hear(first);
    EXPECT_EQ(answer.size(), kProbeAnswerBytes);
    EXPECT_FALSE(open_probe_answer(key, nonce, answer));
    EXPECT_FALSE(open_probe_answer(derive_key(kToken, TokenUse::Probe), nonce, answer));
    EXPECT_NE(hear(second), answer);
}

TEST(ProbeListener, SilentAndSlowStrangersAreDropped) {
    ProbeNode node;
    const auto port = node.open(kToken);
    const UniqueFd silent = client(port);
    const UniqueFd slow = client(port);
    const std::string hello = make_probe_hello(derive_key(kToken, TokenUse::Probe), new_probe_nonce());
    std::size_t sent = 0;
    EXPECT_TRUE(wait_until([&] {
        if (sent < hello.size() / 2 && !closed(slow)) {
            say(slow, hello.substr(sent++, 1));  // a byte each few milliseconds does not buy time
        }
        return closed(slow) && closed(silent);
    }));
}

TEST(ProbeListener, FloodsDoNotKeepOthersOut) {
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &limit), 0);
    const rlimit before = limit;
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 4096);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    {
        ProbeNode node;
        const auto port = node.open(kToken);
        std::vector<UniqueFd> flood;
        for (int i = 0; i < 1200; ++i) {
            flood.push_back(client(port));
        }
        EXPECT_TRUE(serves(port));
        const auto open = [&] {
            return std::count_if(flood.begin(), flood.end(), [](const UniqueFd& fd) { return !closed(fd); });
        };
        EXPECT_TRUE(wait_until([&] { return open() <= 512; }));
    }
    // The same where the process has few descriptors left for it.
    limit.rlim_cur = 100;
    ProbeNode node;
    const auto port = node.open(kToken);
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &limit), 0);
    std::vector<UniqueFd> taken;
    for (int fd = 0; (fd = ::dup(0)) >= 0;) {
        taken.emplace_back(fd);
    }
    taken.resize(taken.size() - 4);
    EXPECT_TRUE(serves(port)) << "one descriptor for each side, and two spare ones";
    ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(ProbeListener, TooManyBytesEndTheConnection) {
    ProbeNode node;
    const auto port = node.open(kToken);
    const UniqueFd fd = client(port);
    say(fd, make_probe_hello(derive_key(kToken, TokenUse::Probe), new_probe_nonce()));
    ASSERT_EQ(hear(fd, kProbeAnswerBytes).size(), kProbeAnswerBytes);
    const std::string block(1U << 20U, 'x');
    std::size_t sent = 0;
    EXPECT_TRUE(wait_until([&] {
        for (;;) {
            const auto put = ::send(fd.get(), block.data(), block.size(), MSG_NOSIGNAL);
            if (put <= 0) {
                return errno != EAGAIN;
            }
            sent += static_cast<std::size_t>(put);
        }
    }));
    EXPECT_GE(sent, 64U << 20U);
    EXPECT_LT(sent, 100U << 20U);
    EXPECT_TRUE(serves(port));
}

}  // namespace
}  // namespace rankscope::agent
