// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/launch_lines/launch_tool.h>
#include <remote/desk/jobs/launch_lines/shell_words.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline jobs::launch_lines {

/// One line of a script that calls a launcher.
struct LauncherLine {
    WrittenCommand command;  ///< without what is before the launcher
    FoundLauncher found;     ///< in its words
    PastedLine before;       ///< what the lines before it say: variables, folder, notes
    bool trains = false;     ///< it starts Python or another launcher, not `hostname`
};

/// A pasted text, read as the script that a shell would run.
struct Script {
    Words batch;  ///< options of its #SBATCH lines
    std::vector<LauncherLine> launchers;
    std::vector<std::string>
        left_out;  ///< programs of the lines before the last launcher that are no launchers
    std::vector<std::string> left_behind;  ///< of those after it
};

/// Fails where sbatch is called with the name of a script.
Result<Script> read_script(const std::string& text, const std::vector<WrittenCommand>& commands);

/// "train.py" → "train": a name for the run of such a command.
std::string name_for(const Words& command);

/// The lines that start the same ranks, as indices into `launchers`: one, or one for each node.
using StartLines = std::vector<std::size_t>;
/// What the script starts, in its order: each may become a job. Empty: it calls no launcher.
std::vector<StartLines> starts_of(const Script& script);
/// The start as a person would type it.
std::string title_of(const Script& script, const StartLines& lines);
/// The job of one of them; what is left out becomes notes.
Result<PastedLine> read_start(const Script& script, const StartLines& lines);

/// The number of the node that the words name in an option such as --node_rank; nothing: they do not.
std::optional<int> node_number(const Words& words);

}  // namespace rankscope::inline jobs::launch_lines
