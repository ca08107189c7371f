// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/rules/literal_scan.h>

#include <algorithm>
#include <limits>

namespace rankscope::logs {
namespace {

constexpr std::size_t kBuckets = 1U << 12U;

std::size_t pair_at(const char* at) {
    return static_cast<std::size_t>(static_cast<unsigned char>(at[0])) << 8U |
           static_cast<unsigned char>(at[1]);
}

// Of the last four bytes of the window, which ends at `end`.
std::size_t bucket_of(const char* end) {
    std::uint32_t value = 0;
    for (int i = -4; i < 0; ++i) {
        value = value << 8U | static_cast<unsigned char>(end[i]);
    }
    return (value * 2654435761U) >> 20U;
}

}  // namespace

LiteralScan::LiteralScan(std::vector<std::string> words) : words_(std::move(words)) {
    if (words_.empty()) {
        return;
    }
    window_ = std::numeric_limits<std::uint8_t>::max();
    for (const auto& word : words_) {
        window_ = std::min(window_, word.size());
    }
    // The window is the first window_ bytes of each word.
    shift_.assign(1U << 16U, static_cast<std::uint8_t>(window_ - 1));
    std::vector<std::vector<std::uint32_t>> buckets(kBuckets);
    for (std::size_t i = 0; i < words_.size(); ++i) {
        const char* word = words_[i].data();
        for (std::size_t at = 0; at + 2 <= window_; ++at) {
            auto& shift = shift_[pair_at(word + at)];
            shift = std::min(shift, static_cast<std::uint8_t>(window_ - 2 - at));
        }
        buckets[bucket_of(word + window_)].push_back(static_cast<std::uint32_t>(i));
    }
    bucket_begin_.reserve(kBuckets + 1);
    for (const auto& bucket : buckets) {
        bucket_begin_.push_back(static_cast<std::uint32_t>(bucket_.size()));
        bucket_.insert(bucket_.end(), bucket.begin(), bucket.end());
    }
    bucket_begin_.push_back(static_cast<std::uint32_t>(bucket_.size()));
}

void LiteralScan::scan(std::string_view text, std::vector<std::uint32_t>& found) const {
    if (words_.empty() || text.size() < window_) {
        return;
    }
    const std::size_t before = found.size();
    const char* const begin = text.data();
    std::size_t end = window_;  // of the window
    while (end <= text.size()) {
        const std::uint8_t shift = shift_[pair_at(begin + end - 2)];
        if (shift != 0) {
            end += shift;
            continue;
        }
        const std::size_t bucket = bucket_of(begin + end);
        for (std::uint32_t at = bucket_begin_[bucket]; at < bucket_begin_[bucket + 1]; ++at) {
            if (text.substr(end - window_).starts_with(words_[bucket_[at]])) {
                found.push_back(bucket_[at]);
            }
        }
        ++end;
    }
    const auto first = found.begin() + static_cast<std::ptrdiff_t>(before);
    std::sort(first, found.end());
    found.erase(std::unique(first, found.end()), found.end());
}

}  // namespace rankscope::logs
