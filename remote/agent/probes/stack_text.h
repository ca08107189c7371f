// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::agent {

/// Readers of stacks as other programs print them. Frames are "train.py:41 in step", innermost first, UTF-8, at most
/// kMostFrames; `below` (with no '/' at its end) is left out of the names of files below it.

inline constexpr std::size_t kMostFrames = 100;

/// `py-spy dump --json`: the stack of thread `tid`, else that of "MainThread", else the first one.
std::vector<std::string> parse_py_spy(std::string_view json, std::int64_t tid, const std::string& below);

/// What the hook of ranks/sitecustomize.py says: "LINE FUNCTION FILE" for each frame, "=N" in place of a file that was named
/// as the N-th one, from 0.
std::vector<std::string> parse_interpreter(std::string_view text, const std::string& below);

/// `eu-stack`: the names of the functions of the first thread.
std::vector<std::string> parse_eu_stack(std::string_view text);

}  // namespace rankscope::agent
