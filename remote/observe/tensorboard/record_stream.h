// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::tensorboard {

/// The records of a TFRecord file (tensorflow/core/lib/io/record_writer.h), in whatever pieces its bytes
/// come:
///
///     uint64 length · uint32 masked_crc32c(length) · byte data[length] · uint32 masked_crc32c(data)
///
/// all little-endian. A record of more than kMaxRecord bytes (a graph, an image) is passed over; what is kept
/// of the file never exceeds one record. After a wrong checksum the rest cannot be interpreted: damaged()
/// from then on, and no record any more.
class RecordStream {
public:
    static constexpr std::size_t kMaxRecord = 1 << 20;

    std::vector<std::string> feed(std::string_view bytes);
    bool damaged() const { return damaged_; }
    /// Where in the file the record begins that is not whole yet, or that is damaged.
    std::uint64_t offset() const { return offset_; }

private:
    bool fill(std::string_view& bytes, std::size_t size);
    void pass_over(std::string_view& bytes);
    void take_header();
    std::optional<std::string> take_data();

    std::string pending_;                ///< the incomplete record
    std::optional<std::uint64_t> size_;  ///< of its data, once the header is known to be good
    std::uint64_t offset_ = 0;
    std::uint64_t passing_over_ = 0;  ///< bytes of a large record that are yet to come
    bool damaged_ = false;
};

}  // namespace rankscope::tensorboard
