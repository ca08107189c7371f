// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/block_arena.h>
#include <gui/data/nameless_file.h>

#include <sys/mman.h>

#include <new>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kBlocksOfSegment =
    64;  // neighbours in memory and file are one mapping: their number is limited

}  // namespace

BlockArena::BlockArena(Options options) : options_(std::move(options)) {}

BlockArena::~BlockArena() {
    for (std::byte* segment : segments_) {
        ::munmap(segment, kBlocksOfSegment * options_.block_bytes);
    }
}

std::byte* BlockArena::add() {
    if (blocks_ == segments_.size() * kBlocksOfSegment) {
        segments_.reserve(segments_.size() + 1);
        void* memory = ::mmap(nullptr, kBlocksOfSegment * options_.block_bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) {
            throw std::bad_alloc();
        }
        segments_.push_back(static_cast<std::byte*>(memory));
    }
    std::byte* const block = segments_.back() + blocks_ % kBlocksOfSegment * options_.block_bytes;
    ++blocks_;
    return block;
}

void BlockArena::settle_newest() {
    std::byte* const block = segments_.back() + (blocks_ - 1) % kBlocksOfSegment * options_.block_bytes;
    const std::uint64_t place = in_file_ * options_.block_bytes;
    if (!file_) {
        file_ = nameless_file(options_.folder);
    }
    if (!file_ || free_disk_bytes(file_) < options_.leave_free_bytes ||
        !write_whole(file_, {block, options_.block_bytes}, place)) {
        return;
    }
    void* mapped = ::mmap(nullptr, options_.block_bytes, PROT_READ, MAP_SHARED, file_.get(), off_t(place));
    if (mapped == MAP_FAILED) {
        return;
    }
    // The kernel exchanges the pages in one step: who reads them sees the same bytes before and after.
    if (::mremap(mapped, options_.block_bytes, options_.block_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, block) ==
        MAP_FAILED) {
        ::munmap(mapped, options_.block_bytes);
        return;
    }
    ++in_file_;
}

}  // namespace rankscope::gui
