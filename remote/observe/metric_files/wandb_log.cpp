// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/observe/metric_files/file_readers.h>
#include <remote/observe/metric_files/wandb.pb.h>

#include <zlib.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>

namespace rankscope::metric_files {
namespace {

constexpr std::size_t kBlock = 32768;
constexpr std::size_t kHeader = 7;
constexpr std::size_t kMostRecord = 1 << 20;
enum Piece : unsigned char { kFull = 1, kFirst = 2, kMiddle = 3, kLast = 4 };

std::uint32_t number_at(std::string_view bytes, std::size_t at, std::size_t size) {
    std::uint32_t number = 0;
    for (std::size_t i = size; i-- > 0;) {
        number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
    }
    return number;
}

std::uint32_t crc32_of(std::string_view bytes) {
    return static_cast<std::uint32_t>(
        ::crc32(0, reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<uInt>(bytes.size())));
}

std::optional<double> number_of_json(const std::string& text) {
    if (text == "NaN") {
        return std::numeric_limits<double>::quiet_NaN();
    }
    if (text == "Infinity" || text == "-Infinity") {
        return text[0] == '-' ? -std::numeric_limits<double>::infinity()
                              : std::numeric_limits<double>::infinity();
    }
    return parse_number<double>(text);
}

}  // namespace

ReadState WandbLog::feed(std::string_view bytes, std::vector<Scalars>& out) {
    pending_ += bytes;
    return take(out);
}

ReadState WandbLog::take(std::vector<Scalars>& out) {
    std::size_t at = 0;
    ReadState state = ReadState::Good;
    const auto left = [&] { return std::string_view(pending_).substr(at); };
    if (!begun_ && left().size() >= kHeader) {
        begun_ = left().starts_with(":W&B");
        if (!begun_) {
            return ReadState::Foreign;
        }
        at = kHeader;
    }
    while (begun_) {
        const std::size_t in_block = kBlock - (offset_ + at) % kBlock;
        if (in_block < kHeader) {
            if (left().size() < in_block) {
                break;
            }
            at += in_block;
            continue;
        }
        if (left().size() < kHeader) {
            break;
        }
        const std::uint32_t size = number_at(left(), 4, 2);
        const auto piece = static_cast<unsigned char>(left()[6]);
        if (piece < kFull || piece > kLast || kHeader + size > in_block) {
            state = ReadState::Damaged;
            break;
        }
        if (left().size() < kHeader + size) {
            break;
        }
        if (crc32_of(left().substr(6, size + 1)) != number_at(left(), 0, 4)) {
            state = ReadState::Damaged;
            break;
        }
        if (piece == kFull || piece == kFirst) {
            record_.clear();
            passing_over_ = false;
        }
        passing_over_ = passing_over_ || record_.size() + size > kMostRecord;
        if (!passing_over_) {
            record_ += left().substr(kHeader, size);
        }
        at += kHeader + size;
        if ((piece == kFull || piece == kLast) && !passing_over_) {
            read_record(record_, out);
        }
    }
    pending_.erase(0, at);
    offset_ += at;
    return state;
}

void WandbLog::read_record(std::string_view bytes, std::vector<Scalars>& out) {
    WandbRecord record;
    if (!record.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())) || !record.has_history()) {
        return;
    }
    Record values;
    std::optional<std::int64_t> calls;
    if (record.history().has_step()) {
        calls = record.history().step().num();
    }
    for (const auto& item : record.history().item()) {
        const std::string key = item.nested_key_size() > 0 ? joined(item.nested_key(), "/") : item.key();
        const auto number = number_of_json(item.value_json());
        if (!number || key.empty()) {
            continue;
        }
        if (key == "_step") {
            calls = calls.value_or(static_cast<std::int64_t>(std::clamp(*number, 0.0, 9e15)));
        } else {
            values.emplace_back(key, *number);
        }
    }
    ++records_;
    const bool counts = std::any_of(values.begin(), values.end(), [](const auto& value) {
        const auto alone = placed({value, {"value", 0}}, 1);
        return alone && !alone->of_epoch;
    });
    program_counts_ = program_counts_ || counts;
    if (!counts) {
        values.emplace_back("_step",
                            static_cast<double>(program_counts_ ? last_step_ : calls.value_or(records_ - 1)));
    }
    auto scalars = placed(values, records_);
    if (scalars) {
        last_step_ = scalars->step;
        out.push_back(std::move(*scalars));
    }
}

}  // namespace rankscope::metric_files
