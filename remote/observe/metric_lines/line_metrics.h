// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/metrics_line.h>
#include <remote/observe/metric_lines/accuracy_share.h>
#include <remote/observe/metric_lines/pattern.h>
#include <remote/observe/metric_lines/shapes.h>
#include <remote/observe/metric_lines/step_counter.h>

#include <array>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::metric_lines {

/// The metrics that one rank prints, for programs that do not know Rankscope: bytes of stdout and stderr in,
/// metrics out. The patterns of the job are tried before the known shapes. What the program gives on the
/// metrics pipe is not read a second time from its lines.
class LineMetrics {
public:
    LineMetrics(std::vector<Pattern> patterns, bool known_shapes)
        : patterns_(std::move(patterns)), known_shapes_(known_shapes) {}

    std::vector<MetricsLine> feed(bool is_stderr, std::string_view bytes);
    /// The rank has ended: an unfinished line (the last state of a bar) counts as well.
    std::vector<MetricsLine> finish();
    /// The program has given these itself.
    void given(const MetricsLine& line);

private:
    struct Stream {
        std::string line;
        bool too_long = false;
    };
    void read_line(std::string_view line, std::vector<MetricsLine>& out);
    std::optional<Reading> read(std::string_view line) const;
    void add(Reading& reading, std::vector<MetricsLine>& out);

    std::vector<Pattern> patterns_;
    bool known_shapes_;
    std::array<Stream, 2> streams_;
    StepCounter counter_;
    std::set<std::string, std::less<>> given_;
    AccuracyShare accuracy_;
    MetricsLine last_;
    std::optional<double> steps_per_epoch_;
    std::optional<double> epochs_;
};

}  // namespace rankscope::metric_lines
