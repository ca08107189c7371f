// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/read/text_bytes.h>

#include <algorithm>
#include <cstddef>

namespace rankscope::logs {
namespace {

constexpr std::size_t kHead = 4096;
constexpr char32_t kReplacement = 0xfffd;

void append_utf8(std::string& text, char32_t c) {
    const auto byte = [&](char32_t value) { text += static_cast<char>(value); };
    if (c < 0x80) {
        byte(c);
    } else if (c < 0x800) {
        byte(0xc0 | c >> 6);
        byte(0x80 | (c & 0x3f));
    } else if (c < 0x10000) {
        byte(0xe0 | c >> 12);
        byte(0x80 | (c >> 6 & 0x3f));
        byte(0x80 | (c & 0x3f));
    } else {
        byte(0xf0 | c >> 18);
        byte(0x80 | (c >> 12 & 0x3f));
        byte(0x80 | (c >> 6 & 0x3f));
        byte(0x80 | (c & 0x3f));
    }
}

/// Control characters that no terminal gets from a program that prints text. NUL does not count: a log that was
/// cut while a program wrote it begins with many.
bool looks_binary(std::string_view head) {
    std::size_t nul = 0;
    std::size_t controls = 0;
    constexpr std::string_view kUsual = "\t\n\r\x1b\b\a\f";
    for (const char c : head) {
        if (c == '\0') {
            ++nul;
        } else if (static_cast<unsigned char>(c) < 0x20 && kUsual.find(c) == std::string_view::npos) {
            ++controls;
        }
    }
    const auto others = head.size() - nul;
    return (others >= 16 && controls * 20 > others) || (nul * 10 > head.size() && controls * 100 > others);
}

/// UTF-16 without a mark: text in it that is mostly ASCII has NUL in every second byte.
bool zeros_alternate(std::string_view head, std::size_t where) {
    std::size_t at = 0;
    std::size_t other = 0;
    for (std::size_t i = 0; i + 1 < head.size(); i += 2) {
        at += head[i + where] == '\0' ? 1U : 0U;
        other += head[i + 1 - where] == '\0' ? 1U : 0U;
    }
    const auto units = head.size() / 2;
    return units >= 8 && at * 10 > units * 6 && other * 20 < units;
}

}  // namespace

bool TextBytes::feed(std::string_view bytes) {
    if (encoding_ != Encoding::Unknown) {
        pass(bytes);
        return true;
    }
    if (head_.empty() && bytes.size() >= kHead) {
        head_ = bytes.substr(0, kHead);
        bytes.remove_prefix(kHead);
    } else {
        head_ += bytes;
        if (head_.size() < kHead) {
            return true;
        }
        bytes = {};
    }
    if (!begin()) {
        return false;
    }
    pass(bytes);
    return true;
}

bool TextBytes::finish() {
    if (encoding_ == Encoding::Unknown && !begin()) {
        return false;
    }
    if (high_surrogate_ != 0 || odd_byte_ >= 0) {
        lines_.feed("\xef\xbf\xbd");
    }
    lines_.finish();
    return true;
}

bool TextBytes::begin() {
    std::string_view head = head_;
    if (head.starts_with("\xff\xfe") || zeros_alternate(head, 1)) {
        encoding_ = Encoding::Utf16Little;
    } else if (head.starts_with("\xfe\xff") || zeros_alternate(head, 0)) {
        encoding_ = Encoding::Utf16Big;
    } else if (looks_binary(head)) {
        remarks_.add({.kind = RemarkKind::NotText, .source = source_});
        return false;
    } else {
        encoding_ = Encoding::Bytes;
        if (head.starts_with("\xef\xbb\xbf")) {
            head.remove_prefix(3);
            lines_.start_at(3);
        }
    }
    if (encoding_ != Encoding::Bytes) {
        remarks_.add({.kind = RemarkKind::Utf16, .source = source_});
        lines_.start_at(RawLine::kNowhere);
    }
    pass(head);
    head_ = {};
    return true;
}

void TextBytes::pass(std::string_view bytes) {
    if (encoding_ == Encoding::Bytes) {
        lines_.feed(bytes);
    } else {
        pass_utf16(bytes);
    }
}

void TextBytes::pass_utf16(std::string_view bytes) {
    decoded_.clear();
    for (const char c : bytes) {
        const int byte = static_cast<unsigned char>(c);
        if (odd_byte_ < 0) {
            odd_byte_ = byte;
            continue;
        }
        const auto unit = static_cast<char32_t>(encoding_ == Encoding::Utf16Little ? byte << 8 | odd_byte_
                                                                                   : odd_byte_ << 8 | byte);
        odd_byte_ = -1;
        if (unit >= 0xdc00 && unit < 0xe000) {
            append_utf8(decoded_, high_surrogate_ != 0
                                      ? 0x10000 + ((high_surrogate_ - 0xd800) << 10) + (unit - 0xdc00)
                                      : kReplacement);
            high_surrogate_ = 0;
            continue;
        }
        if (high_surrogate_ != 0) {
            append_utf8(decoded_, kReplacement);
            high_surrogate_ = 0;
        }
        if (unit >= 0xd800 && unit < 0xdc00) {
            high_surrogate_ = unit;
        } else if (unit != 0xfeff) {  // the mark of the byte order
            append_utf8(decoded_, unit);
        }
    }
    lines_.feed(decoded_);
}

}  // namespace rankscope::logs
