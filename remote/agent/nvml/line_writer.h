// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace rankscope::nvml {

/// Words and whole numbers, a line at a time, to stdout. Without the C++ library: this program runs where it is older than
/// the one that the build used. The process ends when its reader is gone.
class LineWriter {
public:
    LineWriter& word(const char* text) {
        separate();
        for (; *text != '\0'; ++text) {
            put(*text >= ' ' || *text < '\0' ? *text : ' ');
        }
        return *this;
    }
    LineWriter& number(std::uint64_t value) {
        separate();
        std::array<char, 20> digits;
        std::size_t count = 0;
        do {
            digits[count++] = static_cast<char>('0' + value % 10);
            value /= 10;
        } while (value != 0);
        while (count > 0) {
            put(digits[--count]);
        }
        return *this;
    }
    void end_line() {
        put('\n');
        first_ = true;
    }
    void flush() {
        std::size_t written = 0;
        while (written < used_) {
            const ssize_t count = ::write(STDOUT_FILENO, buffer_.data() + written, used_ - written);
            if (count <= 0) {
                ::_exit(0);
            }
            written += static_cast<std::size_t>(count);
        }
        used_ = 0;
    }

private:
    void separate() {
        if (!first_) {
            put(' ');
        }
        first_ = false;
    }
    void put(char letter) {
        if (used_ == buffer_.size()) {
            flush();
        }
        buffer_[used_++] = letter;
    }

    std::array<char, 16384> buffer_{};
    std::size_t used_ = 0;
    bool first_ = true;
};

}  // namespace rankscope::nvml
