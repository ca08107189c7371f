// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/files/incoming_file.h>
#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <memory>
#include <optional>
#include <string>

namespace rankscope::agent {

/// What the agent could not do, as it goes over the wire: the desk makes the sentence.
struct AgentFailure {
    std::string code;  ///< "disk-full", "no-permission", "damaged", …
    std::string detail;
};
AgentFailure failure_from_errno(int error, const std::string& what);

/// Receives the files of a bundle into bundles/<hash>/. A file is placed when its SHA-256 is right: one that
/// is there is right, and two desks may push at the same time.
class BundleStore {
public:
    explicit BundleStore(NodePaths paths);

    wire::MissingFiles missing(const wire::HaveFiles& request) const;
    /// One piece. Pieces of a file come in order; a piece at offset 0 begins it anew.
    std::optional<AgentFailure> put(const wire::PutFile& piece, std::uint64_t& received);

private:
    std::optional<AgentFailure> begin(const wire::PutFile& piece);
    std::optional<AgentFailure> write_piece(std::string_view data);
    std::optional<AgentFailure> finish();
    AgentFailure drop(int error, const std::string& what);

    NodePaths paths_;
    std::unique_ptr<IncomingFile> incoming_;
    wire::FileRef file_;  ///< what is announced of it
};

}  // namespace rankscope::agent
