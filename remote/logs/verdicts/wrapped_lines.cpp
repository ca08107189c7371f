// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/grammar/error_line.h>
#include <remote/logs/grammar/exception_shape.h>
#include <remote/logs/verdicts/wrapped_lines.h>

#include <string_view>

namespace rankscope::logs {
namespace {

// In the middle of a sentence or of a word: no prefix was taken, and it begins as no message does.
bool may_continue(const LogLine& line) {
    const auto text = line.text;
    if (text.empty() || line.message.size() != text.size() || line.speaker != Speaker::Program) {
        return false;
    }
    const char first = text[0];
    return (first >= 'a' && first <= 'z') || is_digit(first) || first == ',' || first == '.' ||
           first == ')' || first == ':' || (first == ' ' && text.size() > 1 && text[1] != ' ');
}

}  // namespace

std::optional<LogLine> WrappedLines::take(const LogLine& line) {
    // All lines but the last are as wide as the terminal.
    const bool goes_on = !first_.empty() && line.place.file == line_.place.file &&
                         line.place.line == line_.place.line + lines_ && may_continue(line) &&
                         line.text.size() <= width_;
    if (!goes_on || lines_ >= kMostLines) {
        first_.clear();
        return std::nullopt;
    }
    text_ += line.text;
    ++lines_;
    LogLine whole = line_;
    whole.text = text_;
    whole.message = std::string_view(text_).substr(message_);
    if (line.text.size() < width_) {
        lines_ = kMostLines;  // the last one
    }
    return whole;
}

void WrappedLines::keep(const LogLine& line, std::size_t process) {
    if (line.text.size() < kShortest || line.speaker == Speaker::Nccl || !error_line(line)) {
        return;
    }
    first_ = line.text;
    text_ = line.text;
    message_ = static_cast<std::size_t>(line.message.data() - line.text.data());
    host_ = line.host;
    part_ = line.part;
    view_ = line.view;
    source_ = line.source;
    line_ = line;
    line_.host = host_;
    line_.part = part_;
    line_.view = view_;
    line_.source = source_;
    line_.bar = {};
    width_ = line.text.size();
    lines_ = 1;
    process_ = process;
}

}  // namespace rankscope::logs
