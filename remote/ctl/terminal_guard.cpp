// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/visible_text.h>
#include <remote/ctl/terminal_guard.h>
#include <remote/ctl/terminal_text.h>

#include <unistd.h>

#include <cerrno>
#include <cstdio>

namespace rankscope::ctl {
namespace {

constexpr std::string_view kErase = "\r\x1b[K";
constexpr std::size_t kLongestSequence = 48;

struct Guarded {
    int fd;
    TerminalFilter filter;
};

ssize_t write_guarded(void* cookie, const char* bytes, std::size_t size) {
    auto& guarded = *static_cast<Guarded*>(cookie);
    const std::string safe = guarded.filter.take({bytes, size});
    std::string_view left = safe;
    while (!left.empty()) {
        const ssize_t written = ::write(guarded.fd, left.data(), left.size());
        if (written < 0 && errno != EINTR) {
            return 0;  // an error, as fopencookie has it
        }
        left.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
    }
    return static_cast<ssize_t>(size);
}

void guard(FILE*& stream, Guarded& guarded, int mode) {
    if (::isatty(guarded.fd) == 0) {
        return;
    }
    std::fflush(stream);
    cookie_io_functions_t functions{};
    functions.write = write_guarded;
    if (FILE* filtered = ::fopencookie(&guarded, "w", functions); filtered != nullptr) {
        std::setvbuf(filtered, nullptr, mode, BUFSIZ);
        stream = filtered;
    }
}

// Whether more bytes may complete what it begins with.
bool may_go_on(std::string_view text, bool progress) {
    if (text.size() >= kLongestSequence) {
        return false;
    }
    if (progress && kErase.starts_with(text)) {
        return true;
    }
    if (text == "\r" || text == "\x1b" ||
        (text.starts_with("\x1b[") && text.find_first_not_of("0123456789;:", 2) == text.npos)) {
        return true;
    }
    const auto first = static_cast<unsigned char>(text.front());
    const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : first >= 0xC2 ? 2 : 1;
    return text.size() < length;
}

}  // namespace

std::string TerminalFilter::take(std::string_view bytes) {
    waiting_ += bytes;
    std::string out;
    std::string_view text = waiting_;
    while (!text.empty()) {
        const char first = text.front();
        std::size_t length = 0;
        if (progress_ && text.starts_with(kErase)) {
            length = kErase.size();
        } else if (text.starts_with("\r\n")) {
            length = 2;
        } else if (first == '\n' || first == '\t') {
            length = 1;
        } else {
            length = colour_length(text);
        }
        if (length > 0) {
            out += text.substr(0, length);
            text.remove_prefix(length);
            continue;
        }
        const CodePoint point = first_code_point(text);
        if ((point.bytes == 0 || first == '\r' || first == '\x1b') && may_go_on(text, progress_)) {
            break;
        }
        if (point.bytes == 0 || is_invisible(point.value)) {
            out += escape_of(point, first);
        } else {
            out += text.substr(0, point.bytes);
        }
        text.remove_prefix(point.bytes == 0 ? 1 : point.bytes);
    }
    waiting_ = std::string(text);
    return out;
}

void guard_terminals() {
    // They live as long as the streams.
    static Guarded output{STDOUT_FILENO, TerminalFilter(false)};
    static Guarded errors{STDERR_FILENO, TerminalFilter(true)};
    guard(stdout, output, _IOLBF);
    guard(stderr, errors, _IONBF);
}

}  // namespace rankscope::ctl
