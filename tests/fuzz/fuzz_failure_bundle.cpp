// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A failure bundle of somebody else, and the texts in it that are searched for secrets.

#include "target.h"

#include <remote/desk/archive/failure_bundle/bundle_import.h>
#include <remote/desk/archive/failure_bundle/redactor.h>

#include <algorithm>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    std::string_view rest = fuzz::as_text(data, size);
    const std::string text(rest);
    std::uint64_t events = 0;
    const auto read = read_bundle(
        [&rest] {
            const auto piece = rest.substr(0, 4096);
            rest.remove_prefix(piece.size());
            return piece;
        },
        "input",
        [&](const RunRecord& record, const Event& event) {
            fuzz::require(event.rank < std::max(record.world_size, 1), "ranks are those of the plan");
            return ++events < 10'000;
        });
    fuzz::require(!read || read->events == events, "every event is counted");
    fuzz::require(!read || read->record.run_id.find('/') == std::string::npos, "the id is a name");

    const std::string redacted = Redactor({.hide_users = true}).redact(text, "input");
    fuzz::require(
        std::count(text.begin(), text.end(), '\n') == std::count(redacted.begin(), redacted.end(), '\n'),
        "lines keep their numbers");
    return 0;
}
