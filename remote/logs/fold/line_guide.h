// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

/// What a kind of line of NCCL means.
struct LineMeaning {
    std::string pattern;       ///< of the message without prefix; '*' stands for any text
    std::string subsystem;     ///< as NCCL_DEBUG_SUBSYS has it: "INIT", "NET"; "TORCH", "GLOO" of others
    std::string meaning;       ///< one or two sentences
    std::string since, until;  ///< versions of NCCL that print it so; empty: all
    bool some = false;         ///< only some ranks print it: the others do not lack it
    bool own = false;          ///< each rank prints other values, too: nothing of it is odd
};

/// The kinds of lines that Rankscope explains (resources/nccl_lines.yaml).
class LineGuide {
public:
    /// The guide that Rankscope brings; empty where the file is missing.
    static LineGuide own();
    /// `problems` gets what is wrong, each with its line; an entry with a problem is left out.
    static LineGuide parse(const std::string& text, const std::string& file,
                           std::vector<std::string>& problems);

    const std::vector<LineMeaning>& entries() const { return entries_; }
    /// The first kind that fits a message; null: none.
    const LineMeaning* find(std::string_view message) const;

private:
    std::vector<LineMeaning> entries_;
};

/// Whether a text fits a pattern with '*'.
bool fits(std::string_view pattern, std::string_view text);

}  // namespace rankscope::logs
