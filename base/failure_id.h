// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure_ids.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <string_view>

namespace rankscope {

/// The stable public name of a failure, a verdict or a notice: "port-in-use". The names are those of
/// kFailureIds; remote/diagnosis has title, exit code and remedy of each. A literal that is not in the list
/// does not compile. Cheap to copy and compare; any thread.
class FailureId {
public:
    constexpr FailureId() = default;
    consteval FailureId(const char* literal) : text_(known(literal)) {}  // NOLINT: implicit by design

    /// From a frame, a stored run or a rule file. A name that is not in the list is kept as it is, unless it
    /// is not of the form "[a-z0-9-]" or too many such names were seen: then "unknown-failure".
    static FailureId from(std::string_view text);

    constexpr std::string_view text() const { return text_; }
    std::string str() const { return std::string(text_); }
    constexpr bool empty() const { return text_.empty(); }

    friend constexpr bool operator==(FailureId left, FailureId right) { return left.text_ == right.text_; }
    friend constexpr auto operator<=>(FailureId left, FailureId right) { return left.text_ <=> right.text_; }
    friend std::ostream& operator<<(std::ostream& out, FailureId id) { return out << id.text_; }

private:
    static consteval std::string_view known(const char* literal) {
        for (const std::string_view id : kFailureIds) {
            if (id == literal) {
                return id;
            }
        }
        throw "not in kFailureIds (base/failure_ids.h)";
    }

    std::string_view text_;  ///< of the list, or interned: lives as long as the program
};

}  // namespace rankscope
