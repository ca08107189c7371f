// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace rankscope {

/// A text that was checked to be what its type says, so that it can be a word of a command (base/shell_command.h).
/// of(): nothing where no such thing is called like that.
template <typename Kind>
class CheckedText {
public:
    static std::optional<CheckedText> of(std::string_view text) {
        return Kind::accepts(text) ? std::optional(CheckedText(text)) : std::nullopt;
    }
    const std::string& text() const { return text_; }

    bool operator==(const CheckedText&) const = default;
    auto operator<=>(const CheckedText&) const = default;

private:
    explicit CheckedText(std::string_view text) : text_(text) {}

    std::string text_;
};

struct HostNameKind {
    static bool accepts(std::string_view text);
};
struct AddressKind {
    static bool accepts(std::string_view text);
};
struct AbsolutePathKind {
    static bool accepts(std::string_view text);
};
struct FirewallNameKind {
    static bool accepts(std::string_view text);
};
struct VariableNameKind {
    static bool accepts(std::string_view text);
};
struct PlainWordKind {
    static bool accepts(std::string_view text);
};

/// Labels of ASCII letters, digits, '-' and '_', up to 253 characters. Not an address, and not a name that every
/// computer has for itself (localhost).
using HostName = CheckedText<HostNameKind>;
/// Numeric, IPv4 or IPv6, without a scope.
using NumericAddress = CheckedText<AddressKind>;
/// Of a file or a folder: from '/', without ".." and without characters that are not visible.
using AbsolutePath = CheckedText<AbsolutePathKind>;
/// Of a table, a chain or a zone of a firewall.
using FirewallName = CheckedText<FirewallNameKind>;
/// Of an environment variable.
using VariableName = CheckedText<VariableNameKind>;
/// A name that the user gave (of a node, of a run): visible characters without blanks, no option.
using PlainWord = CheckedText<PlainWordKind>;

/// A process that a command may send a signal to: neither init, nor a group (0, or a negative number).
class Pid {
public:
    static std::optional<Pid> of(std::int64_t number);
    std::int64_t number() const { return number_; }

private:
    explicit Pid(std::int64_t number) : number_(number) {}

    std::int64_t number_;
};

/// Whether every character of the text shows and is where it seems to be: UTF-8 without control characters, marks that
/// reorder text or have no width, and blanks that look like others.
bool is_visible_text(std::string_view text);

}  // namespace rankscope
