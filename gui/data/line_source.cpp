// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/line_source.h>

#include <algorithm>

namespace rankscope::gui {

std::uint32_t LineSource::line_at(const Piece& piece, std::size_t offset, std::uint32_t from) const {
    const auto begin = piece.starts.begin() + std::ptrdiff_t(from - piece.first);
    const auto after = std::upper_bound(begin, piece.starts.end(), std::uint32_t(offset));
    return piece.first + std::uint32_t(after - piece.starts.begin()) - (after == begin ? 0 : 1);
}

}  // namespace rankscope::gui
