// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/node/node_paths.h>
#include <remote/agent/supervise/control_socket.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

namespace rankscope::agent {
namespace {

sockaddr_un address_in(const UniqueFd& dir) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::snprintf(address.sun_path, sizeof address.sun_path, "/proc/self/fd/%d/%s", dir.get(),
                  RunDir::kSocketName);
    return address;
}

UniqueFd open_dir(const std::filesystem::path& dir) {
    return UniqueFd(::open(dir.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
}

}  // namespace

AgentResult<void> ControlSocket::listen(const std::filesystem::path& dir) {
    const UniqueFd folder = open_dir(dir);
    listener_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const auto address = address_in(folder);
    ::unlinkat(folder.get(), RunDir::kSocketName, 0);
    const mode_t before = ::umask(0077);
    const bool ok =
        ::bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::listen(listener_.get(), 16) == 0;
    const int error = errno;
    ::umask(before);
    if (!ok) {
        return failure_from_errno(error, (dir / RunDir::kSocketName).string());
    }
    return {};
}

void ControlSocket::add_to(std::vector<pollfd>& fds) const {
    fds.push_back({listener_.get(), POLLIN, 0});
    for (const auto& client : clients_) {
        fds.push_back({client.fd.get(), POLLIN, 0});
    }
}

void ControlSocket::serve(const std::function<void(const wire::Request&)>& handle) {
    for (;;) {
        UniqueFd fd(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
        if (!fd) {
            break;
        }
        clients_.push_back({std::move(fd), {}});
    }
    for (auto& client : clients_) {
        std::array<char, 4096> bytes;
        for (;;) {
            const auto got = ::read(client.fd.get(), bytes.data(), bytes.size());
            if (got > 0) {
                client.frames.feed({bytes.data(), static_cast<std::size_t>(got)});
                continue;
            }
            if (got == 0 || errno != EAGAIN) {
                client.fd.reset();
            }
            break;
        }
        while (const auto payload = client.frames.next()) {
            wire::Request request;
            if (request.ParseFromArray(payload->data(), static_cast<int>(payload->size()))) {
                handle(request);
            }
        }
    }
    std::erase_if(clients_, [](const Client& client) { return !client.fd; });
}

bool send_to_supervisor(const std::filesystem::path& dir, const wire::Request& request) {
    const UniqueFd folder = open_dir(dir);
    const UniqueFd fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const auto address = address_in(folder);
    if (!folder || ::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        return false;
    }
    std::string frame;
    append_frame(frame, request.SerializeAsString());
    return ::send(fd.get(), frame.data(), frame.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(frame.size());
}

}  // namespace rankscope::agent
