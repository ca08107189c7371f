// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <engine/tensor/element_type.h>

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

namespace rankscope::engine {

/// Contiguous elements; a collective works on a list of pieces as if they were one array.
struct Piece {
    void* data = nullptr;
    std::size_t count = 0;  ///< elements
};

/// Of the elements of such a list, rank r has [shares[r], shares[r + 1]): one number more than ranks, ascending from 0 to
/// the number of elements. A share may be empty.
using Shares = std::span<const std::size_t>;

inline std::size_t element_count(std::span<const Piece> pieces) {
    std::size_t sum = 0;
    for (const Piece& piece : pieces) {
        sum += piece.count;
    }
    return sum;
}

/// Calls `visit(piece, offset within the piece, length, position behind `begin`)` for what of the joined
/// array lies in [begin, end), elements.
template <typename Visit>
void over_range(std::span<const Piece> pieces, std::size_t begin, std::size_t end, const Visit& visit) {
    std::size_t start = 0;
    for (std::size_t i = 0; i < pieces.size() && start < end; ++i) {
        const std::size_t stop = start + pieces[i].count;
        const std::size_t from = std::max(start, begin);
        const std::size_t to = std::min(stop, end);
        if (from < to) {
            visit(i, from - start, to - from, from - begin);
        }
        start = stop;
    }
}

/// [begin, end) of the joined array, as pieces of their own.
inline std::vector<Piece> part_of(std::span<const Piece> pieces, ElementType type, std::size_t begin,
                                  std::size_t end) {
    std::vector<Piece> part;
    over_range(
        pieces, begin, end,
        [&](std::size_t piece, std::size_t offset, std::size_t length, std::size_t /*position*/) {
            part.push_back({static_cast<std::byte*>(pieces[piece].data) + offset * size_of(type), length});
        });
    return part;
}

}  // namespace rankscope::engine
