// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <engine/data/batch_loader.h>

#include <algorithm>

namespace rankscope::engine {

std::vector<float> pixel_table(const std::optional<protocol::NormalizeConfig>& normalize) {
    std::vector<float> table(256);
    for (std::size_t v = 0; v < table.size(); ++v) {
        table[v] = static_cast<float>(v) / 255.0F;
        if (normalize) {
            table[v] =
                (table[v] - static_cast<float>(normalize->mean[0])) / static_cast<float>(normalize->std[0]);
        }
    }
    return table;
}

BatchLoader::BatchLoader(const ImageSet& set, std::vector<std::int64_t> indices, std::int64_t batch_size,
                         bool drop_short, std::vector<float> table)
    : set_(set),
      indices_(std::move(indices)),
      batch_size_(batch_size),
      batches_((static_cast<std::int64_t>(indices_.size()) + (drop_short ? 0 : batch_size - 1)) / batch_size),
      table_(std::move(table)),
      thread_([this](const std::stop_token& stop) { produce(stop); }) {}

BatchLoader::~BatchLoader() {
    thread_.request_stop();
    changed_.notify_all();
}

std::optional<Batch> BatchLoader::next(std::optional<Batch> used) {
    std::unique_lock lock(mutex_);
    if (used) {
        free_.push_back(std::move(*used));
    }
    if (handed_out_ == batches_) {
        return std::nullopt;
    }
    changed_.wait(lock, [this] { return !ready_.empty(); });
    Batch batch = std::move(ready_.front());
    ready_.pop_front();
    ++handed_out_;
    lock.unlock();
    changed_.notify_all();
    return batch;
}

void BatchLoader::produce(const std::stop_token& stop) {
    for (std::int64_t i = 0; i < batches_; ++i) {
        Batch batch;
        {
            std::unique_lock lock(mutex_);
            if (!changed_.wait(lock, stop, [this] { return ready_.size() < kAhead; })) {
                return;
            }
            if (!free_.empty()) {
                batch = std::move(free_.front());
                free_.pop_front();
            }
        }
        const auto begin = static_cast<std::size_t>(i * batch_size_);
        const std::size_t count = std::min(static_cast<std::size_t>(batch_size_), indices_.size() - begin);
        fill(batch, std::span(indices_).subspan(begin, count));
        {
            const std::lock_guard lock(mutex_);
            ready_.push_back(std::move(batch));
        }
        changed_.notify_all();
    }
}

void BatchLoader::fill(Batch& batch, std::span<const std::int64_t> indices) const {
    const auto sample = static_cast<std::size_t>(element_count(set_.sample));
    batch.pixels.resize(indices.size() * sample);
    batch.labels.resize(indices.size());
    for (std::size_t row = 0; row < indices.size(); ++row) {
        const auto index = static_cast<std::size_t>(indices[row]);
        const std::uint8_t* source = set_.pixels.data() + index * sample;
        float* target = batch.pixels.data() + row * sample;
        for (std::size_t i = 0; i < sample; ++i) {
            target[i] = table_[source[i]];
        }
        batch.labels[row] = set_.labels[index];
    }
}

}  // namespace rankscope::engine
