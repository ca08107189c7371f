// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What the recorders of an evaluated script print: the script may write it, too.

#include "target.h"

#include <remote/desk/jobs/launch_lines/sandbox_shell.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto output = launch_lines::read_sandbox_output(fuzz::as_text(data, size));
    fuzz::require(output.starts.size() <= 500, "a bound holds");
    for (const auto& start : output.starts) {
        fuzz::require(!start.words.empty(), "a start has a program");
    }
    return 0;
}
