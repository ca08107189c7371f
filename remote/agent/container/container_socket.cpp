// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/clock.h>
#include <base/wait_fd.h>
#include <remote/agent/container/container_socket.h>

#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <string>

namespace rankscope::agent {
namespace {

constexpr int kMostBytes = 1 << 20;  // of one message; the kernel may allow less (net.core.wmem_max)
constexpr std::size_t kMostFds = 4;
constexpr double kPatience = 5;  // for room in the other's queue

}  // namespace

ContainerSocket::ContainerSocket(UniqueFd fd) : fd_(std::move(fd)) {
    set_nonblocking(fd_.get(), true);
    const int size = kMostBytes;
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
}

void ContainerSocket::close() {
    fd_.reset();
    closed_ = true;
}

AgentResult<void> ContainerSocket::send(const google::protobuf::MessageLite& message,
                                        std::initializer_list<int> fds) {
    std::string bytes = message.SerializeAsString();
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFds * sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    if (fds.size() > 0) {
        header.msg_control = control.data();
        header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
        cmsghdr* rights = CMSG_FIRSTHDR(&header);
        rights->cmsg_level = SOL_SOCKET;
        rights->cmsg_type = SCM_RIGHTS;
        rights->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
        std::memcpy(CMSG_DATA(rights), fds.begin(), fds.size() * sizeof(int));
    }
    const double deadline = monotonic_s() + kPatience;
    while (::sendmsg(fd_.get(), &header, MSG_NOSIGNAL) < 0) {
        if (errno == EINTR || (errno == EAGAIN && wait_fd(fd_.get(), POLLOUT, deadline))) {
            continue;
        }
        return failure_from_errno(errno, "socket of the container");
    }
    return {};
}

bool ContainerSocket::receive(google::protobuf::MessageLite& message, std::vector<UniqueFd>& fds) {
    fds.clear();
    if (!fd_) {
        return false;
    }
    std::string bytes(kMostBytes, '\0');
    iovec part{bytes.data(), bytes.size()};
    alignas(cmsghdr) std::array<char, CMSG_SPACE(kMostFds * sizeof(int))> control{};
    msghdr header{};
    header.msg_iov = &part;
    header.msg_iovlen = 1;
    header.msg_control = control.data();
    header.msg_controllen = control.size();
    ssize_t got = -1;
    do {
        got = ::recvmsg(fd_.get(), &header, MSG_CMSG_CLOEXEC);
    } while (got < 0 && errno == EINTR);
    if (got <= 0) {
        closed_ = got == 0 || errno != EAGAIN;
        return false;
    }
    for (cmsghdr* rights = CMSG_FIRSTHDR(&header); rights != nullptr; rights = CMSG_NXTHDR(&header, rights)) {
        if (rights->cmsg_level != SOL_SOCKET || rights->cmsg_type != SCM_RIGHTS) {
            continue;
        }
        const std::size_t count = (rights->cmsg_len - CMSG_LEN(0)) / sizeof(int);
        for (std::size_t i = 0; i < count; ++i) {
            int fd = -1;
            std::memcpy(&fd, CMSG_DATA(rights) + i * sizeof fd, sizeof fd);
            fds.emplace_back(fd);
        }
    }
    return message.ParseFromArray(bytes.data(), static_cast<int>(got));
}

}  // namespace rankscope::agent
