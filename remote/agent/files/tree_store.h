// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/files/incoming_file.h>
#include <remote/agent/node/agent_failure.h>
#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <filesystem>
#include <map>
#include <memory>
#include <string>

namespace rankscope::agent {

/// Receives the user's own files (push:) into workdir, or into jobs/<job>/ of the cache; packages of an environment into
/// packages/, where those of earlier pushes stay. A file is placed
/// when its SHA-256 is right. What was placed is remembered (pushed/<folder>.json of the cache): files that a
/// later push no longer names are removed if they are unchanged; everything else in the folder is the user's
/// and stays.
class TreeStore {
public:
    explicit TreeStore(NodePaths paths);

    /// Begins a push: the files whose content is not there yet.
    AgentResult<wire::TreeMissing> have(const wire::HaveTree& request);
    AgentResult<void> put(const wire::PutTree& request);
    AgentResult<wire::TreeDone> finish();

private:
    struct Placed {
        std::uint64_t size = 0;
        std::int64_t mtime_ns = 0;
        std::string sha256;  ///< 32 bytes
    };
    AgentResult<void> put_piece(const wire::TreePiece& piece);
    AgentResult<void> begin(const wire::TreePiece& piece);
    AgentResult<void> complete();
    AgentResult<void> place_links_and_modes();
    std::uint32_t remove_stale();
    void read_manifest();
    AgentResult<void> write_manifest() const;
    bool same_content(const std::filesystem::path& file, const wire::TreeEntry& entry) const;
    std::filesystem::path place_of(const wire::TreeEntry& entry) const;

    NodePaths paths_;
    std::filesystem::path folder_;
    std::filesystem::path manifest_;
    wire::HaveTree tree_;
    std::map<std::string, Placed> before_;
    std::unique_ptr<IncomingFile> incoming_;
    std::uint32_t incoming_index_ = 0;
};

}  // namespace rankscope::agent
