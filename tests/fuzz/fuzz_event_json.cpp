// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// The body of an event, as the run store holds it. The first byte chooses the kind.

#include "target.h"

#include <remote/wire/event_json.h>

#include <array>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    constexpr std::array<const char*, 8> kKinds{"stage",     "metric", "log",   "exit",
                                                "diagnosis", "end",    "other", "nccl"};
    if (size == 0) {
        return 0;
    }
    const char* kind = kKinds[(data[0] - 'a') % kKinds.size()];
    Event event;
    if (!body_from_json(kind, std::string(fuzz::as_text(data + 1, size - 1)), event.body)) {
        return 0;
    }
    fuzz::require(std::string(kind_of(event)) == kind, "the body is of the requested kind");
    const std::string text = body_to_json(event.body);
    EventBody again;
    fuzz::require(body_from_json(kind, text, again), "what is written can be read");
    fuzz::require(body_to_json(again) == text, "and is the same");
    static_cast<void>(to_json_line(event));
    return 0;
}
