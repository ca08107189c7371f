// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// Some numbers of lines or rows in an order. A value: copies share what they have in common.
class LineList {
public:
    std::uint32_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint32_t at(std::uint32_t index) const { return (*chunks_[index / kChunk])[index % kChunk]; }
    /// The first index of which `is_before` does not hold; it holds for a beginning of the list.
    template <typename Predicate>
    std::uint32_t partition_point(Predicate is_before) const {
        std::uint32_t low = 0;
        std::uint32_t high = size_;
        while (low < high) {
            const std::uint32_t middle = low + (high - low) / 2;
            if (is_before(at(middle))) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }
    /// Of an ascending list.
    std::uint32_t lower_bound(std::uint32_t value) const {
        return partition_point([value](std::uint32_t item) { return item < value; });
    }

private:
    friend class LineListBuilder;
    static constexpr std::uint32_t kChunk = 16384;
    using Chunk = std::array<std::uint32_t, kChunk>;

    std::vector<std::shared_ptr<const Chunk>> chunks_;
    std::uint32_t size_ = 0;
};

/// Makes LineLists that grow at the end: what is handed out does not change. One thread at a time.
class LineListBuilder {
public:
    std::uint32_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint32_t at(std::uint32_t index) const {
        return (*chunks_[index / LineList::kChunk])[index % LineList::kChunk];
    }
    std::uint32_t back() const { return at(size_ - 1); }

    void push_back(std::uint32_t value) {
        const std::uint32_t chunk = size_ / LineList::kChunk;
        if (chunk == chunks_.size()) {
            chunks_.push_back(std::make_shared_for_overwrite<LineList::Chunk>());
        } else if (chunk < shared_) {
            chunks_[chunk] = std::make_shared<LineList::Chunk>(*chunks_[chunk]);
            shared_ = chunk;
        }
        (*chunks_[chunk])[size_ % LineList::kChunk] = value;
        ++size_;
    }
    void truncate(std::uint32_t size) {
        size_ = std::min(size, size_);
        chunks_.resize((size_ + LineList::kChunk - 1) / LineList::kChunk);
        shared_ = std::min(shared_, std::uint32_t(chunks_.size()));
    }
    LineList list() {
        LineList list;
        list.chunks_.assign(chunks_.begin(), chunks_.end());
        list.size_ = size_;
        shared_ = std::uint32_t(chunks_.size());
        return list;
    }

private:
    std::vector<std::shared_ptr<LineList::Chunk>> chunks_;
    std::uint32_t size_ = 0;
    std::uint32_t shared_ = 0;  ///< so many of the first chunks are in lists
};

}  // namespace rankscope::gui
