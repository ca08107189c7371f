// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <base/fd.h>
#include <remote/desk/nodes/transport/prompter.h>
#include <remote/desk/nodes/transport/ssh_target.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>

namespace rankscope::inline nodes {

/// A question of ssh through SSH_ASKPASS, parsed from its words (they do not change with the locale).
struct AskpassQuestion {
    enum class Kind { HostKey, Password, Passphrase, Other };
    Kind kind = Kind::Other;
    HostKeyQuestion key;            ///< HostKey
    std::string account;            ///< Password: "trainer@10.0.0.11"
    std::string file;               ///< Passphrase: the key's file
    bool other_type_known = false;  ///< HostKey: known_hosts has another type of key for this host
};
AskpassQuestion understand_askpass(const std::string& prompt);

/// The private socket through which rankscope-askpass, started by ssh, reaches the user: no secret touches
/// disk, command line or environment. Used by the thread that waits for ssh.
class AskpassServer {
public:
    /// Listens on a socket in `folder` (mode 0700).
    static Result<std::unique_ptr<AskpassServer>> listen(const std::filesystem::path& folder,
                                                         const SshTarget& target, const Prompter& prompter);

    int fd() const { return listener_.get(); }
    /// For ssh's environment.
    std::map<std::string, std::string> environment() const;
    /// Accepts one connection, asks the user, answers. Called when fd() is readable.
    void serve_one();

    /// The user did not give the password: the error that ssh prints then is not the server's.
    bool cancelled() const { return cancelled_; }
    /// The user cannot be asked, and a password was needed.
    bool cannot_ask() const { return cannot_ask_; }
    /// At least one question was answered.
    bool answered() const { return answered_; }
    /// A key whose passphrase was not given; ssh may continue with others.
    const std::string& locked_file() const { return locked_file_; }
    /// A host key that was refused: the reason of the failure.
    const std::optional<AskpassQuestion>& refused_key() const { return refused_key_; }
    bool typed_password() const { return typed_password_; }

private:
    AskpassServer(UniqueFd listener, std::filesystem::path socket, std::filesystem::path program,
                  const SshTarget& target, const Prompter& prompter);
    std::optional<std::string> answer(const std::string& prompt);

    UniqueFd listener_;
    std::filesystem::path socket_;
    std::filesystem::path program_;
    const SshTarget& target_;
    const Prompter& prompter_;
    std::map<std::string, int> attempts_;
    bool cancelled_ = false;
    bool cannot_ask_ = false;
    bool answered_ = false;
    std::string locked_file_;
    bool typed_password_ = false;
    std::optional<AskpassQuestion> refused_key_;
};

}  // namespace rankscope::inline nodes
