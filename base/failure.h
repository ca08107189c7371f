// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/failure_id.h>
#include <base/result.h>

#include <string>

namespace rankscope {

/// What went wrong outside of the program: an address that does not answer, a key that is refused, a full
/// disk. Always a value, never an exception. What must never happen is checked with RANKSCOPE_CHECK
/// (base/check.h) instead; docs/errors.md says which is which.
struct Failure {
    FailureId code = {};      ///< for machines: "ssh-refused", "port-in-use", …
    std::string where = {};   ///< node, file:line, or empty
    std::string what = {};    ///< one sentence for users, translated
    std::string remedy = {};  ///< what to do about it; may be a command
    std::string detail = {};  ///< raw evidence: errno text, what the other side said
    std::string key = {};     ///< of a configuration: which key, for example "slurm.time"; empty: no key
    std::string file = {};    ///< of a configuration: which file; empty: none
    int line = 0;             ///< in `file`, from 1; 0: not known

    bool operator==(const Failure&) const = default;
};

/// "slurm.time: \"x\" is not a time": what is wrong, with the key it is about.
std::string statement(const Failure& failure);
/// "node1: Connection refused … . Remedy …": one line for terminals and logs.
std::string to_line(const Failure& failure);

}  // namespace rankscope
