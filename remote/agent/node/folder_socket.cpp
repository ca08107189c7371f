// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/node/folder_socket.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace rankscope::agent {
namespace {

constexpr int kWaiting = 16;

UniqueFd open_dir(const std::filesystem::path& dir) {
    return UniqueFd(::open(dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

sockaddr_un address_in(const UniqueFd& dir, const char* name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", dir.get(), name);
    return address;
}

}  // namespace

AgentResult<UniqueFd> listen_in_folder(const std::filesystem::path& dir, const char* name, int type) {
    const UniqueFd folder = open_dir(dir);
    UniqueFd listener(::socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto address = address_in(folder, name);
    ::unlinkat(folder.get(), name, 0);
    const mode_t before = ::umask(0077);
    const bool ok =
        ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::listen(listener.get(), kWaiting) == 0;
    const int error = errno;
    ::umask(before);
    if (!ok) {
        return failure_from_errno(error, (dir / name).string());
    }
    return listener;
}

UniqueFd connect_in_folder(const std::filesystem::path& dir, const char* name, int type) {
    const UniqueFd folder = open_dir(dir);
    UniqueFd fd(::socket(AF_UNIX, type | SOCK_CLOEXEC, 0));
    const auto address = address_in(folder, name);
    if (!folder || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        fd.reset();
    }
    return fd;
}

}  // namespace rankscope::agent
