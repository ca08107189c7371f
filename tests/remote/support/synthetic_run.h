// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <remote/desk/runs/watch/straggler_rule.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace rankscope::test {

/// What a rank does in a round, in shares of the time.
struct Doing {
    double runs = 0.5;
    double file = 0;
    double child = 0;
    double sleeps = 0;
    double queued = 0;
    double throttled = 0;
    double cores = 0.5;
    double hz = 3e9;
    double faults = 0;
    std::string file_name = {};
    std::vector<BusyProcess> neighbours = {};
};

/// A synchronised run of some ranks, two on each node, in a ring. Its clock is its own.
class SyntheticRun {
public:
    explicit SyntheticRun(int ranks, bool steps = true, unsigned seed = 1)
        : doing(static_cast<std::size_t>(ranks)), steps_(steps), random_(seed) {
        busy.resize(doing.size(), 0.02);
        sent_again.resize(doing.size(), 0);
        state_.resize(doing.size());
        for (int rank = 0; rank < ranks; ++rank) {
            auto& state = state_[at(rank)];
            state.rank = rank;
            state.pid = 1000 + rank;
            state.elapsed_s = 10;
            const int next = (rank + 1) % ranks;
            state.sockets = {socket(rank, next, 1), socket(rank, (rank + ranks - 1) % ranks, 2)};
        }
        rule.observe({.t_us = us(), .node = "node0", .rank = 0, .body = StageEvent{StageName::Train}});
        step();
        pass(30);
    }

    static std::string node_of(int rank) { return "node" + std::to_string(rank / 2); }
    static std::size_t at(int rank) { return static_cast<std::size_t>(rank); }
    std::int64_t us() const { return static_cast<std::int64_t>(now * 1e6); }

    void pass(double seconds) {
        now += seconds;
        for (std::size_t i = 0; i < doing.size(); ++i) {
            auto& state = state_[i];
            state.elapsed_s += seconds;
            state.throttled_s += doing[i].throttled * seconds;
            state.sockets[0].busy_s += busy[i] * seconds;
            state.sockets[0].acked_bytes += moves ? static_cast<std::uint64_t>(1e6 * seconds) : 0;
            state.sockets[0].sent_idle_s = moves ? 0 : state.sockets[0].sent_idle_s + seconds;
            state.sockets[0].idle_s = state.sockets[0].sent_idle_s;
            state.sockets[0].retransmitted += static_cast<std::uint32_t>(sent_again[i] * seconds);
        }
        if (moves) {
            step();
        }
    }
    void step() {
        if (now < last_step_s_ + step_every_s) {
            return;
        }
        last_step_s_ = now;
        ++step_;
        for (int rank = 0; steps_ && rank < static_cast<int>(doing.size()); ++rank) {
            MetricEvent metric;
            metric.step = step_;
            metric.values = {{"loss", 1.0}};
            for (const auto& value : reports ? reports(rank) : Values()) {
                metric.values.push_back(value);
            }
            note(rule.observe({.t_us = us(), .node = node_of(rank), .rank = rank, .body = metric}));
        }
    }
    void fill_memory(const std::string& node) {
        note(rule.observe(
            {.t_us = us(), .node = node, .body = SampleEvent{{{"mem_used", 95}, {"mem_total", 100}}}}));
    }
    void note(const std::vector<Verdict>& found) {
        verdicts.insert(verdicts.end(), found.begin(), found.end());
    }

    /// The rule asks, and gets what the samples show.
    bool round() {
        const auto series = rule.due(now);
        if (!series) {
            return false;
        }
        ++rounds;
        pass(series->spread_s);
        std::vector<NodeLook> looks;
        for (int rank = 0; rank < static_cast<int>(doing.size()); ++rank) {
            auto& state = state_[at(rank)];
            state.series = samples(doing[at(rank)], *series);
            if (looks.empty() || looks.back().node != node_of(rank)) {
                looks.push_back({node_of(rank), {}});
            }
            looks.back().ranks.push_back(state);
        }
        note(rule.observe_looks(now, std::move(looks)));
        return true;
    }
    void run(double seconds) {
        for (const double end = now + seconds; now < end;) {
            round();
            pass(1);
        }
    }
    std::vector<Verdict> of(VerdictPhase phase) const {
        std::vector<Verdict> found;
        std::copy_if(verdicts.begin(), verdicts.end(), std::back_inserter(found),
                     [&](const Verdict& verdict) { return verdict.phase == phase; });
        return found;
    }

    using Values = std::vector<std::pair<std::string, double>>;
    StragglerRule rule;
    std::vector<Doing> doing;
    std::vector<double> busy;        ///< of the connection to the next rank
    std::vector<double> sent_again;  ///< segments per second on it
    std::function<Values(int)> reports;
    std::vector<Verdict> verdicts;
    double now = 1'000'000;
    bool moves = true;        ///< steps are done
    double step_every_s = 0;  ///< 0: at least one in every round
    int rounds = 0;

private:
    static RankSocket socket(int rank, int peer, int which) {
        const auto address = [](int of) {
            return "10.0." + std::to_string(of / 100) + '.' + std::to_string(of % 100);
        };
        RankSocket one;
        one.state = "ESTABLISHED";
        // Each pair of neighbours has one connection: which 1 is its sender.
        one.local_address = address(rank);
        one.peer_address = "::ffff:" + address(peer);
        one.local_port = which == 1 ? 40000 + rank : 50000 + rank;
        one.peer_port = which == 1 ? 50000 + peer : 40000 + peer;
        one.inode = rank * 10 + which;
        return one;
    }
    RankSeries samples(const Doing& what, const StragglerRule::Series& asked) {
        RankSeries series;
        std::uniform_real_distribution<double> any(0, 1);
        bool waited = false;
        for (std::uint32_t i = 0; i < asked.samples; ++i) {
            double place = any(random_);
            const auto falls = [&](double share) {
                const bool in = place >= 0 && place < share;
                place -= share;
                return in;
            };
            const bool runs = falls(what.runs);
            const bool file = falls(what.file);
            const bool child = falls(what.child);
            const bool sleeps = falls(what.sleeps);
            const bool waits = !runs && !file && !child && !sleeps;
            series.runs += runs ? 1 : 0;
            series.uses_file += file ? 1 : 0;
            series.waits_child += child ? 1 : 0;
            series.sleeps += sleeps ? 1 : 0;
            series.waits += waits ? 1 : 0;
            series.turns += i > 0 && waits != waited ? 1 : 0;
            waited = waits;
        }
        series.taken = asked.samples;
        series.seconds = asked.spread_s;
        series.queued_s = what.queued * asked.spread_s;
        series.cpu_s = what.cores * asked.spread_s;
        series.cpu_hz = what.hz;
        series.major_faults = static_cast<std::uint64_t>(what.faults * asked.spread_s);
        series.file = what.file_name;
        series.file_system = what.file_name.empty() ? "" : "nfs4";
        series.neighbours = what.neighbours;
        return series;
    }

    bool steps_;
    std::mt19937 random_;
    std::vector<RankSnapshot> state_;
    std::int64_t step_ = 0;
    double last_step_s_ = 0;
};

/// Rank `slow` takes all the time, the others wait for it half of it.
inline void make_slow(SyntheticRun& run, int slow, const Doing& how) {
    for (auto& doing : run.doing) {
        doing.runs = 0.5;
    }
    run.doing[SyntheticRun::at(slow)] = how;
}

}  // namespace rankscope::test
