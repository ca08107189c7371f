// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/block_arena.h>

#include <sys/mman.h>

#include <new>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kBlocksOfSegment =
    64;  // neighbours in memory and file are one mapping: their number is limited

}  // namespace

BlockArena::BlockArena(Options options)
    : block_bytes_(options.block_bytes),
      file_({.folder = std::move(options.folder), .leave_free_bytes = options.leave_free_bytes}) {}

BlockArena::~BlockArena() {
    for (std::byte* segment : segments_) {
        ::munmap(segment, kBlocksOfSegment * block_bytes_);
    }
}

std::byte* BlockArena::add() {
    if (blocks_ == segments_.size() * kBlocksOfSegment) {
        segments_.reserve(segments_.size() + 1);
        void* memory = ::mmap(nullptr, kBlocksOfSegment * block_bytes_, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            throw std::bad_alloc();
        }
        segments_.push_back(static_cast<std::byte*>(memory));
    }
    std::byte* const block = segments_.back() + blocks_ % kBlocksOfSegment * block_bytes_;
    ++blocks_;
    return block;
}

void BlockArena::settle_newest() {
    std::byte* const block = segments_.back() + (blocks_ - 1) % kBlocksOfSegment * block_bytes_;
    const std::uint64_t place = in_file_ * block_bytes_;
    std::byte* const mapped = file_.map(place, block_bytes_);
    if (mapped == nullptr) {
        return;
    }
    // The kernel exchanges the pages in one step: who reads them sees the same bytes before and after.
    if (!file_.write({block, block_bytes_}, place) ||
        ::mremap(mapped, block_bytes_, block_bytes_, MREMAP_MAYMOVE | MREMAP_FIXED, block) == MAP_FAILED) {
        ::munmap(mapped, block_bytes_);
        return;
    }
    ++in_file_;
}

}  // namespace rankscope::gui
