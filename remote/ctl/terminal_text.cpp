// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/visible_text.h>
#include <remote/ctl/terminal_text.h>

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>

namespace rankscope::ctl {
namespace {

constexpr std::size_t kTab = 8;
constexpr std::size_t kSmallestLine = 20;  ///< a terminal that is narrower gets lines of this length

// Never too few: a line that is divided too early does no harm.
std::size_t width_of(std::uint32_t value) {
    return value >= 0x1100 ? 2 : 1;
}

/// Collects the pieces of one line.
class LineFolder {
public:
    explicit LineFolder(std::size_t columns)
        : columns_(columns == 0 ? 0 : std::max(columns, kSmallestLine)) {}

    void add(std::string_view bytes, std::size_t width) {
        if (columns_ != 0 && used_ + width > columns_) {
            finish_piece();
            current_ = active_;
        }
        current_ += bytes;
        used_ += width;
    }
    void add_escape(const std::string& text) {
        for (const char c : text) {
            add({&c, 1}, 1);
        }
    }
    void add_tab() {
        const std::size_t width = kTab - used_ % kTab;
        for (std::size_t i = 0; i < width; ++i) {
            add(" ", 1);
        }
    }
    void add_colour(std::string_view sequence) {
        const bool reset = sequence == "\x1b[m" || sequence == "\x1b[0m";
        current_ += sequence;
        active_ = reset || active_.size() > 200 ? std::string() : active_ + std::string(sequence);
        coloured_ = true;
    }
    std::vector<std::string> take() {
        finish_piece();
        return std::move(pieces_);
    }

private:
    void finish_piece() {
        pieces_.push_back(coloured_ ? current_ + "\x1b[0m" : current_);
        current_.clear();
        used_ = 0;
    }

    std::size_t columns_;
    std::size_t used_ = 0;
    bool coloured_ = false;
    std::string current_;
    std::string active_;  ///< the colours in force, for the next piece
    std::vector<std::string> pieces_;
};

std::string_view after_returns(std::string_view line) {
    while (!line.empty() && line.back() == '\r') {
        line.remove_suffix(1);
    }
    const auto last = line.rfind('\r');
    return last == std::string_view::npos ? line : line.substr(last + 1);
}

}  // namespace

std::size_t colour_length(std::string_view text) {
    if (!text.starts_with("\x1b[")) {
        return 0;
    }
    std::size_t end = 2;
    while (end < text.size() &&
           ((text[end] >= '0' && text[end] <= '9') || text[end] == ';' || text[end] == ':')) {
        ++end;
    }
    if (end == text.size() || text[end] != 'm' || end > 40) {
        return 0;
    }
    const std::string parameters = ';' + std::string(text.substr(2, end - 2)) + ';';
    const bool palette =
        parameters.find(";38") != std::string::npos || parameters.find(";48") != std::string::npos;
    const bool conceals =
        parameters.find(";8;") != std::string::npos || parameters.find(";08;") != std::string::npos;
    return conceals && !palette ? 0 : end + 1;
}

std::vector<std::string> terminal_lines(std::string_view line, bool colours, std::size_t columns) {
    LineFolder folder(columns);
    std::string_view rest = after_returns(line);
    while (!rest.empty()) {
        if (const std::size_t length = colours ? colour_length(rest) : 0; length > 0) {
            folder.add_colour(rest.substr(0, length));
            rest.remove_prefix(length);
            continue;
        }
        const CodePoint point = first_code_point(rest);
        if (rest.front() == '\t') {
            folder.add_tab();
        } else if (point.bytes == 0 || is_invisible(point.value)) {
            folder.add_escape(escape_of(point, rest.front()));
        } else {
            folder.add(rest.substr(0, point.bytes), width_of(point.value));
        }
        rest.remove_prefix(point.bytes == 0 ? 1 : point.bytes);
    }
    return folder.take();
}

std::string safe_text(std::string_view text) {
    std::string out;
    while (!text.empty() && text.back() == '\n') {
        text.remove_suffix(1);
    }
    std::size_t begin = 0;
    while (begin <= text.size()) {
        const auto end = std::min(text.find('\n', begin), text.size());
        out += (begin == 0 ? "" : "\n    | ") +
               terminal_lines(text.substr(begin, end - begin), false, 0).front();
        begin = end + 1;
    }
    return out;
}

std::size_t terminal_columns(int fd) {
    if (::isatty(fd) == 0) {
        return 0;
    }
    struct winsize size {};
    const bool known = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return known ? size.ws_col : 80;
}

void print_foreign_line(const std::string& prefix, std::string_view line, std::size_t columns) {
    if (columns == 0) {
        std::printf("%s%.*s\n", prefix.c_str(), static_cast<int>(line.size()), line.data());
        return;
    }
    const std::size_t room = columns > prefix.size() ? columns - prefix.size() : 1;
    for (const auto& piece : terminal_lines(line, true, room)) {
        std::printf("%s%s\n", prefix.c_str(), piece.c_str());
    }
}

}  // namespace rankscope::ctl
