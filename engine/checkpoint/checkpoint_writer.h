// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/checkpoint/checkpoint_store.h>
#include <engine/checkpoint/snapshot.h>

#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace rankscope::engine {

/// What became of one save.
struct SaveReport {
    std::int64_t step = 0;
    std::string where;  ///< folder or file; empty when it failed
    std::uint64_t bytes = 0;
    double held_ms = 0;                            ///< how long the step was held: wait + copy
    double waited_ms = 0;                          ///< of that, for the checkpoint before to be on disk
    double write_ms = 0;                           ///< in the background
    std::string error;                             ///< empty when it is on disk
    bool repeated = false;                         ///< the save before failed as well: already reported
    std::vector<std::filesystem::path> abandoned;  ///< see WrittenCheckpoint
};

struct CheckpointWriterOptions {
    /// A checkpoint that cannot be written ends the run (Error out of the next save() or finish()). Otherwise
    /// it is reported and training continues; the last good checkpoint stays.
    bool required = false;
};

/// Saves without stopping the step: the caller copies its state into a buffer, a thread of the writer's
/// serialises it and brings it to disk. There is one buffer, used again each time: a save that comes while
/// the one before is still being written waits for it (none is skipped, memory stays bounded) and says how
/// long. For rank 0 only: the state is the same on all ranks.
class CheckpointWriter {
public:
    using Fill = std::function<void(Snapshot&)>;
    using Write = std::function<WrittenCheckpoint(const Snapshot&)>;

    explicit CheckpointWriter(CheckpointStore store, CheckpointWriterOptions options = {});
    /// Writes what was submitted, then ends.
    ~CheckpointWriter();
    CheckpointWriter(const CheckpointWriter&) = delete;
    CheckpointWriter& operator=(const CheckpointWriter&) = delete;

    /// Calls `fill` on this thread with the buffer, which holds the snapshot before (so that only bytes need
    /// copying), and returns; the rest happens in the background, with `write` (default: into the store).
    void save(const Fill& fill, Write write = {});
    /// What was finished since the last call, oldest first. Cheap: call it after every step.
    std::vector<SaveReport> reports();
    /// Returns when everything is on disk or has failed.
    void finish();

private:
    void run();
    void wait_until_idle(std::unique_lock<std::mutex>& lock);

    CheckpointStore store_;
    CheckpointWriterOptions options_;
    Snapshot buffer_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::optional<SaveReport> pending_;  ///< submitted and not finished
    Write write_;
    std::vector<SaveReport> finished_;
    std::string last_error_;
    bool closing_ = false;
    std::thread thread_;
};

}  // namespace rankscope::engine
