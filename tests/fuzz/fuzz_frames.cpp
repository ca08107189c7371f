// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What comes over the wire: noise, greeting, frames. The first byte chooses the size of the pieces.

#include "target.h"

#include <remote/wire/frame_codec.h>

#include <vector>

namespace rankscope {
namespace {

struct Heard {
    bool greeted = false;
    bool damaged = false;
    std::vector<std::string> payloads;
    bool operator==(const Heard&) const = default;
};

Heard hear(std::string_view stream, std::size_t piece) {
    Heard heard;
    GreetingSkipper greeting;
    FrameReader frames;
    for (std::size_t at = 0; at < stream.size(); at += piece) {
        std::string bytes(stream.substr(at, piece));
        if (!heard.greeted) {
            std::string rest;
            heard.greeted = greeting.feed(bytes, rest);
            bytes = rest;
            fuzz::require(greeting.noise().size() <= 65536 + kAgentGreeting.size(), "noise is bounded");
        }
        frames.feed(bytes);
        while (const auto payload = frames.next()) {
            heard.payloads.emplace_back(*payload);
        }
    }
    heard.damaged = frames.damaged();
    return heard;
}

}  // namespace
}  // namespace rankscope

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    if (size == 0) {
        return 0;
    }
    const auto stream = fuzz::as_text(data + 1, size - 1);
    const Heard whole = hear(stream, stream.size() + 1);
    fuzz::require(hear(stream, data[0] + 1U) == whole, "pieces make no difference");
    std::string again(kAgentGreeting);
    for (const auto& payload : whole.payloads) {
        append_frame(again, payload);
    }
    fuzz::require(hear(again, 7).payloads == whole.payloads, "what was read can be written");
    return 0;
}
