// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/growing_file.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// Blocks of equal size that are filled from their beginning, in a file without a name: their memory is the kernel's page
/// cache, which gives it to who needs it. Where the file cannot grow, a block is ordinary memory, and the file is tried
/// again for later ones. Any thread, one at a time for a block.
class BlockSpool {
public:
    static constexpr std::size_t kSegmentBytes = std::size_t(64) << 20;

    struct Options {
        std::filesystem::path folder = {};  ///< empty: the program's cache folder
        std::size_t block_bytes = 4096;     ///< divides kSegmentBytes
        std::uint64_t most_bytes = std::uint64_t(1) << 38;
        std::uint64_t leave_free_bytes = std::uint64_t(512) << 20;  ///< on the disk
        std::chrono::milliseconds try_again{10'000};                ///< after the file could not grow
    };

    explicit BlockSpool(Options options);
    ~BlockSpool();
    BlockSpool(const BlockSpool&) = delete;
    BlockSpool& operator=(const BlockSpool&) = delete;

    /// Adds `bytes` behind the first `used` ones of a block; null: of a new one. Returns where the block is from now on,
    /// never null: to be read only, valid until it is handed to this or to release(). The whole must fit.
    std::byte* append(std::byte* block, std::size_t used, std::span<const std::byte> bytes);
    void release(std::byte* block);

    std::size_t blocks_in_file() const;
    std::size_t blocks_in_memory() const;

private:
    using Clock = std::chrono::steady_clock;

    std::byte* begin_in_file(std::span<const std::byte> bytes);
    std::byte* to_memory(std::span<const std::byte> first, std::span<const std::byte> then);
    std::optional<std::uint32_t> number_of(const std::byte* block) const;
    void free_in_file(std::uint32_t block);
    bool begin_segment();
    bool write(std::size_t block, std::size_t offset, std::span<const std::byte> bytes);
    std::byte* place(std::size_t block) const;
    void close_file();

    const Options options_;
    const std::size_t blocks_of_segment_;
    mutable std::mutex mutex_;
    GrowingFile file_;
    std::vector<std::byte*> segments_;  ///< by number; their addresses are in by_address_
    std::vector<std::pair<const std::byte*, std::size_t>> by_address_;  ///< sorted: begin and number
    std::vector<std::uint32_t> free_;                                   ///< blocks that were released
    std::size_t end_ = 0;                                               ///< blocks ever used
    std::size_t in_memory_ = 0;
    Clock::time_point next_try_{};  ///< of the file, after it could not grow
};

/// That of the program for blocks of this size.
template <std::size_t kBlockBytes>
BlockSpool& own_block_spool() {
    static BlockSpool spool({.block_bytes = kBlockBytes});
    return spool;
}

}  // namespace rankscope::gui
