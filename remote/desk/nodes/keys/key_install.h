// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/inventory/inventory.h>
#include <remote/desk/nodes/keys/key_pair.h>
#include <remote/desk/nodes/transport/prompter.h>

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// Of one node.
struct KeyInstallation {
    std::string node;
    bool added = false;          ///< false: it was there already
    bool verified = false;       ///< a login with this key alone succeeded
    std::string logged_in_with;  ///< to install it: "~/.ssh/id_rsa", "a password"
    std::optional<Failure> failure;
};

/// Asks the user once for what many nodes need: the first password typed is tried on all of them, and a node
/// that refuses it is not asked for again. Kept in memory only, wiped at the end.
class SharedSecret {
public:
    explicit SharedSecret(Prompter asking);
    SharedSecret(const SharedSecret&) = delete;
    SharedSecret& operator=(const SharedSecret&) = delete;
    ~SharedSecret();

    /// Outlives this object: then it answers nothing.
    Prompter prompter() const;

private:
    struct State;
    std::shared_ptr<State> state_;
};

/// Logs in (as a run would), appends the public key to authorized_keys unless it is there, sets the modes
/// that sshd wants, and logs in again with nothing but the key. Blocks; for a thread of its own.
KeyInstallation install_key(const NodeSpec& node, const KeyPair& key, const Prompter& prompter,
                            const std::stop_token& stop,
                            const std::function<void(const std::string&)>& progress = {});

/// All nodes at once, results in their order. `done` is called from several threads, as each one ends.
std::vector<KeyInstallation> install_key_on(
    const std::vector<NodeSpec>& nodes, const KeyPair& key, const Prompter& prompter,
    const std::stop_token& stop, const std::function<void(std::size_t, const KeyInstallation&)>& done = {});

/// The shell lines that do it there, the key's line on their stdin; exit codes and words are for install_key.
std::string install_key_script(const KeyPair& key);

}  // namespace rankscope::inline nodes
