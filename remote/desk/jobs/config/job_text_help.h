// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::inline jobs {

/// What may stand at a position of a job file's text.
struct JobSuggestion {
    std::string text;   ///< takes the place of the word at the position
    std::string about;  ///< one sentence or a few words; may be empty
};

/// Keys, values of choices, names of `nodes` and variables of NCCL, PyTorch and Gloo, from the table of keys and the
/// table of variables. Keys that the text has already are left out. Any text, any position.
std::vector<JobSuggestion> job_suggestions(std::string_view yaml, std::size_t at,
                                           const std::vector<std::string>& nodes);

/// What the key or variable at the position means, as lines; empty: there is none.
std::string job_help_at(std::string_view yaml, std::size_t at);
/// The same for a key by its path, for example "train.optimizer.lr" or "env.NCCL_DEBUG".
std::string job_key_help(const std::string& path);

}  // namespace rankscope::inline jobs
