// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <string>
#include <vector>

namespace rankscope::test {

struct ProgramResult {
    int status = -1;  ///< exit status; -1: ended by a signal, or not started
    std::string output;
    std::string errors;
};

/// Runs a program to its end, `input` on its stdin.
ProgramResult run_program(const std::vector<std::string>& argv, const std::string& input = {});

/// Full path of a program of $PATH; empty: there is none.
std::string find_on_path(const std::string& name);

}  // namespace rankscope::test
