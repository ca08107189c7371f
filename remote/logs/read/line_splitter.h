// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/read/line_place.h>
#include <remote/logs/read/remark_book.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace rankscope::logs {

/// Bytes of a text, in pieces of any size → lines. It does not matter where the pieces are cut.
class LineSplitter {
public:
    LineSplitter(std::uint32_t source, std::size_t longest, const std::function<void(const RawLine&)>& sink,
                 RemarkBook& remarks)
        : sink_(sink), remarks_(remarks), longest_(longest), source_(source) {}

    /// The next byte is this one of its source. kNowhere: what is fed is not what the source has.
    void start_at(std::uint64_t byte) { begin_ = byte; }
    void feed(std::string_view bytes);
    /// The last line, if it has no line end.
    void finish();
    /// Lines so far.
    std::uint64_t lines() const { return line_; }

private:
    void carry(std::string_view bytes);
    void begin_after(std::size_t bytes);
    void end_of_line(std::string_view line);
    void pieces(std::string_view line);
    void piece(std::string_view piece);
    void give(std::string_view text);

    const std::function<void(const RawLine&)>& sink_;
    RemarkBook& remarks_;
    std::string carried_;  ///< the start of a line whose end is not here yet
    std::string cleaned_;  ///< buffer of piece()
    std::size_t longest_;
    std::uint64_t left_out_ = 0;  ///< bytes of the carried line beyond the longest
    std::uint64_t line_ = 0;
    std::uint64_t begin_ = 0;         ///< RawLine::begin of this line
    std::uint64_t carried_from_ = 0;  ///< bytes of this line that were fed before
    std::uint32_t source_;
    bool emitted_ = false;  ///< a piece of this line was
};

}  // namespace rankscope::logs
