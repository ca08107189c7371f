// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/watch/hang_view.h>
#include <remote/desk/runs/watch/rank_use.h>
#include <remote/wire/event.h>

#include <optional>
#include <vector>

namespace rankscope::inline runs {

/// Verdict::reason of a fault on the way to the rendezvous port that the steps do not need: the run goes on until its
/// ranks miss the store there.
inline constexpr const char* kStorePath = "store-path";

inline bool is_store_path(const Verdict& verdict) {
    return verdict.reason == kStorePath;
}

/// Finds connections of the rendezvous port that get no answer while the run makes steps, from the looks that are made
/// anyway. Says it once two looks show it, or one after a long silence, and takes it back once two show none.
/// Times are those of monotonic_s().
class StorePathRule {
public:
    /// Every event of the run, in its order.
    void observe(const Event& event);
    /// The answers to one round. A finding, or (phase Over) what was found and holds no more. `stalls`: the steps do not go
    /// on, and another rule names who holds them.
    std::optional<HangFinding> take(double now, const std::vector<NodeLook>& looks, const LaunchPlan& plan,
                                    bool stalls = false);

private:
    RankLooks looks_;
    int with_ = 0;     ///< looks in a row that show it
    int without_ = 0;  ///< that do not
    bool over_ = false;
    bool stepped_ = false;
    std::optional<Verdict> live_;
};

}  // namespace rankscope::inline runs
