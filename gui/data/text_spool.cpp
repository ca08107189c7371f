// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/check.h>
#include <gui/data/text_spool.h>

#include <sys/mman.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <span>
#include <system_error>
#include <utility>

namespace rankscope::gui {

namespace {

constexpr std::size_t kPendingBytes = std::size_t(256) << 10;

}  // namespace

TextSpool::TextSpool(Options options) : file_(std::move(options)) {}

TextSpool::~TextSpool() {
    for (std::size_t i = 0; i < count_; ++i) {
        given_up_.push_back(segments_[i].load(std::memory_order_relaxed));
    }
    for (char* memory : given_up_) {
        if (memory != nullptr) {
            ::munmap(memory, kSegmentBytes);
        }
    }
}

std::string TextSpool::fault() const {
    const int error = error_.load(std::memory_order_relaxed);
    return error == 0 ? std::string() : std::generic_category().message(error);
}

std::uint64_t TextSpool::append(std::string_view text) {
    text = text.substr(0, kMostBytesAtOnce);
    const std::uint64_t left = std::uint64_t(count_) * kSegmentBytes - end_;
    if (left < text.size() + 1) {
        flush();
        begin_segment();
    }
    const std::uint64_t place = end_;
    pending_ += text;
    pending_ += '\n';
    end_ += text.size() + 1;
    if (pending_.size() >= kPendingBytes) {
        flush();
    }
    return place;
}

void TextSpool::flush() {
    if (pending_.empty()) {
        return;
    }
    if (!in_memory()) {
        write_to_file();
    }
    if (in_memory()) {
        char* memory = segments_[count_ - 1].load(std::memory_order_relaxed);
        if (memory != nullptr) {
            std::memcpy(memory + written_ % kSegmentBytes, pending_.data(), pending_.size());
        }
        pending_.clear();
    }
    written_ = end_;
}

void TextSpool::write_to_file() {
    if (file_.write(std::as_bytes(std::span(pending_)), written_)) {
        pending_.clear();
    } else {
        go_to_memory(errno);
    }
}

void TextSpool::begin_segment() {
    end_ = std::uint64_t(count_) * kSegmentBytes;
    written_ = end_;
    if (count_ == 0) {
        segments_ = std::make_unique<std::atomic<char*>[]>(kRooms);
    }
    RANKSCOPE_CHECK(!is_full(), return );
    if (!in_memory() && error_ == 0) {
        begin_file_segment();
    }
    if (in_memory() || error_ != 0) {
        if (!in_memory()) {
            first_memory_ = count_;
            in_memory_.store(true, std::memory_order_release);
        }
        begin_memory_segment();
    }
}

void TextSpool::begin_file_segment() {
    std::byte* const memory = file_.map(count_ * kSegmentBytes, kSegmentBytes);
    if (memory == nullptr) {
        error_ = errno;
        return;
    }
    segments_[count_++].store(reinterpret_cast<char*>(memory), std::memory_order_release);
}

void TextSpool::begin_memory_segment() {
    if (count_ - first_memory_ >= kMemorySegments) {
        // Readers may be in it: its pages go, its addresses stay and read as zeros.
        char* oldest = segments_[first_memory_++].exchange(nullptr, std::memory_order_acq_rel);
        if (oldest != nullptr) {
            ::madvise(oldest, kSegmentBytes, MADV_DONTNEED);
            given_up_.push_back(oldest);
        }
    }
    void* memory = ::mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    segments_[count_++].store(memory == MAP_FAILED ? nullptr : static_cast<char*>(memory),
                              std::memory_order_release);
}

// The last segment moves from the file to memory; readers may stay in the file's.
void TextSpool::go_to_memory(int error) {
    error_ = error;
    const std::size_t last = count_ - 1;
    char* of_file = segments_[last].load(std::memory_order_relaxed);
    void* memory = ::mmap(nullptr, kSegmentBytes, PROT_READ | PROT_WRITE,
                          MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory != MAP_FAILED) {
        std::memcpy(memory, of_file, written_ % kSegmentBytes);
    }
    segments_[last].store(memory == MAP_FAILED ? nullptr : static_cast<char*>(memory),
                          std::memory_order_release);
    given_up_.push_back(of_file);
    first_memory_ = last;
    in_memory_.store(true, std::memory_order_release);
}

}  // namespace rankscope::gui
