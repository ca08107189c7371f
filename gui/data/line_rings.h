// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/line_source.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rankscope::gui {

/// Which lines are folded into which: the first and those that repeat it. Four bytes a line. A value: copies share what
/// they have in common.
class LineRings {
public:
    /// The line itself, where nothing is folded.
    std::uint32_t first_of(std::uint32_t line) const;
    /// The first line and those that repeat it, at most so many; the newest of these directly behind the first.
    std::vector<std::uint32_t> lines_of(std::uint32_t first, std::size_t most) const;
    /// The ranks that printed a line, sorted.
    std::vector<int> ranks_of(const LineSource& store, std::uint32_t line) const;
    /// "[3] " or "[0-6,8] ", as it stands before a line; empty: of no rank.
    std::string rank_label(const LineSource& store, std::uint32_t line) const;

private:
    friend class LineRingsBuilder;
    static constexpr std::uint32_t kChunk = 16384;
    using Chunk = std::array<std::uint32_t, kChunk>;

    std::uint32_t next(std::uint32_t line) const {
        return line < size_ ? (*chunks_[line / kChunk])[line % kChunk] : line;
    }

    std::vector<std::shared_ptr<const Chunk>> chunks_;
    std::uint32_t size_ = 0;
};

/// Makes LineRings that grow: what is handed out does not change. One thread at a time.
class LineRingsBuilder {
public:
    /// `line` repeats `first`, which no other line does that is larger.
    void join(std::uint32_t first, std::uint32_t line);
    /// The line that this one repeats, or itself.
    std::uint32_t first_of(std::uint32_t line) const;
    LineRings rings();

private:
    std::uint32_t next(std::uint32_t line) const {
        return line < size_ ? (*chunks_[line / LineRings::kChunk])[line % LineRings::kChunk] : line;
    }
    void grow(std::uint32_t size);
    void set(std::uint32_t line, std::uint32_t next);

    std::vector<std::shared_ptr<LineRings::Chunk>> chunks_;
    std::vector<bool> shared_;  ///< with rings that were handed out
    std::uint32_t size_ = 0;
};

}  // namespace rankscope::gui
