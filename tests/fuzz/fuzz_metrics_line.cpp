// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// A line on the metrics pipe: written by any program.

#include "target.h"

#include <base/metrics_line.h>
#include <base/pipeline_passes.h>

#include <cmath>

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace rankscope;
    std::string why;
    const auto line = parse_metrics_line(fuzz::as_text(data, size), &why);
    for (const PipelinePass& pass :
         read_passes(fuzz::as_text(data, size)).value_or(std::vector<PipelinePass>())) {
        fuzz::require(pass.micro_batch >= 0 && pass.length_ms >= 0 && std::isfinite(pass.begin_ms),
                      "a pass has a place in time");
    }
    fuzz::require(line.has_value() || !why.empty(), "a refused line has its reason");
    if (!line) {
        return 0;
    }
    fuzz::require(!line->step || *line->step >= 0, "steps count from 0");
    const std::string text = format_metrics_line(*line);
    fuzz::require(text.find('\n') == text.size() - 1, "one line");
    if (text.size() <= kMaxMetricsLine) {
        const auto again = parse_metrics_line(std::string_view(text).substr(0, text.size() - 1));
        fuzz::require(again.has_value(), "what is written can be read");
        // Two keys that differ only by what they hold (a number, a text) share one place in JSON.
        fuzz::require(format_metrics_line(*again).size() <= text.size(), "nothing is made up");
    }
    return 0;
}
