// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/launch_lines/shell_words.h>

#include <map>
#include <string>

namespace rankscope::inline jobs::launch_lines {

/// Whether Rankscope gives each rank this variable: RANK, WORLD_SIZE, MASTER_ADDR, …
bool is_set_by_rankscope(const std::string& variable);

/// What a shell would fill in for the variables of a script, as far as its text alone says it: those that the script
/// sets to plain text, and those that Slurm and Rankscope set, as places of a job ("{nodes}").
class ScriptValues {
public:
    /// `slurm`: also the variables that a job of Slurm has.
    explicit ScriptValues(bool slurm);

    void set(const std::string& name, const std::string& value) { values_[name] = value; }
    /// Fills in what is known; a word that is one variable becomes the words that a shell makes of its value. Words
    /// that are whole then are no longer `unfilled`.
    void fill(WrittenCommand& command) const;

private:
    std::string filled(const std::string& word) const;

    std::map<std::string, std::string> values_;
};

}  // namespace rankscope::inline jobs::launch_lines
