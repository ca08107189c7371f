// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/fd.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

namespace rankscope::gui {

/// Blocks of values that no longer change, in a file without a name: their memory is the kernel's page cache, which
/// gives it to who needs it. Where the file cannot grow, a block is ordinary memory. Any thread.
class ValueSpool {
public:
    static constexpr std::size_t kBlockValues = 512;
    static constexpr std::size_t kBlockBytes = kBlockValues * sizeof(float);
    static constexpr std::size_t kSegmentBytes = std::size_t(64) << 20;

    struct Options {
        std::filesystem::path folder;  ///< empty: the program's cache folder
        std::uint64_t most_bytes = std::uint64_t(1) << 38;
        std::uint64_t leave_free_bytes = std::uint64_t(512) << 20;  ///< on the disk
    };

    /// kBlockValues of them. Its spool outlives it.
    class Block {
    public:
        Block() = default;
        Block(Block&& other) noexcept
            : values_(std::exchange(other.values_, nullptr)), spool_(std::exchange(other.spool_, nullptr)) {}
        Block& operator=(Block&& other) noexcept {
            std::swap(values_, other.values_);
            std::swap(spool_, other.spool_);
            return *this;
        }
        ~Block() {
            if (spool_ != nullptr) {
                spool_->release(values_);
            }
        }
        const float* values() const { return values_; }

    private:
        friend ValueSpool;
        Block(const float* values, ValueSpool* spool) : values_(values), spool_(spool) {}

        const float* values_ = nullptr;
        ValueSpool* spool_ = nullptr;
    };

    ValueSpool() : ValueSpool(Options{}) {}
    explicit ValueSpool(Options options) : options_(std::move(options)) {}
    ~ValueSpool();
    ValueSpool(const ValueSpool&) = delete;
    ValueSpool& operator=(const ValueSpool&) = delete;

    /// That of the program.
    static ValueSpool& own();

    /// `values` are kBlockValues.
    Block store(std::span<const float> values);

    std::size_t blocks_in_file() const;
    std::size_t blocks_in_memory() const;

private:
    static constexpr std::size_t kBlocksOfSegment = kSegmentBytes / kBlockBytes;

    void release(const float* values);
    bool begin_segment();
    bool write(std::size_t block, std::span<const float> values);
    float* place(std::size_t block) const;
    void close_file();

    Options options_;
    mutable std::mutex mutex_;
    UniqueFd file_;
    std::vector<float*> segments_;  ///< by number; their addresses are in by_address_
    std::vector<std::pair<const float*, std::size_t>> by_address_;  ///< sorted: begin and number
    std::vector<std::uint32_t> free_;                               ///< blocks that were released
    std::size_t end_ = 0;                                           ///< blocks ever used
    std::size_t in_memory_ = 0;
    bool failed_ = false;  ///< the file cannot grow: not tried again
};

}  // namespace rankscope::gui
