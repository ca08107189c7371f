// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/growing_file.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::gui {

/// Text that only grows, in a file without a name: nothing stays behind, and memory is the kernel's page cache. Where
/// the file cannot grow, newer text stays in memory, bounded: then the oldest of that memory is dropped. One thread
/// appends; any thread reads what was handed to it before (the caller publishes). Nothing that append() took crosses
/// a segment.
class TextSpool {
public:
    static constexpr std::size_t kSegmentBytes = std::size_t(64) << 20;
    static constexpr std::size_t kMostBytesAtOnce = std::size_t(16) << 20;
    static constexpr std::size_t kMemorySegments = 4;  ///< where the file cannot grow

    using Options = GrowingFile::Options;

    TextSpool() : TextSpool(Options{}) {}
    explicit TextSpool(Options options);
    ~TextSpool();
    TextSpool(const TextSpool&) = delete;
    TextSpool& operator=(const TextSpool&) = delete;

    /// A terabyte: nothing more can be appended.
    bool is_full() const { return count_ + 1 >= kRooms; }
    /// Adds `text` (at most kMostBytesAtOnce) followed by '\n'; returns where it begins.
    std::uint64_t append(std::string_view text);
    /// Makes everything appended so far readable. Before other threads learn where it is.
    void flush();

    /// Null: dropped. Else text up to the end of the segment.
    const char* at(std::uint64_t place) const {
        return base(place / kSegmentBytes) == nullptr ? nullptr
                                                      : base(place / kSegmentBytes) + place % kSegmentBytes;
    }
    /// Bytes so far, with the padding between segments.
    std::uint64_t size() const { return end_; }
    /// Why text stays in memory; empty: it does not. Any thread.
    std::string fault() const;
    bool in_memory() const { return in_memory_.load(std::memory_order_acquire); }

private:
    static constexpr std::size_t kRooms = std::size_t(1) << 14;  ///< a terabyte

    const char* base(std::uint64_t segment) const {
        return segments_[std::size_t(segment)].load(std::memory_order_acquire);
    }
    void begin_segment();
    void begin_file_segment();
    void begin_memory_segment();
    void write_to_file();
    void go_to_memory(int error);

    GrowingFile file_;
    std::uint64_t end_ = 0;      ///< with what is pending
    std::uint64_t written_ = 0;  ///< what the file, or memory, has
    std::string pending_;        ///< from written_ to end_, of the last segment
    std::atomic<bool> in_memory_{false};
    std::atomic<int> error_{0};
    std::size_t count_ = 0;         ///< segments
    std::size_t first_memory_ = 0;  ///< segment that is in memory and not dropped, once in_memory_
    std::unique_ptr<std::atomic<char*>[]> segments_;
    std::vector<char*> given_up_;  ///< their addresses stay, for readers who are in them
};

}  // namespace rankscope::gui
