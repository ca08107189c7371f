// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/visible_text.h>
#include <gui/data/ansi_text.h>

#include <algorithm>
#include <charconv>

namespace rankscope::gui {

namespace {

constexpr std::size_t kMostStyles = 256;  ///< of a line
constexpr std::size_t kMostNumbers = 32;  ///< of a sequence
constexpr std::string_view kEllipsis = " …";

/// Past an escape sequence that begins at `i` (at ESC).
std::size_t skip_escape(std::string_view text, std::size_t i) {
    if (i + 1 >= text.size()) {
        return text.size();
    }
    const char kind = text[i + 1];
    i += 2;
    if (kind == '[') {  // CSI … final byte @–~
        while (i < text.size() && (text[i] < '@' || text[i] > '~')) {
            ++i;
        }
        return std::min(i + 1, text.size());
    }
    if (kind == ']') {  // OSC … BEL or ESC backslash
        while (i < text.size() && text[i] != '\a' && text[i] != '\x1b') {
            ++i;
        }
        if (i < text.size() && text[i] == '\x1b') {
            ++i;
        }
        return std::min(i + 1, text.size());
    }
    return i;
}

/// The numbers of "1;38;5;208": empty ones are 0.
std::vector<std::uint32_t> numbers_of(std::string_view text) {
    std::vector<std::uint32_t> numbers;
    while (numbers.size() < kMostNumbers) {
        const std::size_t end = std::min(text.find_first_of(";:"), text.size());
        std::uint32_t number = 0;
        std::from_chars(text.data(), text.data() + end, number);
        numbers.push_back(std::min<std::uint32_t>(number, 255));
        if (end == text.size()) {
            break;
        }
        text.remove_prefix(end + 1);
    }
    return numbers;
}

/// One of 256: 16 named ones, a cube of 6×6×6, 24 greys.
std::uint32_t indexed_color(std::uint32_t index) {
    if (index < 16) {
        return TextStyle::kPaletteBit | index;
    }
    if (index >= 232) {
        const std::uint32_t grey = 8 + 10 * (index - 232);
        return grey << 16U | grey << 8U | grey;
    }
    const auto level = [](std::uint32_t step) { return step == 0 ? 0U : 55 + 40 * step; };
    index -= 16;
    return level(index / 36) << 16U | level(index / 6 % 6) << 8U | level(index % 6);
}

/// The colour after 38 or 48, whose numbers begin at `i`; moves `i` to its last one.
std::uint32_t extended_color(const std::vector<std::uint32_t>& numbers, std::size_t& i) {
    if (i + 2 < numbers.size() && numbers[i + 1] == 5) {
        i += 2;
        return indexed_color(numbers[i]);
    }
    if (i + 4 < numbers.size() && numbers[i + 1] == 2) {
        i += 4;
        return numbers[i - 2] << 16U | numbers[i - 1] << 8U | numbers[i];
    }
    i = numbers.size();
    return TextStyle::kDefault;
}

void apply_number(TextStyle& style, const std::vector<std::uint32_t>& numbers, std::size_t& i) {
    const std::uint32_t n = numbers[i];
    const auto in = [n](std::uint32_t first) { return n >= first && n < first + 8; };
    if (n == 0) {
        style = {};
    } else if (n == 1) {
        style.bold = true;
    } else if (n == 2) {
        style.faint = true;
    } else if (n == 22) {
        style.bold = style.faint = false;
    } else if (n == 3 || n == 23) {
        style.italic = n == 3;
    } else if (n == 4 || n == 24) {
        style.underline = n == 4;
    } else if (n == 7 || n == 27) {
        style.inverse = n == 7;
    } else if (n == 38) {
        style.foreground = extended_color(numbers, i);
    } else if (n == 48) {
        style.background = extended_color(numbers, i);
    } else if (n == 39) {
        style.foreground = TextStyle::kDefault;
    } else if (n == 49) {
        style.background = TextStyle::kDefault;
    } else if (in(30)) {
        style.foreground = TextStyle::kPaletteBit | (n - 30);
    } else if (in(90)) {
        style.foreground = TextStyle::kPaletteBit | (n - 90 + 8);
    } else if (in(40)) {
        style.background = TextStyle::kPaletteBit | (n - 40);
    } else if (in(100)) {
        style.background = TextStyle::kPaletteBit | (n - 100 + 8);
    }
}

/// `sequence`: from ESC to its last byte.
void apply_sequence(TextStyle& style, std::string_view sequence) {
    if (sequence.size() < 3 || sequence[1] != '[' || sequence.back() != 'm') {
        return;
    }
    const std::vector<std::uint32_t> numbers = numbers_of(sequence.substr(2, sequence.size() - 3));
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        apply_number(style, numbers, i);
    }
}

constexpr std::string_view kReplacement = "\uFFFD";  ///< something was here

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 0x20 || byte == 0x7f;
}

/// Bytes that may begin an invisible mark (base/visible_text.h): few letters of Latin and Chinese texts do.
bool may_be_invisible(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte == 0xC2 || byte == 0xCD || byte == 0xD8 || (byte >= 0xE1 && byte <= 0xE3) || byte == 0xEF ||
           byte == 0xF3;
}

/// Not in the middle of a character: removes the bytes of one whose rest did not fit.
void drop_half_character(std::string& text, char next) {
    if ((static_cast<unsigned char>(next) & 0xC0) != 0x80) {
        return;
    }
    while (!text.empty() && (static_cast<unsigned char>(text.back()) & 0xC0) == 0x80) {
        text.pop_back();
    }
    if (!text.empty()) {
        text.pop_back();
    }
}

}  // namespace

bool is_displayable(std::string_view raw, std::size_t max_bytes) {
    // Without a branch for each byte: most lines of most logs are plain, and compilers make vector code of it.
    unsigned controls = 0;
    for (const char c : raw) {
        controls |= unsigned(is_control(c)) | unsigned(may_be_invisible(c));
    }
    return controls == 0 && raw.size() <= max_bytes;
}

std::string displayable(std::string_view raw, std::size_t max_bytes, std::vector<StyledFrom>* styles) {
    while (!raw.empty() && (raw.back() == '\n' || raw.back() == '\r')) {
        raw.remove_suffix(1);
    }
    const std::size_t carriage = raw.rfind('\r');
    if (carriage != std::string_view::npos) {
        raw.remove_prefix(carriage + 1);
    }
    std::string text;
    text.reserve(std::min(raw.size(), max_bytes));
    TextStyle style;
    std::size_t i = 0;
    while (i < raw.size() && text.size() < max_bytes) {
        const auto is_special = [](char c) { return is_control(c) || may_be_invisible(c); };
        if (!is_special(raw[i])) {
            const std::size_t most = std::min(raw.size(), i + (max_bytes - text.size()));
            const auto end =
                std::find_if(raw.begin() + std::ptrdiff_t(i), raw.begin() + std::ptrdiff_t(most), is_special);
            const auto next = std::size_t(end - raw.begin());
            text += raw.substr(i, next - i);
            i = next;
            continue;
        }
        if (!is_control(raw[i])) {
            const CodePoint point = first_code_point(raw.substr(i));
            const std::size_t bytes = std::max<std::size_t>(point.bytes, 1);
            const bool hidden = point.bytes > 0 && is_invisible(point.value);
            const std::string_view shown = hidden ? kReplacement : raw.substr(i, bytes);
            if (text.size() + shown.size() > max_bytes) {
                break;
            }
            text += shown;
            i += bytes;
            continue;
        }
        if (raw[i] == '\x1b') {
            const std::size_t end = skip_escape(raw, i);
            const TextStyle before = style;
            apply_sequence(style, raw.substr(i, end - i));
            if (styles != nullptr && style != before && styles->size() < kMostStyles) {
                styles->push_back({std::uint32_t(text.size()), style});
            }
            i = end;
            continue;
        }
        text += raw[i] == '\t' ? "    " : kReplacement;
        ++i;
    }
    if (i < raw.size()) {
        drop_half_character(text, raw[i]);
        text += kEllipsis;
    }
    return text;
}

}  // namespace rankscope::gui
