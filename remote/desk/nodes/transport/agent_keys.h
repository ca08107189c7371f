// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/nodes/transport/ssh_target.h>

#include <string>
#include <vector>

namespace rankscope::inline nodes {

struct AgentKey {
    std::string type;  ///< "ssh-ed25519", "sk-ssh-ed25519@openssh.com"
    std::string blob;  ///< as in the second word of a .pub file, not in base64
    std::string comment;
};

/// The keys that the ssh agent offers for this target. Empty when there is no agent or it does not answer
/// within two seconds (libssh would wait for it for ever).
std::vector<AgentKey> list_agent_keys(const SshTarget& target);
/// The body of the agent's answer (draft-miller-ssh-agent 4.4). Damaged ones give the keys before the damage.
std::vector<AgentKey> parse_agent_keys(const std::string& body);

/// Is it ours and can others read it? ssh and we leave it alone then: who can read it may have copied it.
bool key_file_is_open(const std::string& file);
/// Does this private key file need a passphrase? Reads only its head.
bool key_needs_passphrase(const std::string& file);
/// The first word of FILE.pub: "sk-ssh-ed25519@openssh.com". Empty: there is none.
std::string public_key_type(const std::string& file);
/// IdentityFile may name the public half of a key that only the agent has.
bool is_public_half(const std::string& file);
/// Does the agent hold the key whose public half lies in FILE.pub?
bool holds(const std::vector<AgentKey>& keys, const std::string& file);

}  // namespace rankscope::inline nodes
