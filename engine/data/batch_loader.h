// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/image_set.h>
#include <engine/data/transform.h>
#include <engine/tensor/batch.h>
#include <engine/tensor/sample_form.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory_resource>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace rankscope::engine {

struct LoaderOptions {
    std::int64_t batch_size = 1;
    /// The last batch is short when the samples do not fill it; with this it is left out.
    bool drop_short = false;
    int workers = 1;         ///< threads that read and decode
    std::uint64_t seed = 0;  ///< of the augmentation
    SampleForm form = SampleForm::floats;
    /// Where the batches' memory comes from, e.g. page-locked memory; must outlive loader and batches.
    std::pmr::memory_resource* memory = std::pmr::new_delete_resource();
};

/// Threads for a set when the configuration names no number: one where a picture costs microseconds, else a share
/// of the cores among the ranks of this node.
int default_workers(const ImageSet& set, int local_world_size);

/// Makes an epoch's batches on threads of its own, a few ahead of the reader. What is in a batch depends on
/// seed, epoch and indices alone, never on the number of threads or on where the epoch was begun.
class BatchLoader {
public:
    /// The set must outlive the loader.
    BatchLoader(const ImageSet& set, Transform transform, const LoaderOptions& options);
    ~BatchLoader();
    BatchLoader(const BatchLoader&) = delete;
    BatchLoader& operator=(const BatchLoader&) = delete;

    /// Begins an epoch over these samples, at batch `first` as if those before it had been read (resume).
    /// Returns at once; may be called as soon as the last batch was taken, so that the next epoch's first
    /// batches are made meanwhile. What is left of the epoch before is dropped.
    void start(std::int64_t epoch, std::vector<std::int64_t> indices, std::int64_t first = 0);

    /// Of the whole epoch, those before `first` included.
    std::int64_t batch_count() const { return batches_; }
    /// The next batch; nothing after the last. `used` is taken back for its memory. Throws Error when a
    /// picture of this batch could not be read.
    std::optional<Batch> next(std::optional<Batch> used = std::nullopt);

private:
    struct Slot {
        Batch batch;
        std::int64_t chunks_left = 0;
        std::size_t failed_at = 0;
        std::string error;  ///< of the first sample that failed
    };
    struct Chunk {
        Slot* slot = nullptr;
        std::size_t begin = 0;
        std::size_t end = 0;
        std::int64_t epoch = 0;
    };
    /// One thread's tools.
    struct Worker {
        std::unique_ptr<ImageReader> reader;
        ResampleScratch scratch;
        std::vector<std::uint8_t> planes;
    };

    void work(const std::stop_token& stop);
    bool has_chunk() const { return next_batch_ < batches_ && next_batch_ < taken_ + ahead_; }
    Chunk claim();
    std::string fill(const Chunk& chunk, Worker& worker, std::size_t& at) const;
    void fill_tokens(const Chunk& chunk, std::size_t row) const;
    void fill_sample(const Chunk& chunk, Worker& worker, std::size_t row) const;
    Slot& slot_of(std::int64_t batch) { return slots_[static_cast<std::size_t>(batch % ahead_)]; }
    std::span<const std::int64_t> samples_of(std::int64_t batch) const;

    const ImageSet& set_;
    const Transform transform_;
    const LoaderOptions options_;
    const std::size_t sample_;  ///< bytes of one picture
    std::size_t chunk_;         ///< samples that one thread makes at a time
    std::int64_t ahead_;        ///< batches being made or waiting to be taken

    std::mutex mutex_;
    std::condition_variable_any work_;
    std::condition_variable ready_;
    std::int64_t epoch_ = 0;
    std::vector<std::int64_t> indices_;
    std::int64_t batches_ = 0;
    std::int64_t next_batch_ = 0;  ///< the one that is being dealt out to the threads
    std::size_t next_sample_ = 0;  ///< within it
    std::int64_t taken_ = 0;       ///< batches that the reader has
    int busy_ = 0;
    int idle_ = 0;
    std::vector<Slot> slots_;  ///< ring, [ahead_]
    std::vector<Batch> free_;
    std::vector<std::jthread> threads_;  // last: they use all of the above
};

}  // namespace rankscope::engine
