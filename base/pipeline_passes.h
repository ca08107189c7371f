// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Passes of micro-batches through a rank's stage of a pipeline, as a text of a metrics line.
namespace rankscope {

/// The key of that text.
inline constexpr const char* kPassesKey = "pipeline_passes";

/// A forward or backward pass, without the wait for what it needs.
struct PipelinePass {
    int micro_batch = 0;
    bool forward = true;
    double begin_ms = 0;   ///< from when the line is written: negative
    double length_ms = 0;  ///< ≥ 0

    bool operator==(const PipelinePass&) const = default;
};

/// "F0@-61.20+10.15 B0@-12.00+20.00": forward and backward, micro-batch, begin and length in ms. Empty: so many that lines of
/// several ranks could mix.
std::string passes_text(const std::vector<PipelinePass>& passes);
/// Nothing: another form.
std::optional<std::vector<PipelinePass>> read_passes(std::string_view text);

}  // namespace rankscope
