// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/agent/node/agent_failure.h>

#include <google/protobuf/message_lite.h>

#include <initializer_list>
#include <optional>
#include <vector>

namespace rankscope::agent {

/// One end between a supervisor and its process in a container: datagrams (SOCK_SEQPACKET, unix(7)), each a message with
/// the descriptors that belong to it. Never blocks.
class ContainerSocket {
public:
    static constexpr const char* kName = "container.sock";

    ContainerSocket() = default;
    explicit ContainerSocket(UniqueFd fd);

    int fd() const { return fd_.get(); }
    explicit operator bool() const { return static_cast<bool>(fd_); }
    /// The other end is gone, or has been closed.
    bool closed() const { return closed_; }
    void close();

    AgentResult<void> send(const google::protobuf::MessageLite& message, std::initializer_list<int> fds = {});
    /// Takes one message, and its descriptors. false: there is none now.
    bool receive(google::protobuf::MessageLite& message, std::vector<UniqueFd>& fds);

private:
    UniqueFd fd_;
    bool closed_ = false;
};

}  // namespace rankscope::agent
