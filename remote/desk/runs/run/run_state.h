// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <base/pipeline_passes.h>
#include <remote/desk/jobs/plan/launch_plan.h>
#include <remote/desk/runs/run/metric_names.h>
#include <remote/desk/runs/run/throughput_record.h>
#include <remote/desk/runs/watch/mesh_record.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rankscope::inline runs {

enum class RankPhase { Waiting, Starting, Rendezvous, Training, Validating, Done, Failed, EndedWithRun };
const char* to_string(RankPhase phase);

/// The passes of a pipeline in an update of a rank.
struct ReportedPasses {
    std::int64_t step = -1;
    std::int64_t t_us = 0;  ///< when they were reported, by the desk's clock
    std::vector<PipelinePass> passes = {};
};

struct RankState {
    int rank = 0;
    int local_rank = 0;
    std::string node;
    std::string device;
    RankPhase phase = RankPhase::Waiting;
    std::int64_t step = -1;
    double epoch = -1;
    double loss = 0;          ///< last one; NaN before the first
    double acc1 = 0;          ///< last one, 0…1; NaN before the first
    double images_per_s = 0;  ///< NaN before the first
    /// The last value of every metric, by MetricId: NaN where the rank said so, nothing where it never
    /// reported it. May be shorter than RunState::metrics.
    std::vector<std::optional<double>> last;
    std::vector<ReportedPasses> passes = {};  ///< of some of its last updates, the newest first
    std::string params;                       ///< checksum of the final parameters, when it was reported
    std::optional<ExitEvent> exit;
    int restarts = 0;      ///< how often it was started again
    int outer_rank = -1;   ///< the program that has started it; -1: Rankscope
    std::int64_t pid = 0;  ///< of a rank with an outer_rank; 0: not found yet

    /// The last value of a metric; nothing before the first.
    std::optional<double> last_of(MetricId id) const {
        return id.value() < last.size() ? last[id.value()] : std::nullopt;
    }
};

struct StageState {
    StageName name = StageName::Note;
    bool begun = false;
    bool done = false;
    bool failed = false;
    std::int64_t begin_us = 0;
    std::int64_t end_us = 0;
    double progress = -1;
    std::string detail = {};
};

/// A node's samples so far, by key (remote/wire/sample_keys.h).
struct NodeSamples {
    struct Value {
        double last = 0;
        double sum = 0;
        double most = 0;
        std::int64_t count = 0;
        std::int64_t last_us = 0;  ///< when it was last reported: a sample may lack it

        double mean() const { return count > 0 ? sum / static_cast<double>(count) : 0; }
    };
    std::int64_t last_us = 0;
    std::map<std::string, Value> values;
};

struct ValidationPoint {
    double epoch = 0;
    double loss = 0;
    double acc1 = 0;
};

/// How the desk reaches a node, folded from its link events and from everything else it sends.
struct NodeLink {
    LinkState state = LinkState::Linked;
    std::int64_t last_seen_us = 0;  ///< last sign of life by the desk's clock; 0: none yet
    std::int64_t retry_at_us = 0;   ///< the next attempt; 0: none
    FailureId failure_id;
    std::string failure;  ///< why the last attempt failed, one sentence; empty: it did not
    std::string remedy;

    /// Seconds without a sign of life; 0 where the node answers or its part is over.
    double silent_s(std::int64_t now_us) const;
    bool reachable() const { return state == LinkState::Linked || state == LinkState::Ended; }
};

/// What a running run does as a whole.
enum class RunCondition {
    Starting,  ///< no first step yet
    Queued,    ///< Slurm has not granted nodes
    Running,
    Paused,   ///< on all nodes that still have ranks
    Stalled,  ///< no rank has reported a step for much longer than usual
    Failing,  ///< a rank or a node has failed; the others are ending
    Over
};

struct RunHealth {
    RunCondition condition = RunCondition::Starting;
    double for_s = 0;  ///< of Paused and Stalled: for how long
    std::vector<std::string>
        waiting_for;  ///< of Failing: nodes whose part is not over, unreachable ones first
    std::vector<std::string> unreachable;  ///< nodes that the desk does not reach now
};

/// A run as it stands: folded from its events, the same for live and stored runs. A plain value.
struct RunState {
    std::string run_id;
    std::string name;
    LaunchPlan plan;
    std::vector<StageState> stages;   ///< always the five, in order
    std::optional<StageState> queue;  ///< under Slurm: submitted, waiting (detail says why), allocated
    std::set<std::string> paused;     ///< nodes whose ranks are stopped until they are continued
    std::set<std::string> saving;     ///< nodes whose ranks got the checkpoint signal before a stop
    std::vector<RankState> ranks;
    ThroughputRecord throughput;
    MeshRecord mesh;
    MetricNames metrics;  ///< every name that a rank has reported
    std::vector<ValidationPoint> validations;
    std::vector<DiagnosisEvent> diagnoses;       ///< why it failed, most likely cause first
    std::vector<DiagnosisEvent> live_verdicts;   ///< what holds it now
    std::map<std::string, NodeSamples> samples;  ///< by node; only of those that sent any
    std::map<std::string, NodeLink> links;       ///< by node; only of those heard of
    NodeSettings node_settings;                  ///< only of nodes that set any
    std::int64_t epochs = 0;                     ///< 0: not known
    std::int64_t steps_per_epoch = 0;            ///< 0: not known
    std::int64_t steps = 0;                      ///< of the whole run; 0: epochs × steps_per_epoch
    std::int64_t start_us = 0;
    std::int64_t first_step_us = 0;
    std::int64_t last_us = 0;
    std::int64_t last_step_us = 0;     ///< when a rank last reported a step; 0: none yet
    double step_gap_s = 0;             ///< longest usual time between two such reports, decaying
    std::int64_t pause_us = 0;         ///< all pauses since the first step that are over, together
    std::int64_t paused_since_us = 0;  ///< of the one that is not; 0: none
    Outcome outcome = Outcome::Running;
    std::optional<EndEvent> end;
    int restarts = 0;      ///< how often all ranks were started again (on_failure.max_restarts)
    std::string activity;  ///< what is going on right now, one line ("node2: pushing worker 40 %")

    /// Sets the plan: ranks and their nodes become known.
    void set_plan(const LaunchPlan& new_plan);
    void apply(const Event& event);

    /// Share of all steps that the slowest rank has done, 0…1; negative: not known.
    double progress() const;
    double epoch_progress() const;
    /// Seconds to the end of the epoch / of the run at the pace since the first step; negative: not known.
    double epoch_eta_s() const;
    double eta_s() const;
    /// Sum over the ranks.
    double images_per_s() const;
    double slowest_step() const;
    /// Under Slurm: submitted, and no nodes yet.
    bool waits_in_queue() const;
    /// Every node that still has ranks is paused.
    bool all_paused() const;
    /// `now_us`: the desk's clock, or last_us for a stored run.
    RunHealth health(std::int64_t now_us) const;

private:
    void apply_inner_rank(RankState& rank, const InnerRankEvent& inner);
    void apply_program_exit(const Event& event, const ExitEvent& exit);
    void apply_verdict(const DiagnosisEvent& verdict);
    void apply_link(const LinkEvent& link);
    void note_step(std::int64_t t_us);
    void apply_desk_stage(const StageEvent& stage, std::int64_t t_us);
    void apply_metric(RankState& rank, const MetricEvent& metric, std::int64_t t_us);
    void apply_node_stage(const std::string& node, const StageEvent& stage, std::int64_t t_us);
    void set_paused(const std::string& node, bool pause, std::int64_t t_us);
    double trained_s() const;
};

/// The visible stages, in order: machine names. Window and ctl have the texts for users. Runs without a preflight
/// leave that one out.
inline constexpr std::array kStages{StageName::Connect, StageName::Preflight,  StageName::Push,
                                    StageName::Start,   StageName::Rendezvous, StageName::FirstStep};

}  // namespace rankscope::inline runs
