// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What py-spy, the hook in an interpreter and eu-stack say of a rank.

#include "target.h"

#include <base/utf8.h>
#include <remote/agent/probes/stack_text.h>
#include <remote/agent/ranks/crash_dump.h>

#include <algorithm>
#include <string_view>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    const auto text = fuzz::as_text(data, size);
    for (const auto& stack : {agent::parse_py_spy(text, 4711, "/home/u"),
                              agent::parse_interpreter(text, "/home/u"), agent::parse_eu_stack(text)}) {
        fuzz::require(stack.size() <= agent::kMostFrames, "a stack is cut");
        for (const auto& frame : stack) {
            fuzz::require(!frame.empty() && as_utf8(frame) == frame, "a frame is text");
        }
    }
    agent::CrashDumpReader reader;
    for (std::string_view rest = text; !rest.empty();
         rest.remove_prefix(std::min<std::size_t>(rest.size(), 5))) {
        reader.feed(rest.substr(0, 5));
    }
    agent::CrashDumpReader whole;
    whole.feed(text);
    fuzz::require(reader.dump().lines() == whole.dump().lines(), "pieces make no difference");
    fuzz::require(whole.dump().frames.size() <= agent::CrashDumpReader::kFrames, "a dump is cut");
    fuzz::require(whole.dump().reason().starts_with(whole.dump().error), "a reason begins with the error");
    return 0;
}
