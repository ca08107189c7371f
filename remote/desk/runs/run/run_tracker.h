// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/launch/desk_stage.h>
#include <remote/desk/runs/run/memory_facts.h>
#include <remote/desk/runs/watch/hardware_faults.h>
#include <remote/wire/event.h>

#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::inline runs {

/// Watches the stream of a run and concludes what no single event says: when all ranks have met, when all
/// have made their first step, who is to blame, when it is over. No I/O, no clock: the same for live and
/// replayed streams.
class RunTracker {
public:
    static constexpr int kAnyAttempt = std::numeric_limits<int>::max();

    void set_plan(const LaunchPlan& plan);
    const LaunchPlan& plan() const { return plan_; }
    /// Takes one event of the run, the desk's or a node's. Returns the desk's events that follow from it
    /// (without seq and time), in order.
    std::vector<Event> observe(const Event& event);

    /// Once a rank has failed on its own: why the other nodes must stop, for users ("rank 1 on node2 was
    /// killed…").
    const std::string& failure_cause() const { return failure_cause_; }
    /// The attempt to which the failure_cause() belongs; kAnyAttempt: nothing can be started again after it.
    int failed_attempt() const { return lost_ ? kAnyAttempt : attempt_; }
    bool all_nodes_ended() const;
    bool node_ended(const std::string& node) const { return ended_.count(node) > 0; }
    /// When the last of the nodes has ended, by their clocks as events carry them, however much later this is known; a
    /// node that is only presumed lost says nothing. 0: none has.
    std::int64_t ended_us() const { return ended_us_; }
    bool over() const { return over_; }
    /// The run's end as the exits show it. `asked_here`: the user asked this desk for the stop.
    EndEvent verdict(bool asked_here) const;
    /// What can be said about the culprit's end beyond its exit code; nothing when there is no culprit.
    std::optional<DiagnosisEvent> diagnosis() const;
    const MemoryFacts& memory() const { return memory_; }

private:
    struct RankSeen {
        bool met = false;
        bool stepped = false;
        std::int64_t printed_us = 0;   ///< its first line on stdout; 0: none
        bool broken = false;           ///< its last loss is no number
        bool told = false;             ///< that it was
        std::int64_t broken_step = 0;  ///< the first of these
        std::string broken_loss{};     ///< "NaN"
        std::int64_t step = -1;
    };
    struct Exit {
        int rank;
        std::string node;
        std::int64_t t_us;
        ExitEvent event;
    };

    void observe_verdict(const DiagnosisEvent& verdict);
    void observe_exit(const Event& event, const ExitEvent& exit);
    void observe_inner_rank(const Event& event, const InnerRankEvent& inner);
    void begin_attempt(int attempt);
    void observe_stage(const Event& event, const StageEvent& stage, std::vector<Event>& out);
    void observe_loss(const Event& event, const MetricEvent& metric, std::vector<Event>& out);
    void observe_output(const Event& event, const LogEvent& log, std::vector<Event>& out);
    std::string what_is_wrong_with_the_loss() const;
    void mark(int rank, bool stepped, std::vector<Event>& out);
    void mark_one(int rank, bool stepped, std::vector<Event>& out);
    void observe_waiting(const Event& event, const StageEvent& stage, std::vector<Event>& out);
    std::string node_of(int rank) const;
    const Exit* culprit() const;
    bool is_tolerated(const Exit& exit) const;
    bool is_of_inner_failure(const Exit& exit) const;
    bool is_victim(const Exit& exit) const;
    const DiagnosisEvent* held() const;
    std::string where_lost(const EndEvent& reported) const;
    std::optional<DiagnosisEvent> cause_beyond(const Exit& victim) const;
    std::optional<EndEvent> verdict_on_a_stopped_rank() const;
    std::optional<EndEvent> verdict_on_a_missing_rank(const Exit& victim) const;
    std::optional<DiagnosisEvent> cause_of_victims() const;
    std::optional<DiagnosisEvent> rank_that_ended_early(const Exit& victim) const;
    std::optional<EndEvent> end_by_live_cause() const;
    void add_attempts(EndEvent& end) const;
    const EndEvent* end_that_names_a_lost_node() const;
    bool stopped_before(std::int64_t t_us) const;
    bool lost_to_a_users_stop() const;

    LaunchPlan plan_;
    std::vector<RankSeen> ranks_;
    bool own_program_ = false;
    int met_ = 0;
    int stepped_ = 0;
    bool rendezvous_begun_ = false;
    bool rendezvous_done_ = false;
    bool first_step_done_ = false;
    bool over_ = false;
    std::vector<Exit> exits_;              ///< of this attempt
    std::map<std::string, int> attempts_;  ///< of each node
    int attempt_ = 0;                      ///< the latest of them
    bool lost_ = false;                    ///< failure_cause_ is the end of a whole node
    std::map<std::string, EndEvent> ended_;
    std::int64_t ended_us_ = 0;
    std::string failure_cause_;
    std::set<int> stopped_;  ///< ranks whose process is stopped, by their own supervisors
    HardwareFaults hardware_;
    MemoryFacts memory_;
    std::string waiting_;                                  ///< what was last said of it
    std::vector<DiagnosisEvent> live_;                     ///< what holds the run, as the watcher sees it
    std::map<std::string, std::int64_t> last_sign_;        ///< of each node
    std::map<std::string, std::int64_t> end_reported_us_;  ///< when its end was reported
    std::string hung_;  ///< why the desk itself stops the run (on_hang: stop)
};

}  // namespace rankscope::inline runs
