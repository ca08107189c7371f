// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/utf8.h>
#include <remote/logs/read/line_splitter.h>

#include <cstring>

namespace rankscope::logs {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101;
constexpr std::uint64_t kHighs = 0x8080808080808080;

/// Printable ASCII and nothing else: most lines. Eight bytes at a time, for the other checks cost more than all
/// that follows.
bool is_plain(std::string_view text) {
    std::size_t i = 0;
    for (; i + 8 <= text.size(); i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, text.data() + i, 8);
        const auto below_space = (word - kOnes * 0x20) & ~word;
        const auto del = ((word ^ (kOnes * 0x7f)) - kOnes);
        if (((below_space | del | word) & kHighs) != 0) {
            return false;
        }
    }
    for (; i < text.size(); ++i) {
        if (static_cast<unsigned char>(text[i] - 0x20) >= 0x5f) {
            return false;
        }
    }
    return true;
}

bool is_control(char c) {
    return (static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f;
}

/// Length of the escape sequence at the start of `text`: colours, cursor movements, titles of windows.
std::size_t escape_length(std::string_view text) {
    constexpr std::size_t kLongest = 256;
    if (text.size() < 2) {
        return text.size();
    }
    const auto end = std::min(text.size(), kLongest);
    if (text[1] == '[') {
        std::size_t i = 2;
        while (i < end && text[i] >= 0x20 && text[i] < 0x40) {
            ++i;
        }
        return i < end && text[i] >= 0x40 && text[i] < 0x7f ? i + 1 : i;
    }
    if (text[1] == ']') {
        for (std::size_t i = 2; i < end; ++i) {
            if (text[i] == '\a') {
                return i + 1;
            }
            if (text[i] == '\x1b') {
                return i + 1 < text.size() && text[i + 1] == '\\' ? i + 2 : i;
            }
        }
        return end;
    }
    if (text[1] == '(' || text[1] == ')') {
        return std::min<std::size_t>(3, text.size());
    }
    return text[1] >= 0x40 && text[1] < 0x7f ? 2 : 1;
}

/// Without a character that was cut in two at the end.
std::string_view whole_characters(std::string_view text) {
    auto size = text.size();
    for (int back = 0; back < 3 && size > 0 && (static_cast<unsigned char>(text[size - 1]) & 0xc0) == 0x80;
         ++back) {
        --size;
    }
    return size > 0 && static_cast<unsigned char>(text[size - 1]) >= 0xc0 ? text.substr(0, size - 1) : text;
}

}  // namespace

void LineSplitter::feed(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto end = bytes.find('\n');
        if (end == std::string_view::npos) {
            carry(bytes);
            carried_from_ += bytes.size();
            return;
        }
        if (carried_.empty() && left_out_ == 0) {
            end_of_line(bytes.substr(0, end));
        } else {
            carry(bytes.substr(0, end));
            end_of_line(carried_);
            carried_.clear();
        }
        begin_after(end + 1);
        bytes.remove_prefix(end + 1);
    }
}

void LineSplitter::begin_after(std::size_t bytes) {
    if (begin_ != RawLine::kNowhere) {
        begin_ += carried_from_ + bytes;
    }
    carried_from_ = 0;
}

void LineSplitter::finish() {
    if (!carried_.empty() || left_out_ > 0) {
        end_of_line(carried_);
        carried_.clear();
    }
}

/// Keeps at most longest_ bytes. A progress bar writes line after line without a line feed: its complete pieces
/// leave at once.
void LineSplitter::carry(std::string_view bytes) {
    while (!bytes.empty()) {
        if (left_out_ > 0) {
            const auto next = bytes.find('\r');
            left_out_ += std::min(next, bytes.size());
            if (next == std::string_view::npos) {
                return;
            }
            piece(carried_);
            carried_.clear();
            bytes.remove_prefix(next + 1);
            continue;
        }
        const auto taken = bytes.substr(0, longest_ + 1 - std::min(longest_, carried_.size()));
        carried_ += taken;
        bytes.remove_prefix(taken.size());
        if (carried_.size() <= longest_) {
            continue;
        }
        const auto last = carried_.rfind('\r');
        if (last == std::string::npos) {
            left_out_ = carried_.size() - longest_;
            carried_.resize(longest_);
        } else {
            pieces(std::string_view(carried_).substr(0, last));
            carried_.erase(0, last + 1);
        }
    }
}

void LineSplitter::end_of_line(std::string_view line) {
    if (line.size() <= longest_ && left_out_ == 0 && is_plain(line)) {
        give(line);
    } else {
        pieces(line);
        if (!emitted_) {
            give({});
        }
    }
    ++line_;
    emitted_ = false;
}

void LineSplitter::pieces(std::string_view line) {
    while (true) {
        const auto end = line.find('\r');
        piece(line.substr(0, end));
        if (end == std::string_view::npos) {
            return;
        }
        line.remove_prefix(end + 1);
    }
}

void LineSplitter::piece(std::string_view piece) {
    const auto number = line_ + 1;
    if (piece.size() > longest_ || left_out_ > 0) {
        const auto kept = whole_characters(piece.substr(0, longest_));
        remarks_.add(RemarkKind::LongLine, source_, number, left_out_ + piece.size() - kept.size());
        left_out_ = 0;
        piece = kept;
    }
    if (is_plain(piece)) {
        if (!piece.empty()) {
            give(piece);
        }
        return;
    }
    cleaned_.clear();
    std::uint64_t nul = 0;
    std::uint64_t colours = 0;
    for (std::size_t i = 0; i < piece.size();) {
        if (!is_control(piece[i])) {
            const auto from = i;
            while (i < piece.size() && !is_control(piece[i])) {
                ++i;
            }
            cleaned_ += piece.substr(from, i - from);
        } else if (piece[i] == '\0') {
            ++nul;
            ++i;
        } else {
            ++colours;
            i += piece[i] == '\x1b' ? escape_length(piece.substr(i)) : 1;
        }
    }
    if (nul > 0) {
        remarks_.add(RemarkKind::Nul, source_, number, nul);
    }
    if (colours > 0) {
        remarks_.add(RemarkKind::Colours, source_, number, colours);
    }
    if (first_bad_byte(cleaned_) != std::string_view::npos) {
        std::string text;
        std::uint64_t bad = 0;
        std::string_view rest = cleaned_;
        for (auto at = first_bad_byte(rest); at != std::string_view::npos; at = first_bad_byte(rest)) {
            text += rest.substr(0, at);
            text += "\xef\xbf\xbd";  // U+FFFD
            rest.remove_prefix(at + 1);
            ++bad;
        }
        text += rest;
        cleaned_ = std::move(text);
        remarks_.add(RemarkKind::BadText, source_, number, bad);
    }
    if (!cleaned_.empty()) {
        give(cleaned_);
    }
}

void LineSplitter::give(std::string_view text) {
    if (emitted_) {
        remarks_.add(RemarkKind::Overwritten, source_, line_ + 1, 1);
    }
    emitted_ = true;
    sink_({{source_, line_ + 1}, text, begin_});
}

}  // namespace rankscope::logs
