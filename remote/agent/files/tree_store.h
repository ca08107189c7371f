// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/files/bundle_store.h>
#include <remote/agent/files/incoming_file.h>
#include <remote/agent/node/node_paths.h>
#include <remote/wire/frames.pb.h>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace rankscope::agent {

/// Receives the user's own files (push:) into workdir, or into jobs/<job>/ of the cache. A file is placed
/// when its SHA-256 is right. What was placed is remembered (pushed/<folder>.json of the cache): files that a
/// later push no longer names go, if nobody has changed them; whatever else is in the folder is the user's
/// and stays.
class TreeStore {
public:
    explicit TreeStore(NodePaths paths);

    std::optional<AgentFailure> have(const wire::HaveTree& request, wire::TreeMissing& missing);
    std::optional<AgentFailure> put(const wire::PutTree& request);
    std::optional<AgentFailure> finish(wire::TreeDone& done);

private:
    struct Placed {
        std::uint64_t size = 0;
        std::int64_t mtime_ns = 0;
        std::string sha256;  ///< 32 bytes
    };
    std::optional<AgentFailure> put_piece(const wire::TreePiece& piece);
    std::optional<AgentFailure> begin(const wire::TreePiece& piece);
    std::optional<AgentFailure> complete();
    std::optional<AgentFailure> place_links_and_modes();
    std::uint32_t remove_stale();
    void read_manifest();
    int write_manifest() const;
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
