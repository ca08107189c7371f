// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Sockets whose network is gone, in a network namespace of one thread.

#include "support/run_program.h"
#include "support/wait_until.h"

#include <base/fd.h>
#include <remote/agent/probes/socket_states.h>

#include <arpa/inet.h>
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace rankscope::agent {
namespace {

bool ip(const std::string& words) {
    return test::run_program({"/bin/sh", "-c", "ip " + words}).status == 0;
}

std::uint64_t inode_of(const UniqueFd& fd) {
    struct stat info {};
    ::fstat(fd.get(), &info);
    return info.st_ino;
}

sockaddr_in address_of(const char* host, std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    ::inet_pton(AF_INET, host, &address.sin_addr);
    return address;
}

wire::SocketState state_of(const UniqueFd& fd, bool listed = false) {
    const ProcFolder net("/proc/thread-self/net");
    const auto table = listed ? read_listed_sockets(net, {inode_of(fd)}) : read_sockets(net, {inode_of(fd)});
    EXPECT_EQ(table.unseen.empty(), !listed) << table.unseen;
    const auto found = table.sockets.find(inode_of(fd));
    return found == table.sockets.end() ? wire::SocketState() : found->second;
}

// The address is known, and no host has it: what a firewall does that drops.
void lose_everything() {
    const UniqueFd connecting(::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
    const auto nowhere = address_of("10.91.0.2", 29500);
    ASSERT_EQ(::connect(connecting.get(), reinterpret_cast<const sockaddr*>(&nowhere), sizeof nowhere), -1);
    wire::SocketState state;
    EXPECT_TRUE(test::wait_until([&] {
        state = state_of(connecting);
        return state.retransmits() > 0;
    }));
    EXPECT_EQ(state.state(), "SYN_SENT");
    EXPECT_EQ(state.local_address(), "10.91.0.1");
    EXPECT_EQ(state.peer_address(), "10.91.0.2");
    EXPECT_EQ(state.peer_port(), 29500U);
    EXPECT_FALSE(state.zero_window());
    const auto listed = state_of(connecting, true);
    EXPECT_EQ(listed.state(), "SYN_SENT");
    EXPECT_EQ(listed.peer_address(), "10.91.0.2");
    EXPECT_GT(listed.retransmits(), 0U);
}

void cut_a_connection() {
    const UniqueFd server(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = address_of("127.0.0.1", 4711);
    ASSERT_EQ(::bind(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(::listen(server.get(), 1), 0);
    EXPECT_EQ(state_of(server).state(), "LISTEN");
    const UniqueFd client(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ASSERT_EQ(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    const UniqueFd peer(::accept4(server.get(), nullptr, nullptr, SOCK_CLOEXEC));
    ASSERT_EQ(::send(client.get(), "hello", 5, 0), 5);
    EXPECT_TRUE(test::wait_until([&] { return state_of(peer).unread() == 5; }));
    EXPECT_EQ(state_of(client).unsent(), 0U);
    ASSERT_TRUE(ip("link set lo down"));
    ASSERT_EQ(::send(client.get(), "again", 5, 0), 5);
    wire::SocketState state;
    EXPECT_TRUE(test::wait_until([&] {
        state = state_of(client);
        return state.retransmitted() > 1;
    }));
    EXPECT_EQ(state.state(), "ESTABLISHED");
    EXPECT_EQ(state.unsent(), 5U);
    EXPECT_FALSE(state.zero_window());
    EXPECT_GT(state.answer_idle_s(), 0);
}

TEST(SocketStates, LostPacketsAreSeen) {
    bool permitted = false;
    std::thread([&] {
        if (::unshare(CLONE_NEWNET) != 0 || !ip("link set lo up") ||
            !ip("link add void0 type veth peer name void1") || !ip("link set void1 up") ||
            !ip("link set void0 up") || !ip("addr add 10.91.0.1/24 dev void0") ||
            !ip("neigh add 10.91.0.2 lladdr 02:00:00:00:00:09 dev void0")) {
            return;
        }
        permitted = true;
        lose_everything();
        cut_a_connection();
    }).join();
    if (!permitted) {
        GTEST_SKIP() << "needs root and a network namespace with a veth pair";
    }
}

TEST(SocketStates, OnlyWhatTheKernelNames) {
    EXPECT_EQ(socket_inode("socket:[4711]"), 4711U);
    for (const char* link :
         {"", "socket:[", "socket:[]", "socket:[x]", "pipe:[4711]", "/socket:[4711]", "socket:[4711"}) {
        EXPECT_EQ(socket_inode(link), 0U) << link;
    }
}

TEST(SocketStates, TheMostTellingStay) {
    std::vector<wire::SocketState> sockets(600);
    for (auto& socket : sockets) {
        socket.set_state("ESTABLISHED");
    }
    sockets[10].set_unread(1);
    sockets[580].set_unsent(5);
    sockets[599].set_state("SYN_SENT");
    keep_most_telling(sockets);
    ASSERT_EQ(sockets.size(), kMostSockets);
    EXPECT_EQ(sockets[0].state(), "SYN_SENT");
    EXPECT_EQ(sockets[1].unsent(), 5U);
    EXPECT_EQ(sockets[2].unread(), 1U);
}

}  // namespace
}  // namespace rankscope::agent
