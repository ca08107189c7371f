// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// rankscope-askpass: ssh starts it to ask the user a question (SSH_ASKPASS). It sends the question to the
// program that started ssh, through the private socket named in the environment, and the answer back.

#include <base/fd.h>

#include <sodium/utils.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string_view>

namespace {

bool write_all(int fd, std::string_view bytes) {
    while (!bytes.empty()) {
        const auto put = ::write(fd, bytes.data(), bytes.size());
        if (put <= 0) {
            return false;
        }
        bytes.remove_prefix(static_cast<std::size_t>(put));
    }
    return true;
}

}  // namespace

int main(int argc, char** argv) {
    const char* path = std::getenv("RANKSCOPE_ASKPASS_SOCKET");
    sockaddr_un address{};
    if (path == nullptr || std::strlen(path) >= sizeof address.sun_path) {
        return 1;
    }
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path, std::strlen(path) + 1);
    const rankscope::UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (!fd || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0 ||
        !write_all(fd.get(), argc > 1 ? argv[1] : "") || ::shutdown(fd.get(), SHUT_WR) != 0) {
        return 1;
    }
    std::array<char, 4096> bytes{};
    bool answered = false;
    for (;;) {
        const auto got = ::read(fd.get(), bytes.data(), bytes.size());
        if (got <= 0) {
            break;
        }
        answered = write_all(STDOUT_FILENO, {bytes.data(), static_cast<std::size_t>(got)});
    }
    sodium_memzero(bytes.data(), bytes.size());
    return answered ? 0 : 1;
}
