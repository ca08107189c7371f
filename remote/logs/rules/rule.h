// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/enum_names.h>
#include <remote/logs/facts/line_fact.h>
#include <remote/logs/grammar/error_line.h>
#include <remote/logs/grammar/log_line.h>

#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace re2 {
class RE2;
}

namespace rankscope::logs {

/// What it means when a rule applies.
enum class RuleRole {
    Cause,     ///< this is why the run failed
    Victim,    ///< the speaker noticed that something else failed
    Harmless,  ///< looks like an error and is none: the lines count for no other rule
    Context,   ///< not a fault: facts that other rules compare
};

/// The kinds of condition over what the logs say. docs/log-rules.md describes each.
enum class ConditionKind {
    Seen,
    Missing,
    Count,
    Capture,
    Elapsed,
    Nccl,
    Torch,
    Nodes,
    Exit,
    Silent,
    Collectives
};

/// One condition. Which fields are set depends on the kind.
struct Condition {
    ConditionKind kind = ConditionKind::Seen;
    std::string of = {};                   ///< signature: "name" of the same rule, or "rule/name"
    std::string field = {};                ///< Capture: name of the capture
    std::string is = {};                   ///< Capture: a property (own-address, …)
    std::vector<std::string> values = {};  ///< Capture: one of these; Exit: exit codes; Collectives: WorkOdds
    std::string differs_from = {};         ///< Capture: "signature.field" which must hold another value
    std::string above = {};                ///< Capture: a capture of the same line that is a smaller number
    std::string below = {};                ///< Capture: … a greater number
    std::string versions = {};             ///< Nccl, Torch: ">=2.16 <2.24"
    std::string until = {};                ///< Elapsed: the later signature
    std::optional<double> at_least = {};   ///< Count, Capture (a number), Elapsed (seconds), Nodes
    std::optional<double> at_most = {};
    int line = 0;  ///< in the rule file
};

/// A shape of a line.
struct Signature {
    static constexpr int kMostCaptures = 16;

    std::string name = {};
    std::string pattern = {};        ///< RE2; '^' begins after the prefixes of the line
    LineFact fact = LineFact::None;  ///< instead of a pattern: lines that state this
    std::optional<ErrorLayer> error =
        {};  ///< instead of a pattern: lines that look like an error of this layer
    std::vector<std::string> anchors = {};  ///< one of them is in every line that matches
    std::string required = {};              ///< in every line that matches, besides an anchor; may be short
    std::vector<std::string> except = {};   ///< patterns of lines that do not count
    std::optional<Speaker> speaker = {};    ///< only lines of this speaker
    std::optional<LineLevel> level = {};    ///< only lines of this level
    std::string source = {};                ///< only lines whose source file begins so
    std::optional<double> confidence = {};  ///< instead of that of the rule
    std::vector<Condition> when = {};       ///< holds for this signature only
    std::vector<std::string> also = {};     ///< instead of that of the rule
    std::string title = {};             ///< instead of that of the rule, where these lines show less, or more
    std::vector<std::string> fix = {};  ///< instead of that of the rule
    std::string reason = {};            ///< of the verdict: the kind of the cause below its id ("time-limit")
    bool place = true;                  ///< its lines are printed where the fault is
    bool every = false;                 ///< all matches within a line, not only the first
    bool literal = false;               ///< a line with an anchor matches: the pattern says no more
    int line = 0;                       ///< in the rule file
    std::shared_ptr<const re2::RE2> matcher = {};
    std::vector<std::shared_ptr<const re2::RE2>> exceptions = {};
    std::vector<std::string> captures = {};  ///< names by group, from 1
};

/// More or less confidence under conditions.
struct Adjustment {
    double add = 0;
    std::vector<Condition> when = {};
};

/// Lines and what a diagnosis of them alone must be.
struct RuleTest {
    std::string lines = {};
    std::string expect = {};  ///< id of the first verdict; "none": no verdict of confidence ≥ 0.5
    std::string node = {};    ///< empty: any
    std::optional<int> rank = {};
    int line = 0;  ///< in the rule file
};

/// One rule as its file states it.
struct Rule {
    std::string id = {};
    std::string title = {};        ///< one sentence; {name} are captures
    std::string explanation = {};  ///< why
    RuleRole role = RuleRole::Cause;
    bool all_signatures = false;  ///< every signature must be seen, not just one
    bool generic = false;         ///< leaves lines to the rules that are not generic
    bool fatal = false;           ///< ends its process, unless the program handles it
    std::vector<Signature> signatures = {};
    std::vector<Condition> when = {};
    double confidence = 0.8;
    std::vector<Adjustment> adjust = {};
    std::string fault_node = {};             ///< "{host}", "{peer}", "peers", …; empty: none
    std::string fault_rank = {};             ///< "{rank}"; empty: none
    std::vector<std::string> explains = {};  ///< ids that are its consequences
    std::vector<std::string> also = {};      ///< ids that the same lines do not rule out
    std::vector<std::string> fix = {};
    std::vector<std::string> probes = {};   ///< ids of preflight checks that confirm it
    std::vector<std::string> sources = {};  ///< where the knowledge is from
    std::vector<RuleTest> tests = {};
    std::string file = {};
    int line = 0;
};

}  // namespace rankscope::logs

namespace rankscope {

template <>
struct EnumNames<logs::Speaker> {
    static constexpr auto names =
        std::to_array<const char*>({"program", "nccl", "torch", "gloo", "launcher", "ssh", "kernel"});
};

template <>
struct EnumNames<logs::LineLevel> {
    static constexpr auto names = std::to_array<const char*>({"none", "info", "warn", "error"});
};

template <>
struct EnumNames<logs::RuleRole> {
    static constexpr auto names = std::to_array<const char*>({"cause", "victim", "harmless", "context"});
};

template <>
struct EnumNames<logs::ConditionKind> {
    static constexpr auto names =
        std::to_array<const char*>({"seen", "missing", "count", "capture", "elapsed", "nccl", "torch",
                                    "nodes", "exit", "silent", "collectives"});
};

}  // namespace rankscope
