// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/ansi_text.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace rankscope::gui {

enum class LogKind { Out, Err, Event };

/// A text, and what has it in memory as long as this object lives.
class KeptText {
public:
    KeptText() = default;
    explicit KeptText(std::string_view text, std::shared_ptr<const void> owner = {})
        : text_(text), owner_(std::move(owner)) {}

    /// A null pointer: the text is unavailable.
    std::string_view view() const { return text_; }
    std::size_t size() const { return text_.size(); }

private:
    std::string_view text_;
    std::shared_ptr<const void> owner_;
};

/// Numbered lines with rank, kind and time, wherever their text is. Any thread reads lines below size(), which never
/// change; styles_of() is for the window's thread only.
class LineSource {
public:
    /// A run of lines whose text is in one piece, each followed by '\n'; between the last one and `end`, '\n' or nothing.
    struct Piece {
        std::string_view text;
        std::uint32_t first = 0;
        std::uint32_t end = 0;  ///< past the last line
        std::shared_ptr<const void> owner = {};
        std::span<const std::uint32_t> starts = {};  ///< of the lines in the text; empty: see line_at()
    };

    LineSource() = default;
    LineSource(const LineSource&) = delete;
    LineSource& operator=(const LineSource&) = delete;
    virtual ~LineSource() = default;

    /// Why the text of a line is unavailable.
    enum class Loss { DiskFull, FileChanged };

    virtual std::uint32_t size() const = 0;
    virtual KeptText text(std::uint32_t line) const = 0;
    virtual bool is_gone(std::uint32_t line) const = 0;
    virtual Loss loss() const { return Loss::DiskFull; }
    virtual int rank(std::uint32_t line) const = 0;
    virtual LogKind kind(std::uint32_t line) const = 0;
    virtual std::int64_t t_us(std::uint32_t line) const = 0;
    virtual std::vector<StyledFrom> styles_of(std::uint32_t line) const = 0;
    /// The text of the lines from `first` up to `end`, or up to where their piece ends. Unavailable pieces have no text.
    virtual Piece piece(std::uint32_t first, std::uint32_t end) const = 0;
    /// The line of a piece, at or after `from`, in which a place of its text is.
    virtual std::uint32_t line_at(const Piece& piece, std::size_t offset, std::uint32_t from) const;
};

}  // namespace rankscope::gui
