// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>
#include <optional>
#include <string>

namespace rankscope::inline nodes {

struct HostKeyQuestion {
    std::string node;
    std::string host;
    int port = 22;
    std::string key_type;     ///< "ssh-ed25519"
    std::string fingerprint;  ///< "SHA256:…", as ssh-keygen -l prints it
};

struct SecretQuestion {
    std::string node;
    std::string account;      ///< "trainer@10.0.0.11"
    std::string prompt;       ///< what the server or the key asks
    bool passphrase = false;  ///< of a key file; otherwise the account's password
    int attempt = 1;
};

/// Questions that only the user can answer. Called on a connection's own thread, which waits for the answer;
/// never on the window's thread. Answers stay in memory: not on disk, in a log or on a command line.
struct Prompter {
    /// true: trust this key from now on (it is added to known_hosts). Empty function: no key is accepted.
    std::function<bool(const HostKeyQuestion&)> accept_host_key;
    /// nothing: the user cancelled. Empty function: the user cannot be asked (no terminal).
    std::function<std::optional<std::string>(const SecretQuestion&)> secret;
};

}  // namespace rankscope::inline nodes
