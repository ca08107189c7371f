// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/dataset.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::engine {

struct RemoteFile {
    std::string name;
    std::uint64_t bytes = 0;
    std::string sha256;  ///< hex
};

/// MNIST's four files as they have been since 1998.
const std::vector<RemoteFile>& mnist_files();

/// Fetches what is missing of MNIST into `folder`, from the mirrors in turn, with the node's own curl or
/// wget: linking libcurl would put some thirty more libraries into what is pushed to every node, for four
/// files. Each file comes under a temporary name, is checked by size and SHA-256 and then renamed; a lock
/// file keeps other ranks of the node waiting. Throws Error listing the files that are missing, where to put
/// them, and what else can be done. `root` is the folder the person named, for that message (may be empty).
void download_mnist(const std::filesystem::path& folder, const std::string& root,
                    const DataProgress& progress);

}  // namespace rankscope::engine
