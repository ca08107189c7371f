// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/agent/node/folder_socket.h>
#include <remote/agent/node/node_paths.h>
#include <remote/agent/supervise/control_socket.h>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace rankscope::agent {

AgentResult<void> ControlSocket::listen(const std::filesystem::path& dir) {
    auto listener = listen_in_folder(dir, RunDir::kSocketName, SOCK_STREAM);
    if (!listener) {
        return listener.failure();
    }
    listener_ = std::move(*listener);
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
    const UniqueFd fd = connect_in_folder(dir, RunDir::kSocketName, SOCK_STREAM);
    if (!fd) {
        return false;
    }
    std::string frame;
    append_frame(frame, request.SerializeAsString());
    return ::send(fd.get(), frame.data(), frame.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(frame.size());
}

}  // namespace rankscope::agent
