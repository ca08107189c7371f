// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>
#include <remote/agent/node/node_paths.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace rankscope::agent {

/// The folder in which librankscope-nccl.so makes its files, for one node's part of a run: a folder per rank below it.
/// In /dev/shm where there is plenty of space, so that no file system is slow or silent under a collective, else in /tmp;
/// mode 0700. Its name follows from the run's folder, so that who cleans up after a killed supervisor finds it. Whoever
/// holds one keeps it locked: an unlocked one is left over. Deleted with its content by the destructor.
class RingFolder {
public:
    /// Null where no folder of this user's own can be made.
    static std::unique_ptr<RingFolder> make(const RunDir& dir, int ranks);
    RingFolder(const RingFolder&) = delete;
    RingFolder& operator=(const RingFolder&) = delete;
    ~RingFolder();

    const std::filesystem::path& path() const { return path_; }
    /// Empties it: nothing of an earlier attempt is left. False where that fails.
    bool begin_rank(int rank) const;
    std::filesystem::path of_rank(int rank) const { return path_ / std::to_string(rank); }

private:
    RingFolder(std::filesystem::path path, UniqueFd lock);

    std::filesystem::path path_;
    UniqueFd lock_;
};

/// Of the folder, below /dev/shm or /tmp.
std::string ring_folder_name(const RunDir& dir);

/// After the supervisor's death: deletes what make() has made for this run.
void remove_ring_folder(const RunDir& dir);

struct AbandonedRingFolder {
    std::filesystem::path path;
    std::uint64_t bytes = 0;
};
/// Where make() makes folders.
std::vector<std::filesystem::path> ring_parents();
/// Those of this user that no process has locked, without those named in `live`: a supervisor that lives may be about to
/// lock its own.
std::vector<AbandonedRingFolder> abandoned_ring_folders(
    const std::vector<std::filesystem::path>& parents = ring_parents(),
    const std::set<std::string>& live = {});

}  // namespace rankscope::agent
