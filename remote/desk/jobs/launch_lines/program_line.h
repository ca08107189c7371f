// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/launch_lines/launch_line.h>
#include <remote/desk/jobs/launch_lines/sandbox_shell.h>
#include <remote/desk/jobs/launch_lines/shell_words.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline jobs::launch_lines {

/// Who starts the ranks of a program that no launcher starts, as far as its script says so.
struct RankStart {
    bool itself = false;     ///< mp.spawn, Lightning, Ray, …
    bool launcher = false;   ///< it reads RANK and its kin, or a library does so for it
    bool mpi_names = false;  ///< jax.distributed.initialize() alone, which asks Open MPI's variables
};

/// `source`: the text of a script in Python; empty: not known.
RankStart rank_start_of(std::string_view source);

/// The program that a person types once on each node, as one command for all of them: a word that counts the lines, or is
/// the value of an option such as --node_rank, becomes {node_rank}. `lines`: the words of each line, in their order.
/// Words that differ otherwise stay those of the first line, and a note says so.
std::vector<std::string> words_for_all_nodes(const std::vector<std::vector<std::string>>& lines,
                                             std::vector<std::string>& notes);

/// Whether `next` is typed on the node behind those of `lines`: it is the same program, and a word of it, or a variable
/// such as RANK, counts on.
bool is_line_of_next_node(const std::vector<RecordedStart>& lines, const RecordedStart& next);
/// Whether it is a line of them once more: a loop repeats it.
bool starts_the_same(const std::vector<RecordedStart>& lines, const RecordedStart& next);

/// What plain lines start, without a shell: variables before a program, `export` and `cd` are all that is read.
EvaluatedScript starts_as_written(const std::vector<WrittenCommand>& commands);

/// How many nodes its options say there are: "--num_nodes 2"; 0: they do not.
int nodes_in_options(const std::vector<std::string>& words);

/// The text of the script in Python among these words, looked for in the folders; empty: it is not there.
std::string source_of_script(const std::vector<std::string>& words,
                             const std::vector<std::filesystem::path>& folders);

/// A program that calls MPI itself (mpi4py; one that is no Python at all) must be started by mpirun: that is the command then,
/// and the ranks that it starts become ranks of the run, on several nodes by `mpi: true`. `commands`: the launcher's line
/// among them; `source`: of the script.
void take_mpi(std::string_view source, const std::vector<WrittenCommand>& commands, PastedLine& line);

/// Gives the program of `line` what it needs to have its ranks. `environment`: what the line sets; with "RANK=0 …" the
/// person who types it is the launcher.
void take_rank_start(const RankStart& start, const std::map<std::string, std::string>& environment,
                     PastedLine& line);

}  // namespace rankscope::inline jobs::launch_lines
