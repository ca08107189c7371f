// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/block_spool.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rankscope::gui {

/// Some numbers of lines or rows in an order. A value: copies share what they have in common, most of it in a file.
/// Numbers that count up one by one cost nothing: all lines of a log in the order of their arrival.
class LineList {
public:
    std::uint32_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint32_t at(std::uint32_t index) const { return chunks_[index / kChunk].at(index % kChunk); }
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
    using Numbers = std::array<std::uint32_t, kChunk>;
    struct Chunk {
        std::shared_ptr<const Numbers> numbers = {};  ///< null: they count up
        std::uint32_t first = 0;

        std::uint32_t at(std::uint32_t index) const { return numbers ? (*numbers)[index] : first + index; }
    };

    std::vector<Chunk> chunks_;
    std::uint32_t size_ = 0;
};

/// Makes LineLists that grow at the end: what is handed out does not change. The newest numbers are in memory, all others
/// in the program's BlockSpool. One thread at a time.
class LineListBuilder {
public:
    std::uint32_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::uint32_t at(std::uint32_t index) const {
        return chunks_[index / LineList::kChunk].at(index % LineList::kChunk);
    }
    std::uint32_t back() const { return at(size_ - 1); }

    void push_back(std::uint32_t value) {
        const std::uint32_t chunk = size_ / LineList::kChunk;
        if (chunk == chunks_.size()) {
            store_before(chunk);
            open_ = std::make_shared_for_overwrite<LineList::Numbers>();
            chunks_.push_back({open_});
        } else if (!open_) {
            const LineList::Chunk old = chunks_[chunk];
            open_ = std::make_shared_for_overwrite<LineList::Numbers>();
            for (std::uint32_t i = 0; i < size_ % LineList::kChunk; ++i) {
                (*open_)[i] = old.at(i);
            }
            chunks_[chunk] = {open_};
            stored_ = std::min(stored_, chunk);
        }
        (*open_)[size_ % LineList::kChunk] = value;
        ++size_;
    }
    void truncate(std::uint32_t size) {
        size_ = std::min(size, size_);
        const std::uint32_t chunks = (size_ + LineList::kChunk - 1) / LineList::kChunk;
        if (chunks < chunks_.size()) {
            chunks_.resize(chunks);
            open_.reset();
        }
        stored_ = std::min(stored_, chunks);
    }
    LineList list() {
        LineList list;
        list.chunks_ = chunks_;
        list.size_ = size_;
        open_.reset();
        return list;
    }

private:
    // Late lines go among the last ones: these stay in memory.
    static constexpr std::uint32_t kInMemory = 2;

    static BlockSpool& spool() { return own_block_spool<sizeof(LineList::Numbers)>(); }
    static bool counts_up(const LineList::Numbers& numbers) {
        std::uint32_t expected = numbers.front();
        return std::all_of(numbers.begin(), numbers.end(),
                           [&](std::uint32_t number) { return number == expected++; });
    }
    void store_before(std::uint32_t chunk) {
        for (; stored_ + kInMemory <= chunk; ++stored_) {
            LineList::Chunk& full = chunks_[stored_];
            if (!full.numbers) {
                continue;
            }
            if (counts_up(*full.numbers)) {
                full = {.numbers = {}, .first = full.numbers->front()};
                continue;
            }
            std::byte* const block = spool().append(nullptr, 0, std::as_bytes(std::span(*full.numbers)));
            full.numbers = {reinterpret_cast<const LineList::Numbers*>(block),
                            [block](const LineList::Numbers*) { spool().release(block); }};
        }
    }

    std::vector<LineList::Chunk> chunks_;
    std::shared_ptr<LineList::Numbers> open_;  ///< of the last of them, if no list has it
    std::uint32_t size_ = 0;
    std::uint32_t stored_ = 0;  ///< so many of the first chunks are in the spool
};

}  // namespace rankscope::gui
