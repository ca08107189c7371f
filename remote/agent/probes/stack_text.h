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

/// What Python's faulthandler writes: the last stack in the text, which is that of the main thread.
std::vector<std::string> parse_faulthandler(std::string_view text, const std::string& below);

/// `eu-stack`: the names of the functions of the first thread.
std::vector<std::string> parse_eu_stack(std::string_view text);

}  // namespace rankscope::agent
