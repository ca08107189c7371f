// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/metrics_line.h>
#include <remote/observe/metric_lines/accuracy_share.h>
#include <remote/observe/metric_lines/bar_values.h>
#include <remote/observe/metric_lines/general_reader.h>
#include <remote/observe/metric_lines/line_templates.h>
#include <remote/observe/metric_lines/pattern.h>
#include <remote/observe/metric_lines/shapes.h>
#include <remote/observe/metric_lines/step_counter.h>
#include <remote/observe/metric_lines/table_rows.h>
#include <remote/observe/metric_lines/unread_lines.h>

#include <array>
#include <deque>
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
    /// Lines with numbers that nothing reads, while nothing is read at all; each offer once.
    std::optional<LineOffer> offer(double now_s, bool ended);

private:
    struct Stream {
        std::string line;
        bool too_long = false;
    };
    void read_line(std::string_view line, std::vector<MetricsLine>& out);
    std::optional<Reading> read(std::string_view line) const;
    void read_unknown(std::string_view line, bool alike, std::vector<MetricsLine>& out);
    bool read_table(std::string_view line, std::vector<MetricsLine>& out);
    void take_of_line(std::string_view line, Reading reading, std::vector<MetricsLine>& out);
    void take(Reading reading, std::vector<MetricsLine>& out);
    void take_bar(const Reading& bar, std::vector<MetricsLine>& out);
    void resolve_first(std::optional<double> step, std::vector<MetricsLine>& out);
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
    std::optional<double> steps_;
    GeneralReader general_;
    LineTemplates templates_;  ///< of lines that the general reader has read
    BarValues bars_;
    TableRows table_;
    UnreadLines unread_;
    std::uint64_t barren_ = 0;  ///< lines since something was understood
    bool any_ = false;          ///< a metric was read, or given
    bool cleared_ = false;      ///< tqdm has wiped its bar to print a line: the next bar has that line's step
    bool clears_ = false;       ///< it has done so before
    std::optional<double> last_bar_;
    std::set<double> lengths_;     ///< of the bars that were drawn
    std::deque<Reading> waiting_;  ///< for their bars
    std::deque<double> redrawn_;   ///< bars whose lines have not come yet
};

}  // namespace rankscope::metric_lines
