// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/diagnosis/verdict.h>
#include <remote/logs/facts/fact_builder.h>
#include <remote/logs/rules/matcher.h>
#include <remote/logs/story/host_clocks.h>
#include <remote/logs/story/story.h>
#include <remote/logs/verdicts/timeline.h>
#include <remote/logs/verdicts/wrapped_lines.h>

#include <string>
#include <utility>
#include <vector>

namespace rankscope::logs {

/// What a diagnosis found.
struct DiagnosisResult {
    std::vector<Verdict> verdicts = {};  ///< the root cause first; empty: nothing is wrong
    std::vector<TimelineEntry> timeline =
        {};                  ///< in the order of corrected clocks, as far as lines have a time
    HostClocks clocks = {};  ///< of hosts that log the same moments as others
    RunFacts facts = {};     ///< what the lines say, without a judgement
};

/// Lines of a run → verdicts, in one pass.
class Diagnosis {
public:
    /// `rules` outlives the diagnosis.
    explicit Diagnosis(const std::vector<Rule>& rules);

    /// Returns what the line states.
    LineFact take(const LogLine& line);
    /// What is known of the run beside its lines; in its place among the lines of its rank.
    void take(ProcessExit exit) { story_.take(std::move(exit)); }
    void take(const ReportedStep& step) { story_.take(step); }
    /// `sources` are the names of the files, by LinePlace::file. Call once.
    DiagnosisResult finish(const std::vector<std::string>& sources);
    /// The same of the lines so far; more may follow. Copies what it keeps.
    DiagnosisResult so_far(const std::vector<std::string>& sources) const;
    /// What the lines so far say, without a judgement. A copy.
    RunFacts facts() const { return facts_.facts(); }

private:
    const std::vector<Rule>& rules_;
    FactBuilder facts_;
    Matcher matcher_;
    Story story_;
    WrappedLines wrapped_;
};

/// Adds what the run itself said at its end: where both say the same, the verdict of the lines stays, with its places.
void add_known(std::vector<Verdict>& verdicts, const std::vector<Verdict>& known);

/// Of a text in memory, as one file with this name.
DiagnosisResult diagnose_text(const std::vector<Rule>& rules, const std::string& text,
                              const std::string& name);

}  // namespace rankscope::logs
