// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/files/incoming_file.h>
#include <remote/agent/node/agent_failure.h>
#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <map>
#include <memory>
#include <string>

namespace rankscope::agent {

/// Receives the files of a bundle into bundles/<hash>/. A file is placed when its SHA-256 is right, and two
/// desks may push at the same time.
class BundleStore {
public:
    explicit BundleStore(NodePaths paths);

    /// The files that are absent or whose content is not the announced one. A file is hashed once and
    /// remembered with its times and inode (<bundle>/.verified); any later change to it is noticed. Fails
    /// with "cache-unsafe" where another user can write to the bundle's folder.
    AgentResult<wire::MissingFiles> missing(const wire::HaveFiles& request) const;
    /// One piece; the result is the number of bytes received of its file. Pieces of a file come in order; a
    /// piece at offset 0 begins it again.
    AgentResult<std::uint64_t> put(const wire::PutFile& piece);

private:
    AgentResult<void> check_folders(const std::string& bundle) const;
    AgentResult<void> begin(const wire::PutFile& piece);
    AgentResult<void> write_piece(std::string_view data);
    AgentResult<void> finish();

    NodePaths paths_;
    std::unique_ptr<IncomingFile> incoming_;
    wire::FileRef file_;  ///< what is announced of it
};

}  // namespace rankscope::agent
