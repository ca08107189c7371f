// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/block_spool.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// Values that only grow: the newest in memory, at most two pieces of kPiece, all others in the program's BlockSpool, in
/// blocks of kPieces. A copy has blocks of its own.
template <typename T, std::size_t kPiece, std::size_t kPieces>
class SpooledColumn {
    static_assert(std::is_trivially_copyable_v<T>);

public:
    SpooledColumn() = default;
    SpooledColumn(const SpooledColumn& other) : newest_(other.newest_), stored_(other.stored_) {
        blocks_.reserve(other.blocks_.size());
        for (std::size_t begin = 0; begin < stored_; begin += kBlock) {
            const std::span values(other.values_at(begin), std::min(kBlock, stored_ - begin));
            blocks_.emplace_back(spool().append(nullptr, 0, std::as_bytes(values)));
        }
    }
    SpooledColumn(SpooledColumn&& other) noexcept
        : blocks_(std::move(other.blocks_)),
          newest_(std::move(other.newest_)),
          stored_(std::exchange(other.stored_, 0)),
          most_newest_(other.most_newest_) {}
    SpooledColumn& operator=(SpooledColumn other) noexcept {
        blocks_.swap(other.blocks_);
        newest_.swap(other.newest_);
        std::swap(stored_, other.stored_);
        return *this;
    }
    ~SpooledColumn() = default;

    bool empty() const { return newest_.empty(); }
    std::size_t size() const { return stored_ + newest_.size(); }
    T operator[](std::size_t i) const { return i < stored_ ? *values_at(i) : newest_[i - stored_]; }
    /// Of a column that is not empty.
    T& back() { return newest_.back(); }

    void push_back(const T& value) {
        if (newest_.size() >= most_newest_) {
            store_piece();
        } else if (newest_.size() == newest_.capacity() && newest_.size() >= kPiece / 2) {
            newest_.reserve(most_newest_);
        }
        newest_.push_back(value);
    }
    /// `size` <= size().
    void truncate(std::size_t size) {
        // The last value stays in memory.
        const std::size_t stored = size == 0 ? 0 : (size - 1) / kPiece * kPiece;
        if (stored >= stored_) {
            newest_.resize(size - stored_);
            return;
        }
        newest_.assign(values_at(stored), values_at(stored) + (size - stored));
        blocks_.erase(blocks_.begin() + std::ptrdiff_t((stored + kBlock - 1) / kBlock), blocks_.end());
        stored_ = stored;
    }

private:
    static constexpr std::size_t kBlock = kPiece * kPieces;

    static BlockSpool& spool() { return own_block_spool<kBlock * sizeof(T)>(); }
    struct Release {
        void operator()(std::byte* block) const { spool().release(block); }
    };
    using Block = std::unique_ptr<std::byte, Release>;

    const T* values_at(std::size_t i) const {
        return reinterpret_cast<const T*>(blocks_[i / kBlock].get()) + i % kBlock;
    }
    void store_piece() {
        const auto bytes = std::as_bytes(std::span(newest_.data(), kPiece));
        if (stored_ % kBlock == 0) {
            blocks_.emplace_back(spool().append(nullptr, 0, bytes));
        } else {
            Block& last = blocks_.back();
            last.reset(spool().append(last.release(), stored_ % kBlock * sizeof(T), bytes));
        }
        stored_ += kPiece;
        newest_.erase(newest_.begin(), newest_.begin() + std::ptrdiff_t(kPiece));
    }

    /// From one to two pieces, evenly spread over the columns in the order of their creation.
    static std::size_t next_most_newest() {
        static std::atomic<std::size_t> columns{0};
        constexpr std::size_t kApart = 197;  // a prime: without a common divisor with the piece
        return kPiece + columns.fetch_add(1, std::memory_order_relaxed) * kApart % kPiece;
    }

    std::vector<Block> blocks_;
    std::vector<T> newest_;
    std::size_t stored_ = 0;  ///< values in blocks, whole pieces
    /// Differs between columns, which all grow at the same pace: they must not write at once.
    std::size_t most_newest_ = next_most_newest();
};

}  // namespace rankscope::gui
