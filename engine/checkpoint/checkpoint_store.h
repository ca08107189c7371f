// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/snapshot.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::engine {

/// A checkpoint that was found damaged, and why.
struct RejectedCheckpoint {
    std::filesystem::path folder;
    std::string reason;
};

struct LoadedCheckpoint {
    std::optional<Snapshot> snapshot;          ///< of the newest good one
    std::filesystem::path folder;              ///< where it lies
    std::vector<RejectedCheckpoint> rejected;  ///< newer ones that were refused
};

struct WrittenCheckpoint {
    std::filesystem::path folder;
    std::uint64_t bytes = 0;
    /// Checkpoints of later steps that were there: the run was resumed before them, or another run left
    /// them. They are renamed (abandoned_N_step_…), so that no later start resumes from them; never removed.
    std::vector<std::filesystem::path> abandoned;
};

/// A folder of checkpoints of one run:
///
///     step_00001234/model.safetensors      parameters and buffers, as torch's load_state_dict takes them
///     step_00001234/optimizer.safetensors  "state.PARAMETER.momentum_buffer", …
///     step_00001234/state.json             position, and size and hash (XXH3-128) of the two files
///
/// One is visible under its name only when it is whole and on disk: it is written under a temporary name,
/// files and folder are synced, then it is renamed and the parent synced. Whatever differs from what was
/// written by a single byte, is cut off or is missing is refused.
class CheckpointStore {
public:
    /// Keeps the newest `keep` checkpoints (0: all). Nothing is made or touched yet.
    explicit CheckpointStore(std::filesystem::path folder, int keep = 3);

    const std::filesystem::path& folder() const { return folder_; }

    /// Those that are there by name, newest step first; not looked into.
    std::vector<std::filesystem::path> list() const;
    /// The newest that is whole; those before it that were refused, with reasons. Throws Error when the
    /// folder is there but cannot be read.
    LoadedCheckpoint load_newest_valid() const;
    /// Throws Error naming the file and what is wrong with it.
    Snapshot read(const std::filesystem::path& checkpoint) const;

    /// Writes one, then removes those beyond `keep` and what dead writers left behind. Throws Error naming
    /// the file, the reason and the free space; what was there before stays. One writer at a time: another
    /// process that writes there at the same moment is an Error.
    WrittenCheckpoint write(const Snapshot& snapshot);

private:
    void remove_leftovers() const;
    std::vector<std::filesystem::path> set_newer_aside(std::int64_t step) const;
    void remove_old() const;

    std::filesystem::path folder_;
    int keep_;
};

}  // namespace rankscope::engine
