// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/check.h>
#include <base/paths.h>
#include <gui/data/nameless_file.h>
#include <gui/data/value_spool.h>

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <functional>
#include <memory>

namespace rankscope::gui {

ValueSpool::~ValueSpool() {
    close_file();
}

ValueSpool& ValueSpool::own() {
    static ValueSpool spool;
    return spool;
}

ValueSpool::Block ValueSpool::store(std::span<const float> values) {
    RANKSCOPE_CHECK(values.size() == kBlockValues, return {});
    const std::lock_guard lock(mutex_);
    if (!failed_) {
        const bool again = !free_.empty();
        const std::size_t block = again ? free_.back() : end_;
        if ((again || block < segments_.size() * kBlocksOfSegment || begin_segment()) &&
            write(block, values)) {
            if (again) {
                free_.pop_back();
            } else {
                ++end_;
            }
            return {place(block), this};
        }
        failed_ = true;
    }
    auto memory = std::make_unique<float[]>(kBlockValues);
    std::copy(values.begin(), values.end(), memory.get());
    ++in_memory_;
    return {memory.release(), this};
}

std::size_t ValueSpool::blocks_in_file() const {
    const std::lock_guard lock(mutex_);
    return end_ - free_.size();
}

std::size_t ValueSpool::blocks_in_memory() const {
    const std::lock_guard lock(mutex_);
    return in_memory_;
}

void ValueSpool::release(const float* values) {
    const std::lock_guard lock(mutex_);
    auto segment =
        std::upper_bound(by_address_.begin(), by_address_.end(), values,
                         [](const float* one, const auto& begin) { return std::less<>()(one, begin.first); });
    if (segment != by_address_.begin()) {
        --segment;
        const auto offset = std::size_t(values - segment->first);
        if (offset < kBlocksOfSegment * kBlockValues) {
            free_.push_back(std::uint32_t(segment->second * kBlocksOfSegment + offset / kBlockValues));
            if (free_.size() == end_) {  // no run is left: the disk gets its room back
                close_file();
            }
            return;
        }
    }
    --in_memory_;
    const std::unique_ptr<const float[]> memory(values);
}

// The file grows into its addresses.
bool ValueSpool::begin_segment() {
    const std::uint64_t begin = segments_.size() * kSegmentBytes;
    if (begin + kSegmentBytes > options_.most_bytes) {
        return false;
    }
    if (!file_) {
        std::filesystem::path folder = options_.folder;
        if (folder.empty()) {
            folder = user_cache_dir();
            std::error_code ignored;  // what fails is found by the open below
            std::filesystem::create_directories(folder, ignored);
        }
        file_ = nameless_file(folder);
    }
    if (!file_ || free_disk_bytes(file_) < options_.leave_free_bytes + kSegmentBytes) {
        return false;
    }
    void* memory = ::mmap(nullptr, kSegmentBytes, PROT_READ, MAP_SHARED, file_.get(), off_t(begin));
    if (memory == MAP_FAILED) {
        return false;
    }
    const std::pair entry(static_cast<const float*>(memory), segments_.size());
    by_address_.insert(
        std::upper_bound(by_address_.begin(), by_address_.end(), entry,
                         [](const auto& a, const auto& b) { return std::less<>()(a.first, b.first); }),
        entry);
    segments_.push_back(static_cast<float*>(memory));
    return true;
}

// By a call and not through the mapping: a full disk is an error here, and no page becomes memory of the program.
bool ValueSpool::write(std::size_t block, std::span<const float> values) {
    const auto* bytes = reinterpret_cast<const char*>(values.data());
    std::size_t done = 0;
    while (done < kBlockBytes) {
        const ssize_t wrote =
            ::pwrite(file_.get(), bytes + done, kBlockBytes - done, off_t(block * kBlockBytes + done));
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            return false;
        }
        done += std::size_t(wrote);
    }
    return true;
}

float* ValueSpool::place(std::size_t block) const {
    return segments_[block / kBlocksOfSegment] + block % kBlocksOfSegment * kBlockValues;
}

void ValueSpool::close_file() {
    for (float* segment : segments_) {
        ::munmap(segment, kSegmentBytes);
    }
    segments_.clear();
    by_address_.clear();
    free_.clear();
    end_ = 0;
    file_.reset();
}

}  // namespace rankscope::gui
