// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/data_progress.h>
#include <engine/data/published_file.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// A public data set and where to download it.
struct RemoteSet {
    std::string title;             ///< for the user, e.g. MNIST
    std::string mirrors_variable;  ///< environment variable that names other mirrors
    std::string mirrors;           ///< folders' addresses, separated by blanks
    std::vector<PublishedFile> files;
    std::string how_to_put;  ///< in what form the files may lie in the folder, e.g. "gzip or unpacked"
    std::string otherwise;   ///< what can be done without the files, a sentence
    /// For sets that come in an archive: whether another rank has unpacked it meanwhile, and how that is
    /// done; both are called while the folder is locked.
    std::function<bool()> is_there{};
    std::function<void()> unpack{};
};

/// Fetches what is missing of a set into `folder`, from the mirrors in turn, with the node's own curl or
/// wget: linking libcurl would put some thirty more libraries into what is pushed to every node, for a few
/// files. Each file comes under a temporary name, is checked by size and SHA-256 and then renamed; a lock
/// file keeps other ranks of the node waiting. Throws Error listing the files that are missing, where to put
/// them, and what else can be done. `root` is the folder that the user named, for that message (may be empty).
void download(const RemoteSet& set, const std::filesystem::path& folder, const std::string& root,
              const DataProgress& progress);

}  // namespace rankscope::engine
