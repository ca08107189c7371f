// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <base/sha256.h>
#include <remote/agent/node/agent_failure.h>

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace rankscope::agent {

/// A file that is pushed here piece by piece: written under a temporary name beside its place and hashed on
/// the way, so that what is at its place is always whole, and a program that runs keeps what it has open.
/// Removed unless it is placed. Failures carry errno.
class IncomingFile {
public:
    explicit IncomingFile(std::filesystem::path target);
    ~IncomingFile();
    IncomingFile(const IncomingFile&) = delete;
    IncomingFile& operator=(const IncomingFile&) = delete;

    /// Makes its folder, too.
    AgentResult<void> create();
    AgentResult<void> append(std::string_view data);
    /// The SHA-256 of what was appended, 32 bytes. Once, after the last piece.
    std::string digest();
    /// To its place, with this mode.
    AgentResult<void> place(mode_t mode);

    const std::filesystem::path& target() const { return target_; }
    std::uint64_t received() const { return received_; }

private:
    std::filesystem::path target_;
    std::filesystem::path temporary_;
    UniqueFd fd_;
    Sha256 hash_;
    std::uint64_t received_ = 0;
};

/// A name for what is not at its place yet. Two nodes may write to one shared folder at the same time: no
/// process id is unique there.
std::string part_name();

}  // namespace rankscope::agent
