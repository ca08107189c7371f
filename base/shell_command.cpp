// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/shell_command.h>
#include <base/shell_quote.h>

namespace rankscope {

ShellWord& ShellWord::add(SourceText text) {
    text_ += text.text();
    return *this;
}

ShellWord& ShellWord::add(std::int64_t number) {
    text_ += std::to_string(number);
    return *this;
}

ShellWord& ShellWord::add(const ShellWord& part) {
    text_ += part.text_;
    return *this;
}

void ShellWord::add_as_pattern(std::string_view part) {
    for (const char c : part) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                           c == '-' || c == '_' || c == ':';
        text_ += plain ? std::string(1, c) : std::string("[") + c + ']';
    }
}

void ShellCommand::add(std::string_view text, std::string_view sh) {
    if (!text_.empty()) {
        text_ += ' ';
        sh_ += ' ';
    }
    text_ += text;
    sh_ += sh;
}

ShellCommand& ShellCommand::source(SourceText text) {
    add(text.text(), text.text());
    return *this;
}

ShellCommand& ShellCommand::word(const ShellWord& word) {
    add(shell_quote(word.text()), sh_quote(word.text()));
    return *this;
}

ShellCommand& ShellCommand::option(SourceText name, const ShellWord& value) {
    const std::string begin(name.text());
    add(begin + shell_quote(value.text()), begin + sh_quote(value.text()));
    return *this;
}

ShellCommand& ShellCommand::number(std::int64_t number) {
    const std::string digits = std::to_string(number);
    add(digits, digits);
    return *this;
}

ShellCommand& ShellCommand::script(const ShellCommand& other) {
    add(shell_quote(other.sh_), sh_quote(other.sh_));
    return *this;
}

ShellCommand& ShellCommand::remote_line(const ShellCommand& other) {
    add(shell_quote(other.text_), sh_quote(other.text_));
    return *this;
}

ShellCommand& ShellCommand::append(const ShellCommand& other) {
    add(other.text_, other.sh_);
    return *this;
}

ShellCommand in_turn(const std::vector<ShellCommand>& commands) {
    ShellCommand all;
    for (const auto& command : commands) {
        if (!all.empty()) {
            all.source("&&");
        }
        all.append(command);
    }
    return all;
}

}  // namespace rankscope
