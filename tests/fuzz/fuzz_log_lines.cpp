// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Logs: bytes → lines → prefixes → facts, in one piece and in small ones.

#include "target.h"

#include <base/utf8.h>
#include <remote/logs/facts/fact_builder.h>
#include <remote/logs/grammar/line_parser.h>
#include <remote/logs/read/line_splitter.h>
#include <remote/logs/read/text_bytes.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace rankscope;
using namespace rankscope::logs;

constexpr std::size_t kLongest = 512;

bool lies_in(std::string_view part, std::string_view whole) {
    return part.empty() ||
           (part.data() >= whole.data() && part.data() + part.size() <= whole.data() + whole.size());
}

std::vector<std::string> lines_of(std::string_view bytes, std::size_t piece,
                                  const std::function<void(const RawLine&)>& also) {
    std::vector<std::string> lines;
    RemarkBook remarks;
    const std::function<void(const RawLine&)> sink = [&](const RawLine& line) {
        fuzz::require(line.text.size() <= 3 * kLongest, "lines are bounded");
        fuzz::require(first_bad_byte(line.text) == std::string_view::npos, "lines are UTF-8");
        lines.push_back(std::to_string(line.place.line) + ":" + std::string(line.text));
        also(line);
    };
    LineSplitter splitter(0, kLongest, sink, remarks);
    TextBytes text(0, splitter, remarks);
    bool is_text = true;
    for (std::size_t at = 0; is_text && at < bytes.size(); at += piece) {
        is_text = text.feed(bytes.substr(at, piece));
    }
    if (is_text) {
        text.finish();
    }
    return lines;
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto bytes = fuzz::as_text(data, size);
    LineParser parser;
    parser.begin(bytes.substr(0, std::min<std::size_t>(bytes.find('\n'), 100)), 1'795'392'000);
    FactBuilder builder;
    const auto whole = lines_of(bytes, std::max<std::size_t>(size, 1), [&](const RawLine& raw) {
        const auto line = parser.parse(raw);
        fuzz::require(lies_in(line.message, raw.text), "a message is a part of its line");
        fuzz::require(line.message.size() <= raw.text.size(), "a message is not longer than its line");
        fuzz::require(line.rank >= -1 && line.pid >= -1 && line.device >= -1, "numbers are known or -1");
        builder.feed(line);
    });
    const auto small = lines_of(bytes, 7, [](const RawLine& /*raw*/) {});
    fuzz::require(whole == small, "it does not matter in which pieces the bytes come");
    const auto facts = builder.take();
    for (const auto& comm : facts.communicators) {
        for (const auto& edge : comm.edges) {
            fuzz::require(edge.transport < facts.transports.size(), "an edge has its transport");
        }
    }
    fuzz::require(!to_json(facts).dump(-1, ' ', false, nlohmann::json::error_handler_t::strict).empty(),
                  "facts are text");
    return 0;
}
