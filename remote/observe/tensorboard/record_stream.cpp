// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/observe/tensorboard/crc32c.h>
#include <remote/observe/tensorboard/record_stream.h>

#include <algorithm>
#include <utility>

namespace rankscope::tensorboard {
namespace {

constexpr std::size_t kLength = 8;
constexpr std::size_t kCrc = 4;
constexpr std::size_t kHeader = kLength + kCrc;
constexpr std::uint64_t kAbsurd = std::uint64_t{1} << 40;  // no event is so long, whatever its checksum says

std::uint64_t little_endian(std::string_view bytes) {
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) {
        value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return value;
}

}  // namespace

// Takes no more than is wanted: what follows is not copied before its turn.
bool RecordStream::fill(std::string_view& bytes, std::size_t size) {
    const auto wanted = std::min(size - pending_.size(), bytes.size());
    pending_ += bytes.substr(0, wanted);
    bytes.remove_prefix(wanted);
    return pending_.size() == size;
}

void RecordStream::pass_over(std::string_view& bytes) {
    const auto skipped = std::min<std::uint64_t>(passing_over_, bytes.size());
    bytes.remove_prefix(skipped);
    passing_over_ -= skipped;
    offset_ += skipped;
}

std::vector<std::string> RecordStream::feed(std::string_view bytes) {
    std::vector<std::string> records;
    while (!damaged_) {
        pass_over(bytes);
        if (!fill(bytes, size_ ? kHeader + *size_ + kCrc : kHeader)) {
            break;
        }
        if (!size_) {
            take_header();
        } else if (auto data = take_data()) {
            records.push_back(std::move(*data));
        }
    }
    return records;
}

void RecordStream::take_header() {
    const auto length = std::string_view(pending_).substr(0, kLength);
    const std::uint64_t size = little_endian(length);
    if (masked_crc32c(length) != little_endian(std::string_view(pending_).substr(kLength)) ||
        size > kAbsurd) {
        damaged_ = true;
    } else if (size > kMaxRecord) {
        passing_over_ = size + kCrc;
        offset_ += kHeader;
        pending_.clear();
    } else {
        size_ = size;
    }
}

std::optional<std::string> RecordStream::take_data() {
    std::string data = pending_.substr(kHeader, *size_);
    if (masked_crc32c(data) != little_endian(std::string_view(pending_).substr(kHeader + *size_))) {
        damaged_ = true;
        return std::nullopt;
    }
    offset_ += pending_.size();
    pending_.clear();
    size_.reset();
    return data;
}

}  // namespace rankscope::tensorboard
