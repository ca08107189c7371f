// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/command_parts.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope {

/// A text that is written in the source: no value of a run, a node or a file can be one.
class SourceText {
public:
    template <std::size_t Size>
    consteval SourceText(const char (&text)[Size]) : text_(text, Size - 1) {}  // NOLINT: implicit by design

    constexpr std::string_view text() const { return text_; }

private:
    std::string_view text_;
};

/// One word of a command, put together of checked parts; quoted as a whole where it is added.
class ShellWord {
public:
    ShellWord(SourceText text) : text_(text.text()) {}  // NOLINT: implicit by design
    template <typename Kind>
    ShellWord(const CheckedText<Kind>& part) : text_(part.text()) {}  // NOLINT: implicit by design

    ShellWord& add(SourceText text);
    template <typename Kind>
    ShellWord& add(const CheckedText<Kind>& part) {
        text_ += part.text();
        return *this;
    }
    ShellWord& add(std::int64_t number);
    ShellWord& add(const ShellWord& part);
    /// For grep and sed: every character stands for itself.
    template <typename Kind>
    ShellWord& add_pattern(const CheckedText<Kind>& part) {
        add_as_pattern(part.text());
        return *this;
    }

    const std::string& text() const { return text_; }

private:
    void add_as_pattern(std::string_view part);

    std::string text_;
};

/// A command for a shell that may hold values of elsewhere. Text gets in only as a literal of the source or as a checked
/// part (base/command_parts.h), and each part is one word, quoted by shell_quote().
class ShellCommand {
public:
    ShellCommand() = default;
    /// As it is, for words that need no quotes and the syntax of sh: "sudo nft insert rule".
    explicit ShellCommand(SourceText text) : text_(text.text()), sh_(text.text()) {}

    ShellCommand& source(SourceText text);
    ShellCommand& word(const ShellWord& word);
    ShellCommand& number(std::int64_t number);
    ShellCommand& pid(Pid pid) { return number(pid.number()); }
    /// NAME and the word without a blank between them: "--zone=" 'public'.
    ShellCommand& option(SourceText name, const ShellWord& value);
    /// The whole other command as one word, for `sh -c`.
    ShellCommand& script(const ShellCommand& other);
    /// The same for any shell of a user, at the other end of ssh.
    ShellCommand& remote_line(const ShellCommand& other);
    /// The words of the other command.
    ShellCommand& append(const ShellCommand& other);

    bool empty() const { return text_.empty(); }
    const std::string& str() const { return text_; }

private:
    void add(std::string_view text, std::string_view sh);

    std::string text_;  ///< for any shell of a user
    std::string sh_;    ///< the same for sh alone, whose quotes need less
};

/// "first && second": each only where the ones before succeeded.
ShellCommand in_turn(const std::vector<ShellCommand>& commands);

}  // namespace rankscope
