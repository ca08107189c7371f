// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/agent/node/agent_failure.h>
#include <remote/wire/frame_codec.h>
#include <remote/wire/frames.pb.h>

#include <poll.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::agent {

/// The unix socket of a run's folder (node/folder_socket.h) on which its supervisor takes requests from `serve`.
class ControlSocket {
public:
    AgentResult<void> listen(const std::filesystem::path& dir);
    void add_to(std::vector<pollfd>& fds) const;
    /// Accepts and reads what is there, without blocking.
    void serve(const std::function<void(const wire::Request&)>& handle);

private:
    struct Client {
        UniqueFd fd;
        FrameReader frames;
    };
    UniqueFd listener_;
    std::vector<Client> clients_;
};

/// Sends one request to a run's supervisor. false: no supervisor listens.
bool send_to_supervisor(const std::filesystem::path& dir, const wire::Request& request);

}  // namespace rankscope::agent
