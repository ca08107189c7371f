// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/read/line_splitter.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace rankscope::logs {

/// The bytes of a file → UTF-8 for the splitter: finds the encoding in the first bytes, and files that are no
/// text.
class TextBytes {
public:
    TextBytes(std::uint32_t source, LineSplitter& lines, RemarkBook& remarks)
        : lines_(lines), remarks_(remarks), source_(source) {}

    /// False: this is no text (the remark says so), and the rest need not be read.
    bool feed(std::string_view bytes);
    bool finish();

private:
    enum class Encoding { Unknown, Bytes, Utf16Little, Utf16Big };

    bool begin();
    void pass(std::string_view bytes);
    void pass_utf16(std::string_view bytes);

    LineSplitter& lines_;
    RemarkBook& remarks_;
    std::string head_;  ///< until the encoding is known
    std::string decoded_;
    std::uint32_t source_;
    Encoding encoding_ = Encoding::Unknown;
    int odd_byte_ = -1;            ///< the first half of a unit
    char32_t high_surrogate_ = 0;  ///< waits for the low one
};

}  // namespace rankscope::logs
