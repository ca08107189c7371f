// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a stranger sends to the port on which a supervisor listens for the others. The first byte chooses the
// size of the pieces and whether a true greeting comes first.

#include "target.h"

#include <remote/agent/link/peer_channel.h>

#include <sys/socket.h>

#include <algorithm>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    using agent::PeerChannel;
    if (size == 0) {
        return 0;
    }
    int pair[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
        return 0;
    }
    UniqueFd stranger(pair[1]);
    PeerChannel hub(UniqueFd{pair[0]}, PeerChannel::Side::Hub, "a token", "run");
    hub.flush();
    std::string stream(fuzz::as_text(data + 1, std::min<std::size_t>(size - 1, 32768)));
    if ((data[0] & 1U) != 0) {
        std::string greeting;
        append_frame(greeting, "RANKSCOPE-PEER 2\n" + std::string(32, 'n'));
        stream.insert(0, greeting);
    }
    const std::size_t piece = 1 + data[0] * 16U;
    for (std::size_t at = 0; at < stream.size() && hub.state() == PeerChannel::State::Open; at += piece) {
        const std::string bytes = stream.substr(at, piece);
        [[maybe_unused]] const auto put = ::send(stranger.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
        fuzz::require(hub.read().empty(), "who does not hold the token is not heard");
        hub.flush();
    }
    fuzz::require(!hub.proven(), "nor believed");
    return 0;
}
