// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/growing_file.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace rankscope::gui {

/// Blocks of equal size whose addresses never change. A block is memory while it is filled; then it moves into a file
/// without a name, and its memory is the kernel's page cache. Where the file cannot grow, the block stays memory. One
/// thread fills; any thread reads, also while a block moves.
class BlockArena {
public:
    struct Options {
        std::filesystem::path folder = {};                          ///< empty: the program's cache folder
        std::size_t block_bytes = 4096;                             ///< whole pages
        std::uint64_t leave_free_bytes = std::uint64_t(512) << 20;  ///< on the disk
    };

    explicit BlockArena(Options options);
    ~BlockArena();
    BlockArena(const BlockArena&) = delete;
    BlockArena& operator=(const BlockArena&) = delete;

    /// A block of zeros. Throws std::bad_alloc.
    std::byte* add();
    /// The newest block does not change from now on.
    void settle_newest();

    std::size_t blocks() const { return blocks_; }
    std::size_t blocks_in_file() const { return in_file_; }

private:
    const std::size_t block_bytes_;
    GrowingFile file_;
    std::vector<std::byte*> segments_;
    std::size_t blocks_ = 0;
    std::size_t in_file_ = 0;  ///< the file's length in blocks
};

}  // namespace rankscope::gui
