// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <functional>
#include <optional>
#include <string>

namespace rankscope {

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

/// Questions only the person can answer. Called on a connection's own thread, which waits for the answer;
/// never on the window's thread. Answers are kept in memory only, never on disk, in a log or a command line.
struct Prompter {
    /// true: trust this key from now on (it is added to known_hosts).
    std::function<bool(const HostKeyQuestion&)> accept_host_key;
    /// nothing: the person cancelled.
    std::function<std::optional<std::string>(const SecretQuestion&)> secret;
};

}  // namespace rankscope
