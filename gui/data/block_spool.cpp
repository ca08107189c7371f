// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/check.h>
#include <gui/data/block_spool.h>

#include <sys/mman.h>

#include <algorithm>
#include <functional>
#include <memory>

namespace rankscope::gui {

BlockSpool::BlockSpool(Options options)
    : options_(std::move(options)),
      blocks_of_segment_(kSegmentBytes / options_.block_bytes),
      file_({options_.folder, options_.most_bytes, options_.leave_free_bytes}) {}

BlockSpool::~BlockSpool() {
    close_file();
}

std::byte* BlockSpool::append(std::byte* block, std::size_t used, std::span<const std::byte> bytes) {
    RANKSCOPE_CHECK(used + bytes.size() <= options_.block_bytes,
                    bytes = bytes.first(options_.block_bytes - used));
    const std::lock_guard lock(mutex_);
    if (block == nullptr) {
        std::byte* const begun = begin_in_file(bytes);
        return begun != nullptr ? begun : to_memory({}, bytes);
    }
    const auto number = number_of(block);
    if (!number) {
        std::copy(bytes.begin(), bytes.end(), block + used);
        return block;
    }
    if (write(*number, used, bytes)) {
        return block;
    }
    std::byte* const moved = to_memory({block, used}, bytes);
    free_in_file(*number);
    return moved;
}

std::byte* BlockSpool::to_memory(std::span<const std::byte> first, std::span<const std::byte> then) {
    auto memory = std::make_unique<std::byte[]>(options_.block_bytes);
    std::copy(then.begin(), then.end(), std::copy(first.begin(), first.end(), memory.get()));
    ++in_memory_;
    return memory.release();
}

// Null: the file cannot grow.
std::byte* BlockSpool::begin_in_file(std::span<const std::byte> bytes) {
    if (next_try_ != Clock::time_point{} && Clock::now() < next_try_) {
        return nullptr;
    }
    const bool again = !free_.empty();
    const std::size_t block = again ? free_.back() : end_;
    if ((!again && block == segments_.size() * blocks_of_segment_ && !begin_segment()) ||
        !write(block, 0, bytes)) {
        next_try_ = Clock::now() + options_.try_again;
        return nullptr;
    }
    next_try_ = {};
    if (again) {
        free_.pop_back();
    } else {
        ++end_;
    }
    return place(block);
}

std::size_t BlockSpool::blocks_in_file() const {
    const std::lock_guard lock(mutex_);
    return end_ - free_.size();
}

std::size_t BlockSpool::blocks_in_memory() const {
    const std::lock_guard lock(mutex_);
    return in_memory_;
}

void BlockSpool::release(std::byte* block) {
    const std::lock_guard lock(mutex_);
    if (const auto number = number_of(block)) {
        free_in_file(*number);
        return;
    }
    --in_memory_;
    const std::unique_ptr<std::byte[]> memory(block);
}

// Nothing: it is in memory.
std::optional<std::uint32_t> BlockSpool::number_of(const std::byte* block) const {
    auto segment = std::upper_bound(
        by_address_.begin(), by_address_.end(), block,
        [](const std::byte* one, const auto& begin) { return std::less<>()(one, begin.first); });
    if (segment == by_address_.begin()) {
        return {};
    }
    --segment;
    const auto offset = std::size_t(block - segment->first);
    if (offset >= kSegmentBytes) {
        return {};
    }
    return std::uint32_t(segment->second * blocks_of_segment_ + offset / options_.block_bytes);
}

void BlockSpool::free_in_file(std::uint32_t block) {
    free_.push_back(block);
    if (free_.size() == end_) {  // no run is left: the disk gets its room back
        close_file();
    }
}

bool BlockSpool::begin_segment() {
    std::byte* const memory = file_.map(segments_.size() * kSegmentBytes, kSegmentBytes);
    if (memory == nullptr) {
        return false;
    }
    // Pages that were read count as memory of the program: the earlier ones are the page cache's alone again.
    for (std::byte* segment : segments_) {
        ::madvise(segment, kSegmentBytes, MADV_DONTNEED);
    }
    const std::pair<const std::byte*, std::size_t> entry(memory, segments_.size());
    by_address_.insert(
        std::upper_bound(by_address_.begin(), by_address_.end(), entry,
                         [](const auto& a, const auto& b) { return std::less<>()(a.first, b.first); }),
        entry);
    segments_.push_back(memory);
    return true;
}

bool BlockSpool::write(std::size_t block, std::size_t offset, std::span<const std::byte> bytes) {
    return file_.write(bytes, block * options_.block_bytes + offset);
}

std::byte* BlockSpool::place(std::size_t block) const {
    return segments_[block / blocks_of_segment_] + block % blocks_of_segment_ * options_.block_bytes;
}

void BlockSpool::close_file() {
    for (std::byte* segment : segments_) {
        ::munmap(segment, kSegmentBytes);
    }
    segments_.clear();
    by_address_.clear();
    free_.clear();
    end_ = 0;
    file_.close();
}

}  // namespace rankscope::gui
