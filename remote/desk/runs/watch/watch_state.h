// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/hang_rule.h>
#include <remote/desk/runs/watch/hang_verdict.h>
#include <remote/desk/runs/watch/hardware_faults.h>
#include <remote/desk/runs/watch/rank_looks.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// What one look has brought: by node its ranks; the nodes that did not answer.
struct LookResult {
    std::map<std::string, std::vector<RankSnapshot>> ranks = {};
    std::vector<std::string> silent = {};
    double begun = 0;  ///< when it was asked for; 0: when it is taken
};

/// When the watcher looks, and which verdict it holds: all of it that needs neither threads nor nodes. Times are those
/// of monotonic_s().
class WatchState {
public:
    /// Of the job; 0: learnt.
    void set_hang_after(double seconds) { rule_.set_hang_after(seconds); }
    void observe(const Event& event, double now);
    void recall(const Event& event);

    /// Before wanted(): the clock of a run that was taken up starts now.
    void tick(double now) { rule_.start_clock(now); }
    enum class Wanted { Nothing, Look, LookWithStacks };
    Wanted wanted(double now) const;
    /// What follows from a look. The first of a finding is its Live verdict; one that replaces another comes after the
    /// Over of that. Once the collectives add to the evidence of a verdict, it is found again.
    struct Outcome {
        std::optional<Verdict> over = {};
        std::optional<HangFinding> found = {};
    };
    Outcome take(const LookResult& look, const LaunchPlan& plan, double now,
                 const std::vector<CollectiveFinding>& collectives = {});
    /// Collectives advance: the run makes progress, whatever it prints.
    void note_progress(double now);
    /// It has made no progress for longer than usual.
    bool stalls(double now) const { return rule_.due(now); }
    /// The verdict that no longer holds, because the run makes progress again; once.
    std::optional<Verdict> take_over(double now);

    /// What the last look would have named, had it lasted: who held the run, once ranks have given up waiting. The time
    /// that a verdict needs otherwise only rules out work that takes long, and their library has done so.
    const std::optional<HangFinding>& suspicion() const { return suspected_; }

    const std::map<int, RankSeen>& ranks() const { return looks_.ranks(); }

private:
    void suspect(HangView view);
    void end_stall();
    Verdict close();
    HangView view(const LaunchPlan& plan, double now) const;

    std::optional<HangFinding> with_hardware(std::optional<HangFinding> found, const HangView& view) const;

    HangRule rule_;
    HardwareFaults hardware_;
    RankLooks looks_;
    int count_ = 0;  ///< looks of this stall
    double last_look_ = 0;
    bool moving_ = false;  ///< a rank advanced in the last look
    std::map<std::string, double>
        silent_since_;  ///< nodes that did not answer: since their first missing answer
    std::map<std::string, int> missed_;
    std::uint64_t signs_ = 0;  ///< at the last look
    double sign_at_ = 0;       ///< when the first sign after a verdict was seen; 0: none yet
    std::optional<Verdict> open_;
    std::optional<Verdict> posted_;  ///< open_ as it was posted: a closer look may have named it otherwise
    bool open_has_collectives_ = false;  ///< what the collectives show is among its evidence
    std::optional<HangFinding> rival_;   ///< another finding than the open one, seen once
    std::optional<HangFinding> suspected_;
};

}  // namespace rankscope::inline runs
