// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/agent/cleanup/live_runs.h>
#include <remote/agent/nccl/ring_folder.h>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace rankscope::agent {

/// /dev/shm; RANKSCOPE_SHM_DIR instead, where it is set: tests have a folder of their own.
std::filesystem::path shared_memory_folder();

/// A segment of this user's that no process of the user has open or mapped.
struct UnusedSegment {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
    /// Named as NCCL, PyTorch, Python's multiprocessing and this program name theirs.
    bool of_trainer = false;
    /// A live run on this node is older than the segment, or named by it: it may be on its way from one process of that
    /// run to another. Null: of none.
    const LiveSupervisor* may_be_of = nullptr;
};
/// `live` must outlive what is returned.
std::vector<UnusedSegment> unused_segments(const std::filesystem::path& folder, const LiveRuns& live);

/// What the NCCL plugin's files of killed supervisors have left, there and where else they lie.
std::vector<AbandonedRingFolder> abandoned_rings(const std::filesystem::path& folder, const LiveRuns& live);

/// What clean() has removed, or would remove, and what it keeps because a live run may need it.
struct FreedMemory {
    std::vector<std::string> removed;
    std::vector<std::string> kept;
};
/// Removes segments of trainers that are nobody's, and abandoned_rings().
FreedMemory free_shared_memory(const std::filesystem::path& folder, const LiveRuns& live, bool dry_run);

}  // namespace rankscope::agent
