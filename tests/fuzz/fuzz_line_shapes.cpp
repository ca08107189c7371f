// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// What a program prints: the readers of known shapes, and a pattern with its line. The first line of the
// input is the pattern, the rest is output.

#include "target.h"

#include <remote/observe/metric_lines/learn_pattern.h>
#include <remote/observe/metric_lines/line_metrics.h>
#include <remote/observe/metric_lines/line_templates.h>

#include <algorithm>

namespace {

// A line that differs only in its numbers reads as if it were the first.
void read_by_templates(std::string_view text) {
    using namespace rankscope;
    using namespace rankscope::metric_lines;
    LineTemplates templates;
    while (!text.empty()) {
        const auto line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const auto tokens = tokens_of(line);
        const auto fields = fields_of(tokens);
        const auto* known = templates.find(line);
        const bool has_nan = fields != fields;
        fuzz::require(known == nullptr || has_nan || *known == fields, "a template gives what the line has");
        if (known == nullptr) {
            templates.remember(line, tokens, fields);
        }
    }
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    using namespace rankscope::metric_lines;
    const auto text = fuzz::as_text(data, size);
    const auto first = text.substr(0, text.find('\n'));
    const auto rest = text.substr(std::min(text.size(), first.size() + 1));
    std::string why;
    auto pattern = Pattern::compile(std::string(first), &why);
    fuzz::require(pattern.has_value() || !why.empty(), "a refused pattern has its reason");
    std::vector<Pattern> patterns;
    if (pattern) {
        patterns.push_back(*pattern);
    }
    LineMetrics whole(patterns, true);
    auto all = whole.feed(false, rest);
    const auto end = whole.finish();
    all.insert(all.end(), end.begin(), end.end());
    LineMetrics bytewise(patterns, true);
    std::size_t count = 0;
    for (const char c : rest) {
        count += bytewise.feed(false, std::string_view(&c, 1)).size();
    }
    count += bytewise.finish().size();
    fuzz::require(count == all.size(), "it does not matter in which pieces the bytes come");
    for (const auto& line : all) {
        fuzz::require(!line.values.empty(), "a metric has a value");
        fuzz::require(!line.step || *line.step >= 0, "steps count from 0");
    }
    read_by_templates(rest);
    LineMetrics shapes({}, true);
    shapes.feed(false, rest);
    shapes.finish();
    const auto line = rest.substr(0, std::min<std::size_t>(rest.find('\n'), 1000));
    if (const auto mark = find_mark(line, "loss", std::string(first.substr(0, 20)), why)) {
        fuzz::require(mark->end <= line.size(), "a mark lies in the line");
        if (const auto learned = learn_pattern(line, {*mark}, why)) {
            const auto again = Pattern::compile(*learned);
            fuzz::require(again && again->match(line), "a learnt pattern knows its line");
        }
    }
    return 0;
}
