// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure.h>
#include <base/sha256.h>

#include <nlohmann/json.hpp>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline nodes {

/// The agent's program for one kind of processor.
struct AgentBinary {
    std::filesystem::path file;
    std::uint64_t size = 0;
    std::string hash;  ///< SHA-256, hex
};

struct BundleFile {
    std::string name;
    std::filesystem::path path;
    std::uint64_t size = 0;
    unsigned mode = 0755;
    Sha256Digest sha256{};
};

/// Files for a folder of a node. At build time: rankscope-worker with the libraries it needs (manifest.json).
struct WorkerBundle {
    std::string hash;   ///< name of its folder on nodes: changes with any file
    std::string entry;  ///< the program among the files
    std::string cuda;   ///< the CUDA version of its engine, "13.0"; empty: it has none for GPUs
    nlohmann::json capabilities;
    std::vector<BundleFile> files;
    std::uint64_t total_bytes = 0;
};

/// This computer's processor as uname(2) names it: "x86_64", "aarch64".
std::string own_machine();

/// Found next to the running program (build tree or installed), for nodes with that processor; empty: this computer's. The
/// agent's hash is computed once per process. Fails with "agent-architecture" where this installation has nothing for it.
Result<AgentBinary> find_agent_binary(const std::string& machine = {});
Result<WorkerBundle> find_worker_bundle(const std::string& machine = {});
/// librankscope-nccl.so alone, for nodes where no native worker runs. Its `entry` is empty.
Result<WorkerBundle> find_nccl_bundle(const std::string& machine = {});
/// Reads a manifest.json whose files lie in `folder`. Nothing when it is none, or a file is missing or of
/// another size.
std::optional<WorkerBundle> parse_manifest(const std::filesystem::path& folder, const std::string& content);

}  // namespace rankscope::inline nodes
