// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/comm/gloo_sockets.h>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <charconv>
#include <filesystem>
#include <set>
#include <string>
#include <system_error>

namespace rankscope::engine {
namespace {

std::set<int> descriptors() {
    std::set<int> found;
    std::error_code failed;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd", failed)) {
        const std::string name = entry.path().filename().string();
        int descriptor = -1;
        std::from_chars(name.data(), name.data() + name.size(), descriptor);
        found.insert(descriptor);
    }
    return found;
}

}  // namespace

SocketsOfGloo::SocketsOfGloo() : before_(descriptors()) {}

void SocketsOfGloo::disable_tcp_delay() const {
    for (const int descriptor : descriptors()) {
        if (!before_.contains(descriptor)) {
            // Fails harmlessly for what is not a TCP socket.
            const int on = 1;
            setsockopt(descriptor, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
        }
    }
}

}  // namespace rankscope::engine
