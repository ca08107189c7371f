// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/gpu_clocks.h>
#include <remote/desk/runs/watch/slow_cause.h>
#include <remote/desk/runs/watch/slow_link.h>
#include <remote/diagnosis/verdict.h>
#include <remote/wire/event.h>

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::inline runs {

/// Finds the rank that the others wait for in every step. In synchronised training all ranks have the same step time:
/// the slow one is the one that waits least. Its own share of the time, by samples of what its main thread does or by
/// its own report (t_comm_ms), is compared with the median of the others, in several rounds of looks; a network that is
/// slow for one node is found by its connections, which have data on the way for longer than those between the others.
///
/// Says when it wants a round; whoever asks the agents brings the answers. One thread. Times are seconds since 1970, by
/// the desk's clock.
class StragglerRule {
public:
    /// Of the request InspectRanks, without stacks, to every node of the run.
    struct Series {
        std::uint32_t samples = 0;
        double spread_s = 0;
    };

    /// The stage of each rank of a pipeline; empty: there is none. One stage computes more than another: only what differs
    /// within a stage is more work.
    void set_stages(std::map<int, int> stages) { stages_ = std::move(stages); }
    /// Every event of the run, in its order. Verdicts: what was live and holds no more.
    std::vector<Verdict> observe(const Event& event);
    /// Whether a round is due; it then counts as asked for.
    std::optional<Series> due(double now_s);
    /// The answers to one round, also those of a part of the nodes. Verdicts: Live, and Over.
    std::vector<Verdict> observe_looks(double now_s, std::vector<NodeLook> looks);

private:
    struct Times {
        double step_ms = 0;
        double comm_ms = 0;
        double data_ms = 0;
        bool has_comm = false;
    };
    struct Finding {
        int rank = -1;
        std::string node;
        std::vector<int> ranks;
        std::vector<NodePair> pairs;
        SlowReason reason = SlowReason::Unknown;
        double excess = 0;
        Verdict verdict;
    };
    struct RoundOfLooks : Round {
        LinkUses links;
        std::map<int, double> excesses;  ///< of the own shares, beyond the middle of the others
        bool reported = false;           ///< shares are of the ranks' own reports
        std::int64_t step = 0;
        double last_step_s = 0;
    };
    struct Known {
        Verdict verdict;
        SlowReason reason = SlowReason::Unknown;
        double excess = 0;
        int rounds_without = 0;
    };

    void recall(const Verdict& verdict);
    void observe_sample(const std::string& node, const SampleEvent& sample);
    void observe_stage(const Event& event, const StageEvent& stage);
    void observe_metric(const Event& event, const MetricEvent& metric);
    std::vector<Verdict> end_all();
    void forget_rounds();

    bool makes_progress(const RoundOfLooks& round, const std::vector<NodeLook>& looks) const;
    bool has_long_steps() const;
    void use_reports(RoundOfLooks& round);
    double step_time_s() const;
    std::vector<const RoundOfLooks*> window(std::size_t size) const;
    static double noise_of(const RoundOfLooks& round, int rank, double excess);
    std::vector<Finding> slow_ranks(std::size_t size);
    std::vector<Finding> slow_links();
    Finding finding_of(const std::string& node, const std::vector<std::pair<double, int>>& ranks,
                       const std::map<int, RankUse>& all);
    void describe(Finding& finding, const SlowCause& cause, double lost, const std::map<int, RankUse>& all);
    std::vector<Verdict> take(std::vector<Finding> findings);
    double since(const std::string& node, int rank, bool link) const;

    GpuClocks gpus_;
    std::map<std::string, double> memory_used_;  ///< by node, of all
    std::map<std::string, std::map<std::string, double>>
        bad_packets_;                                   ///< by node: "eth0.errors", per second
    std::map<std::string, std::vector<int>> ranks_of_;  ///< by node, in order
    std::vector<NodeLook> before_;
    std::deque<RoundOfLooks> rounds_;
    std::map<std::string, Known> live_;  ///< by what is slow: "rank 5", "link node2"
    std::map<int, Times> times_;         ///< reports since the last round
    std::map<int, std::int64_t> steps_;
    std::map<int, int> stages_;
    std::set<int> elsewhere_;  ///< ranks that prepare data, validate, or write a checkpoint
    std::set<std::string> paused_;
    std::size_t most_per_node_ = 1;
    std::int64_t step_ = 0;
    std::int64_t step_at_round_ = 0;
    std::int64_t first_step_ = 0;
    double first_step_s_ = 0;
    double last_step_s_ = 0;
    double begin_s_ = 0;
    double next_s_ = 0;
    double suspicious_since_s_ = 0;  ///< 0: nothing is suspicious
    bool over_ = false;
};

}  // namespace rankscope::inline runs
