// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/logs/read/line_place.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline runs {

/// The lines that state connections of NCCL, by their place. A value that is cheap to copy: full blocks are shared and
/// never change. Bounded: of more than kMostBytes, the first lines stay.
class EdgeTexts {
public:
    static constexpr std::size_t kMostBytes = std::size_t(32) << 20;
    static constexpr std::size_t kLongest = 300;  ///< bytes of a line that are kept

    void add(const logs::LinePlace& place, std::string_view text);
    /// The same lines, which later ones do not change.
    EdgeTexts copy() const;

    /// Empty: none is known there. Valid as long as these lines.
    std::string_view find(const logs::LinePlace& place) const;
    std::size_t size() const { return size_; }

private:
    static constexpr std::size_t kBlockLines = 4096;

    struct Entry {
        logs::LinePlace place;
        std::uint32_t begin = 0;  ///< in the text of the block
        std::uint32_t size = 0;
    };
    struct Block {
        std::string text;
        std::vector<Entry> lines;
    };

    std::vector<std::shared_ptr<const Block>> full_;
    std::shared_ptr<Block> open_;
    std::size_t size_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace rankscope::inline runs
