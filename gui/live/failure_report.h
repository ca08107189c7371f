// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <gui/data/live_data.h>
#include <remote/diagnosis/check.h>

#include <QString>
#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::gui {

/// Whether a report is about the end of a run, about what goes wrong while it runs, about what no longer does, or about
/// what only slows it.
enum class ReportKind { End, Live, Over, Slow };

/// A line that shows what went wrong, and where it may be in the logs of the run.
struct ReportLine {
    QString text;           ///< as it is shown: with its place in front
    std::string raw;        ///< the line alone
    std::int64_t line = 0;  ///< in the log of the rank, from 1; 0: not known
    int rank = -1;          ///< whose log has it; -1: none
    std::string file = {};  ///< as the evidence names it; empty: none

    bool operator==(const ReportLine&) const = default;
};

/// What went wrong in a run, in words: which rank, why, its last lines, what to do.
struct FailureReport {
    ReportKind kind = ReportKind::End;
    std::string key;  ///< the same for reports of the same fault, whose words may change
    QString title;    ///< "Rank 1 on node2 was killed by signal 9 (SIGKILL)"; empty: nothing is wrong
    QString text;     ///< the reason, and what a diagnosis says
    std::vector<ReportLine> lines;  ///< the culprit's last lines, or what shows a verdict
    bool last_lines = false;        ///< the first of the two: the last one says most
    QString remedy;
    std::vector<Fix> fixes;       ///< what of the remedy can be applied
    std::vector<NodePair> pairs;  ///< the directions that fail
    std::string node;             ///< at fault; empty: none alone
    int rank = -1;                ///< whose log has more
    int busy_port = 0;            ///< another program holds it, on port_node; 0: that is not the cause
    std::string port_node;
    bool inspected = false;  ///< the preflight of the start found it: its report is kept with the run

    QString whole() const;
    QString lines_text() const;
    bool operator==(const FailureReport&) const = default;
};
/// `now_us`: verdicts that no longer hold are shown for some seconds.
FailureReport failure_report(const LiveData& run, std::int64_t now_us);
/// What a verdict about logs says that are no run's of this window.
FailureReport report_of(const Verdict& verdict);

}  // namespace rankscope::gui
