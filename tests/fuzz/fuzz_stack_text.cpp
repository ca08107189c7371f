// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What py-spy, faulthandler and eu-stack print about a rank.

#include "target.h"

#include <base/utf8.h>
#include <remote/agent/probes/stack_text.h>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto text = fuzz::as_text(data, size);
    for (const auto& stack : {agent::parse_py_spy(text, 4711, "/home/u"),
                              agent::parse_faulthandler(text, "/home/u"), agent::parse_eu_stack(text)}) {
        fuzz::require(stack.size() <= agent::kMostFrames, "a stack is cut");
        for (const auto& frame : stack) {
            fuzz::require(!frame.empty() && as_utf8(frame) == frame, "a frame is text");
        }
    }
    return 0;
}
