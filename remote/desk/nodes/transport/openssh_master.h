// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/private_folder.h>
#include <remote/desk/nodes/transport/process_channel.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/nodes/transport/ssh_target.h>

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// One connection of the ssh binary (ControlMaster in a private folder) that any number of commands and
/// forwarded connections share. It closes with the last shared_ptr, and by itself half a minute after this
/// program has died.
class OpenSshMaster {
public:
    /// `destination`: ssh's own words for the way: options, "--", host. `target` is for questions and
    /// messages. Blocks until authenticated, failed, or `stop`ped.
    static Result<std::shared_ptr<OpenSshMaster>> open(const std::vector<std::string>& destination,
                                                       const SshTarget& target, const Prompter& prompter,
                                                       const std::stop_token& stop);
    OpenSshMaster(const OpenSshMaster&) = delete;
    OpenSshMaster& operator=(const OpenSshMaster&) = delete;
    ~OpenSshMaster();

    /// ssh's command line for something over this connection, to be completed by options and the command. It
    /// never connects by itself.
    std::vector<std::string> client(const std::vector<std::string>& options) const;
    /// Does the connection still stand?
    bool alive() const;
    /// What ssh has said so far; `from` is a number of bytes said before.
    std::string said(std::size_t from = 0) const;

private:
    OpenSshMaster() = default;

    PrivateFolder folder_;
};

/// ssh's words for the node itself, with what the inventory says.
std::vector<std::string> openssh_destination(const NodeSpec& node);

/// A byte stream to the target through its jump hosts.
struct JumpStream {
    JumpStream() = default;
    JumpStream(JumpStream&&) = default;
    JumpStream& operator=(JumpStream&&) = default;
    /// Ends `ssh -W` at once: by itself it would wait for the other side to say goodbye.
    ~JumpStream();

    UniqueFd fd;
    std::shared_ptr<OpenSshMaster> master;
    std::unique_ptr<Program> program;  ///< `ssh -W`
    std::size_t said_before = 0;

    /// What ssh said about it.
    std::string said() const;
};
Result<JumpStream> open_jump(const SshTarget& target, const Prompter& prompter, const std::stop_token& stop);

/// The connection to the last of the target's jump hosts, one for all nodes behind it: who comes while it
/// is being made waits for it. When it failed, the next one tries again.
Result<std::shared_ptr<OpenSshMaster>> jump_master(const SshTarget& target, const Prompter& prompter,
                                                   const std::stop_token& stop);

}  // namespace rankscope::inline nodes
