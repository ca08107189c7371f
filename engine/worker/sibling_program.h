// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string_view>

namespace rankscope::engine {

/// Whether `command` is a command of rankscope-worker that is a program of its own ("bench", "distribuuuu"):
/// nodes that only train do not get them.
bool is_sibling_command(std::string_view command);

/// Replaces this process by the program of argv[1] (`rankscope-worker-bench` and so on), which lies in the folder of
/// this one, with the arguments after it. Returns only on failure: main's exit code, after a message.
int run_sibling_program(char** argv);

}  // namespace rankscope::engine
