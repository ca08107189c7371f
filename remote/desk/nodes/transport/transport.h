// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/transport/prompter.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

namespace rankscope::inline nodes {

/// A command that runs on a node, with its three streams. Used by one thread.
class Channel {
public:
    virtual ~Channel() = default;

    enum class Read { Data, Nothing, Closed };
    /// Appends what is there; never waits.
    virtual Read read(std::string& out) = 0;
    virtual Read read_error(std::string& out) = 0;
    /// Bytes taken (0: none just now), or -1 when the other side is gone. Never waits.
    virtual std::ptrdiff_t write(std::string_view bytes) = 0;
    virtual void close_input() = 0;
    /// Sleeps until something may have arrived, `wake_fd` (-1: none) is readable, there may be room to write
    /// (if asked for), or the time is over.
    virtual void wait(bool for_writing, int timeout_ms, int wake_fd) = 0;
    /// After Closed: the exit status; nothing when a signal ended it or the link was lost.
    virtual std::optional<int> exit_status() = 0;
};

struct ConnectionInfo {
    std::string description;    ///< "trainer@10.0.0.11:22 through login with ~/.ssh/id_ed25519"
    std::string peer_address;   ///< the node's address of this connection; empty: local, or behind a proxy
    std::string local_address;  ///< this machine's
    double connect_s = 0;
};

/// A connection to one node, authenticated. Used by one thread. Implementations: SSH by libssh, SSH by the
/// OpenSSH binary, local.
class Transport {
public:
    virtual ~Transport() = default;

    /// Starts a command: a line for the user's login shell there.
    virtual Result<std::unique_ptr<Channel>> exec(const std::string& command) = 0;
    virtual const ConnectionInfo& info() const = 0;
};

/// Chooses the implementation for the node and connects. Blocks until connected, failed or `stop`ped (code
/// "cancelled"). `progress` gets short texts.
Result<std::unique_ptr<Transport>> open_transport(const NodeSpec& node, const Prompter& prompter,
                                                  std::stop_token stop,
                                                  const std::function<void(const std::string&)>& progress);

Failure cancelled(const std::string& where);

}  // namespace rankscope::inline nodes
