// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::gui {

/// How text looks from a place on (ANSI SGR).
struct TextStyle {
    static constexpr std::uint32_t kDefault = 0xffffffff;     ///< the view's own colour
    static constexpr std::uint32_t kPaletteBit = 0x80000000;  ///< the low 4 bits: one of the 16 named colours

    std::uint32_t foreground = kDefault;  ///< 0xRRGGBB
    std::uint32_t background = kDefault;
    bool bold = false;
    bool italic = false;
    bool underline = false;
    bool inverse = false;
    bool faint = false;

    bool operator==(const TextStyle&) const = default;
};

struct StyledFrom {
    std::uint32_t byte = 0;  ///< of the plain text
    TextStyle style;

    bool operator==(const StyledFrom&) const = default;
};

/// Whether displayable() returns `raw` as it is.
bool is_displayable(std::string_view raw, std::size_t max_bytes);

/// Text for a text view: without escape sequences and control characters, of "a\rb" only b, cut when too long.
/// `styles` gets the colours that escape sequences set, if there are any, at most a few hundred; no other sequence
/// has any effect.
std::string displayable(std::string_view raw, std::size_t max_bytes,
                        std::vector<StyledFrom>* styles = nullptr);

}  // namespace rankscope::gui
