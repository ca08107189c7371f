// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/line_level.h>

#include <array>
#include <cctype>
#include <cstddef>

namespace rankscope::gui {

namespace {

constexpr std::size_t kLooked = 400;

struct Word {
    std::string_view text;
    LineLevel level;
};

// Python's logging, glog, NCCL, Rust, syslog.
constexpr std::array kWords{Word{"ERROR", LineLevel::Error},     Word{"FATAL", LineLevel::Error},
                            Word{"CRITICAL", LineLevel::Error},  Word{"Error", LineLevel::Error},
                            Word{"error", LineLevel::Error},     Word{"Exception", LineLevel::Error},
                            Word{"Traceback", LineLevel::Error}, Word{"WARNING", LineLevel::Warning},
                            Word{"WARN", LineLevel::Warning},    Word{"Warning", LineLevel::Warning},
                            Word{"warning", LineLevel::Warning}, Word{"INFO", LineLevel::Info},
                            Word{"DEBUG", LineLevel::Debug},     Word{"TRACE", LineLevel::Debug}};

LineLevel level_of_word(std::string_view word) {
    for (const Word& known : kWords) {
        if (word == known.text) {
            return known.level;
        }
    }
    // "ValueError", "DistBackendError", "UserWarning" of Python.
    const bool begins = !word.empty() && std::isupper(static_cast<unsigned char>(word.front())) != 0;
    return begins && word.ends_with("Error")     ? LineLevel::Error
           : begins && word.ends_with("Warning") ? LineLevel::Warning
                                                 : LineLevel::None;
}

bool is_level_letter(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) != 0;
}

/// Lower-case words count only as a label: "error: no such file", not "rounding error 0.1".
bool is_label(std::string_view text, std::size_t begin, std::size_t end) {
    return std::islower(static_cast<unsigned char>(text[begin])) == 0 ||
           (end < text.size() && text[end] == ':');
}

}  // namespace

LineLevel level_of_line(std::string_view text) {
    text = text.substr(0, kLooked);
    LineLevel level = LineLevel::None;
    for (std::size_t begin = 0; begin < text.size();) {
        if (!is_level_letter(text[begin])) {
            ++begin;
            continue;
        }
        std::size_t end = begin;
        while (end < text.size() && is_level_letter(text[end])) {
            ++end;
        }
        const LineLevel of_word = level_of_word(text.substr(begin, end - begin));
        if (of_word > level && is_label(text, begin, end)) {
            level = of_word;
        }
        begin = end;
    }
    return level;
}

}  // namespace rankscope::gui
