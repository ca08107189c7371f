// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/data/dataset.h>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <thread>
#include <vector>

namespace rankscope::engine {

/// Samples of one step as the network wants them.
struct Batch {
    std::vector<float> pixels;         ///< [size, channels, height, width]
    std::vector<std::int32_t> labels;  ///< [size]
    std::int64_t size() const { return static_cast<std::int64_t>(labels.size()); }
};

/// Pixel value → float: v / 255, then (x − mean) / std if asked; in float, as torchvision does.
std::vector<float> pixel_table(const std::optional<protocol::NormalizeConfig>& normalize);

/// Makes one epoch's batches on a thread of its own, a few ahead of the reader. The set must outlive it.
class BatchLoader {
public:
    /// The last batch is short when the indices do not fill it; it is left out with `drop_short`.
    BatchLoader(const ImageSet& set, std::vector<std::int64_t> indices, std::int64_t batch_size,
                bool drop_short, std::vector<float> table);
    ~BatchLoader();
    BatchLoader(const BatchLoader&) = delete;
    BatchLoader& operator=(const BatchLoader&) = delete;

    std::int64_t batch_count() const { return batches_; }
    /// The next batch; nothing after the last. The batch given before is taken back for its memory.
    std::optional<Batch> next(std::optional<Batch> used = std::nullopt);

private:
    void produce(const std::stop_token& stop);
    void fill(Batch& batch, std::span<const std::int64_t> indices) const;

    static constexpr std::size_t kAhead = 3;

    const ImageSet& set_;
    std::vector<std::int64_t> indices_;
    std::int64_t batch_size_;
    std::int64_t batches_;
    std::vector<float> table_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<Batch> ready_;
    std::deque<Batch> free_;
    std::int64_t handed_out_ = 0;
    std::jthread thread_;  // last: it uses all of the above
};

}  // namespace rankscope::engine
