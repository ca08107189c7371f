// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/result.h>

#include <string>

namespace rankscope {

/// What went wrong outside of the program: an address that does not answer, a key that is refused, a full
/// disk. Always a value, never an exception. What must never happen is checked with RANKSCOPE_CHECK
/// (base/check.h) instead; docs/errors.md says which is which.
struct Failure {
    std::string code;    ///< stable id for machines: "ssh-refused", "port-busy", …
    std::string where;   ///< node, file:line, or empty
    std::string what;    ///< one user-facing sentence, translated
    std::string remedy;  ///< what to do about it; may be a command
    std::string detail;  ///< raw evidence: errno text, what the other side said
    std::string key{};   ///< of a configuration: the key that is wrong ("on_failure.grace_s"); empty: none
    std::string file{};  ///< the file that it stands in
    int line = 0;        ///< from 1; 0: no line is known

    bool operator==(const Failure&) const = default;
};

/// "node1: Connection refused … . Remedy …": one line for terminals and logs.
std::string to_line(const Failure& failure);

}  // namespace rankscope
