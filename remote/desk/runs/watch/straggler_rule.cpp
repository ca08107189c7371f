// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/desk/runs/watch/straggler_rule.h>
#include <remote/desk/shared/text.h>
#include <remote/wire/sample_keys.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

namespace rankscope::inline runs {
namespace {

constexpr const char* kContext = "Straggler";

// When to look. A round costs a node about a millisecond for each rank, and as much for its samples.
constexpr double kWarmUp = 8;  // seconds after the first step
constexpr double kWarmUpWithoutSteps = 30;
constexpr double kCalm = 12;         // between rounds
constexpr double kQuietShare = 0.5;  // of a series, at its end: then nothing is sent in steps
constexpr double kSuspicious = 4;
constexpr double kLongestSuspicion = 60;  // then calm again
constexpr double kSpread = 2.5;
constexpr double kLongestSpread = 8;
constexpr std::uint32_t kSamples = 60;
constexpr std::uint32_t kLeastSamples = 30;
constexpr std::size_t kSamplesPerNode = 480;

// What counts. Shares are of the time.
constexpr std::size_t kRounds = 4;          // in a row, and
constexpr std::size_t kMostRounds = 6;      // where three are not clear
constexpr double kLeastExcess = 0.12;       // of all rounds together
constexpr double kLeastExcessOfOne = 0.06;  // of each round
constexpr double kLeastExcessUnexplained = 0.25;
constexpr double kLongStep = 5;  // seconds
constexpr double kLeastExcessOfLongSteps = 0.3;
constexpr double kStandardErrors = 4;  // of samples: nothing, and
constexpr double kMarginErrors = 2.5;  // a little, is not taken for much
constexpr double kLeastVariance = 0.05;
constexpr double kMedianVariance = 1.57;  // of a median, by that of a mean
constexpr double kSuspiciousExcess = 0.1;
constexpr int kRoundsUntilOver = 3;
constexpr double kStillSlow = 0.4;           // of the excess it was named with
constexpr double kMostOwnOfSlowLink = 0.75;  // else the ranks hardly wait for the network
constexpr std::size_t kMostWaiting = 256;

double seconds_of(std::int64_t us) {
    return static_cast<double>(us) * 1e-6;
}
std::int64_t us_of(double seconds) {
    return static_cast<std::int64_t>(std::llround(seconds * 1e6));
}

bool is_unexplained(SlowReason reason) {
    return reason == SlowReason::Unknown || reason == SlowReason::MoreWork;
}

std::string key_of(const std::string& node, int rank, bool link) {
    return link ? "link " + node : "rank " + std::to_string(rank);
}

}  // namespace

std::vector<Verdict> StragglerRule::observe(const Event& event) {
    const double now_s = seconds_of(event.t_us);
    if (begin_s_ == 0) {
        begin_s_ = now_s;
    }
    if (const auto* metric = event.as<MetricEvent>()) {
        observe_metric(event, *metric);
    } else if (const auto* stage = event.as<StageEvent>()) {
        const bool restarts = stage->name == StageName::Restart || stage->name == StageName::Stop;
        observe_stage(event, *stage);
        if (restarts) {
            return end_all();
        }
    } else if (event.as<ExitEvent>() != nullptr) {
        forget_rounds();
    } else if (const auto* sample = event.as<SampleEvent>(); sample != nullptr && !over_) {
        observe_sample(event.node, *sample);
        return gpus_.observe(event, *sample, ranks_of_[event.node]);
    } else if (const auto* verdict = event.as<DiagnosisEvent>()) {
        recall(*verdict);
    } else if (const auto* end = event.as<EndEvent>(); end != nullptr && event.node.empty()) {
        over_ = true;
        return end_all();
    }
    return {};
}

void StragglerRule::observe_sample(const std::string& node, const SampleEvent& sample) {
    constexpr std::string_view kBegin = "net.";
    double used = 0;
    double total = 0;
    for (const auto& [key, value] : sample.values) {
        if (key == sample_key::kMemUsed) {
            used = value;
        } else if (key == sample_key::kMemTotal) {
            total = value;
        } else if (key.starts_with(kBegin) && (key.ends_with(".errors") || key.ends_with(".drops"))) {
            bad_packets_[node][key.substr(kBegin.size())] = value;
        }
    }
    if (total > 0) {
        memory_used_[node] = used / total;
    }
}

// Of a desk that watched the run before this one.
void StragglerRule::recall(const Verdict& verdict) {
    if (verdict.id != FailureId("rank-slow")) {
        return;
    }
    const auto reason = enum_from<SlowReason>(verdict.reason).value_or(SlowReason::Unknown);
    if (reason == SlowReason::GpuThrottled) {
        return;  // gpus_ has it, and does not need it after a restart of the desk: samples come again
    }
    const auto key = key_of(verdict.node, verdict.rank, reason == SlowReason::SlowLink);
    if (verdict.phase == VerdictPhase::Over) {
        live_.erase(key);
    } else if (verdict.phase == VerdictPhase::Live) {
        live_.try_emplace(key, Known{.verdict = verdict, .reason = reason});
    }
}

void StragglerRule::observe_stage(const Event& event, const StageEvent& stage) {
    if (stage.name == StageName::Pause) {
        paused_.insert(event.node);
        forget_rounds();
    } else if (stage.name == StageName::Continue) {
        paused_.erase(event.node);
        next_s_ = std::max(next_s_, seconds_of(event.t_us) + kSuspicious);
    } else if (stage.name == StageName::Restart) {
        forget_rounds();
        elsewhere_.clear();
        steps_.clear();
        step_ = 0;
        first_step_s_ = 0;
        begin_s_ = seconds_of(event.t_us);
    } else if (stage.name == StageName::Stop) {
        over_ = true;
    } else if (event.rank >= 0) {
        const bool away = stage.name == StageName::Validate || stage.name == StageName::Checkpoint ||
                          stage.name == StageName::Data || stage.name == StageName::Done;
        if (away) {
            elsewhere_.insert(event.rank);
        } else if (stage.name == StageName::Train || stage.name == StageName::FirstStep) {
            elsewhere_.erase(event.rank);
        }
    }
}

void StragglerRule::observe_metric(const Event& event, const MetricEvent& metric) {
    if (metric.step < 0 || event.rank < 0) {
        return;
    }
    auto& last = steps_[event.rank];
    if (metric.step <= last) {
        return;
    }
    last = metric.step;
    elsewhere_.erase(event.rank);
    const double now_s = seconds_of(event.t_us);
    if (metric.step > step_) {
        step_ = metric.step;
        last_step_s_ = now_s;
        if (first_step_s_ == 0) {
            first_step_s_ = now_s;
            first_step_ = step_;
        }
    }
    const double step_ms = metric.value("t_step_ms");
    if (std::isfinite(step_ms) && step_ms > 0) {
        const auto part = [&](const char* key) {
            const double ms = metric.value(key);
            return std::isfinite(ms) ? std::clamp(ms, 0.0, step_ms) : 0;
        };
        auto& times = times_[event.rank];
        times.step_ms += step_ms;
        times.has_comm = times.has_comm || std::isfinite(metric.value("t_comm_ms"));
        // A stage of a pipeline waits for the others, too.
        times.comm_ms += std::min(part("t_comm_ms") + part("t_bubble_ms"), step_ms);
        times.data_ms += part("t_data_ms");
    }
}

std::optional<StragglerRule::Series> StragglerRule::due(double now_s) {
    if (over_ || begin_s_ == 0 || !paused_.empty() || !elsewhere_.empty() || now_s < next_s_) {
        return std::nullopt;
    }
    if (first_step_s_ > 0 ? now_s < first_step_s_ + kWarmUp : now_s < begin_s_ + kWarmUpWithoutSteps) {
        return std::nullopt;
    }
    Series series;
    series.spread_s = std::clamp(3 * step_time_s(), kSpread, kLongestSpread);
    series.samples =
        std::clamp(static_cast<std::uint32_t>(kSamplesPerNode / most_per_node_), kLeastSamples, kSamples);
    const bool hurry = suspicious_since_s_ > 0 && now_s < suspicious_since_s_ + kLongestSuspicion;
    next_s_ = now_s + (hurry ? kSuspicious : kCalm) + series.spread_s;
    return series;
}

std::vector<Verdict> StragglerRule::observe_looks(double now_s, std::vector<NodeLook> looks) {
    if (over_ || !paused_.empty() || !elsewhere_.empty()) {
        times_.clear();
        return {};
    }
    RoundOfLooks round;
    round.t_s = now_s;
    round.step = step_;
    round.last_step_s = last_step_s_;
    std::map<int, const RankSnapshot*> earlier;
    for (const auto& look : before_) {
        for (const auto& rank : look.ranks) {
            earlier[rank.rank] = &rank;
        }
    }
    for (const auto& look : looks) {
        most_per_node_ = std::max(most_per_node_, look.ranks.size());
        auto& local = ranks_of_[look.node] = {};
        for (const auto& rank : look.ranks) {
            local.push_back(rank.rank);
        }
        std::sort(local.begin(), local.end());
        for (const auto& rank : look.ranks) {
            const auto was = earlier.find(rank.rank);
            if (rank.series.taken > 0) {
                auto& use = round.ranks[rank.rank] =
                    use_of(look.node, rank, was == earlier.end() ? nullptr : was->second);
                use.memory_used = memory_used_[look.node];
                const auto place = std::lower_bound(local.begin(), local.end(), rank.rank);
                use.pcie = gpus_.pcie_width(look.node, static_cast<int>(place - local.begin()));
                round.seconds = std::max(round.seconds, rank.series.seconds);
            }
        }
    }
    round.links = link_uses(before_, looks);
    use_reports(round);
    times_.clear();
    const bool progress = makes_progress(round, looks);
    step_at_round_ = step_;
    before_ = std::move(looks);
    if (!progress) {
        return {};
    }
    round.excesses = excesses_of(round.ranks);
    rounds_.push_back(std::move(round));
    if (rounds_.size() > kMostRounds) {
        rounds_.pop_front();
    }
    const auto& latest = rounds_.back();
    const bool suspicious =
        std::any_of(latest.excesses.begin(), latest.excesses.end(), [&](const auto& entry) {
            const auto& [rank, excess] = entry;
            return excess >= kSuspiciousExcess + noise_of(latest, rank, excess);
        });
    if (suspicious || slow_link_of(latest.links)) {
        suspicious_since_s_ = suspicious_since_s_ == 0 ? now_s : suspicious_since_s_;
        if (now_s < suspicious_since_s_ + kLongestSuspicion) {
            next_s_ = std::min(next_s_, now_s + kSuspicious);
        }
    } else {
        suspicious_since_s_ = 0;
    }
    auto findings = slow_ranks(kRounds);
    if (findings.empty()) {
        findings = slow_ranks(kMostRounds);
    }
    if (findings.empty()) {
        findings = slow_links();
    }
    return take(std::move(findings));
}

// Without it the ranks do something else than training: one of them validates, say, and the others wait for its end.
bool StragglerRule::makes_progress(const RoundOfLooks& round, const std::vector<NodeLook>& looks) const {
    if (round.ranks.size() < 2) {
        return false;
    }
    if (step_ > 0) {
        const double patience = std::max(kQuietShare * round.seconds, 2 * step_time_s());
        return round.t_s - last_step_s_ < patience && (has_long_steps() || step_ > step_at_round_);
    }
    // The samples are of the last seconds: what moved before them was another part of the run.
    if (sends_data(looks) && quiet_s(looks) > kQuietShare * round.seconds) {
        return false;
    }
    const bool moved = data_moved(before_, looks);
    if (moved || sends_data(looks)) {
        return moved;  // what moves is seen to move
    }
    std::vector<double> turns;
    for (const auto& [rank, use] : round.ranks) {
        turns.push_back(use.turns);
    }
    std::sort(turns.begin(), turns.end());
    return turns[(turns.size() - 1) / 2] >= 2;
}

// A round sees a part of a step: the ranks wait in it, or they do not.
bool StragglerRule::has_long_steps() const {
    return step_time_s() > kLongStep;
}

// What a rank reports of its own steps is more exact than samples: where all of them do.
void StragglerRule::use_reports(RoundOfLooks& round) {
    round.reported = !round.ranks.empty();
    for (auto& [rank, use] : round.ranks) {
        const auto times = times_.find(rank);
        if (times == times_.end() || times->second.step_ms <= 0) {
            round.reported = false;
            continue;
        }
        use.data = times->second.data_ms / times->second.step_ms;
        round.reported = round.reported && times->second.has_comm;
    }
    if (!round.reported) {
        return;
    }
    for (auto& [rank, use] : round.ranks) {
        const auto& times = times_.at(rank);
        use.own = 1 - times.comm_ms / times.step_ms;
    }
}

// The standard error of an excess that was sampled: of the rank's own share, and of the middle of the others.
double StragglerRule::noise_of(const RoundOfLooks& round, int rank, double excess) {
    if (round.reported || round.ranks.size() < 2) {
        return 0;
    }
    const auto& use = round.ranks.at(rank);
    const auto others = static_cast<double>(round.ranks.size() - 1);
    const auto variance = [](double share) { return std::max(kLeastVariance, share * (1 - share)); };
    const double of_median = others > 2 ? kMedianVariance : 1;
    return std::sqrt((variance(use.own) + variance(use.own - excess) * of_median / others) /
                     std::max(use.samples, 1.0));
}

// Of late, where there are rounds; 0: not known.
double StragglerRule::step_time_s() const {
    const bool late = !rounds_.empty() && rounds_.front().step > 0 && rounds_.front().step < step_;
    const double since_s = late ? rounds_.front().last_step_s : first_step_s_;
    const auto steps = step_ - (late ? rounds_.front().step : first_step_);
    return steps > 0 ? (last_step_s_ - since_s) / static_cast<double>(steps) : 0;
}

std::vector<const StragglerRule::RoundOfLooks*> StragglerRule::window(std::size_t size) const {
    std::vector<const RoundOfLooks*> rounds;
    for (std::size_t i = size; i > 0 && rounds_.size() >= size; --i) {
        rounds.push_back(&rounds_[rounds_.size() - i]);
    }
    return rounds;
}

std::vector<StragglerRule::Finding> StragglerRule::slow_ranks(std::size_t size) {
    const auto rounds = window(size);
    RoundOfLooks sum;
    sum.ranks = together({rounds.begin(), rounds.end()});
    sum.excesses = excesses_of(sum.ranks);
    sum.reported =
        std::all_of(rounds.begin(), rounds.end(), [](const auto* round) { return round->reported; });
    const auto& all = sum.ranks;
    std::vector<Finding> findings;
    if (rounds.empty() || all.size() < 2) {
        return findings;
    }
    std::map<std::string, std::vector<std::pair<double, int>>> by_node;
    std::size_t slow = 0;
    for (const auto& [rank, use] : all) {
        const double excess = sum.excesses.at(rank);
        const double noise = noise_of(sum, rank, excess);
        if (excess < std::max(kLeastExcess + kMarginErrors * noise, kStandardErrors * noise)) {
            continue;
        }
        if (has_long_steps()) {
            if (size == kMostRounds && excess >= kLeastExcessOfLongSteps) {
                by_node[use.node].emplace_back(excess, rank);
                ++slow;
            }
            continue;
        }
        // Not by one round alone: that may have met something that does not come again.
        std::vector<double> each;
        for (const auto* round : rounds) {
            each.push_back(round->excesses.at(rank));
        }
        std::sort(each.begin(), each.end());
        if (each[each.size() / kMostRounds] >= kLeastExcessOfOne &&
            each[(each.size() - 1) / 2] >= kLeastExcess) {
            by_node[use.node].emplace_back(excess, rank);
            ++slow;
        }
    }
    // A minority, or one node: else it is no straggler, but how the program divides its work.
    if (slow * 2 > all.size() || (slow > 1 && by_node.size() > 1 && slow * 4 > all.size())) {
        return findings;
    }
    for (auto& [node, ranks] : by_node) {
        std::sort(ranks.rbegin(), ranks.rend());
        auto finding = finding_of(node, ranks, all);
        if (!is_unexplained(finding.reason) ||
            excess_in_stage(finding.rank, all, stages_) >= kLeastExcessUnexplained) {
            findings.push_back(std::move(finding));
        }
    }
    return findings;
}

StragglerRule::Finding StragglerRule::finding_of(const std::string& node,
                                                 const std::vector<std::pair<double, int>>& ranks,
                                                 const std::map<int, RankUse>& all) {
    Finding finding;
    finding.node = node;
    for (const auto& [excess, rank] : ranks) {
        finding.ranks.push_back(rank);
        // One that is named already keeps the name: the order of equals changes from round to round.
        if (finding.rank < 0 || live_.contains(key_of(node, rank, false))) {
            finding.rank = rank;
            finding.excess = excess;
        }
    }
    std::sort(finding.ranks.begin(), finding.ranks.end());
    // What the ranks of one node have in common shows beside the other nodes.
    auto compared = all;
    std::erase_if(compared, [&](const auto& entry) {
        return entry.first != finding.rank &&
               std::binary_search(finding.ranks.begin(), finding.ranks.end(), entry.first);
    });
    const auto cause = cause_of(finding.rank, finding.excess, compared);
    finding.reason = cause.reason;
    auto& verdict = finding.verdict;
    verdict.title = cause.because.empty()
                        ? text(kContext, "Rank %1 on %2 is slow: the others wait for it in every step.",
                               {std::to_string(finding.rank), node})
                        : text(kContext, "Rank %1 on %2 is slow, and the others wait for it: %3.",
                               {std::to_string(finding.rank), node, cause.because});
    verdict.since_us = us_of(since(node, finding.rank, false));
    describe(finding, cause, finding.excess, all);
    return finding;
}

std::vector<StragglerRule::Finding> StragglerRule::slow_links() {
    const auto rounds = window(kRounds);
    const auto all = together({rounds.begin(), rounds.end()});
    std::vector<Finding> findings;
    if (rounds.empty() || all.empty()) {
        return findings;
    }
    std::vector<double> own;
    for (const auto& [rank, use] : all) {
        own.push_back(use.own);
    }
    std::optional<SlowLink> slow;
    for (const auto* round : rounds) {
        const auto found = slow_link_of(round->links);
        if (!found || (slow && found->node != slow->node)) {
            return findings;
        }
        slow = found;
    }
    if (median_of_others(own, own.size()) > kMostOwnOfSlowLink) {
        return findings;
    }
    Finding finding;
    finding.node = slow->node;
    finding.pairs = slow->pairs;
    finding.reason = SlowReason::SlowLink;
    finding.excess = slow->worst.busy - slow->usual;
    finding.rank = slow->worst.from_rank;
    if (const auto from = all.find(finding.rank); from == all.end() || from->second.node != slow->node) {
        finding.rank = slow->worst.to_rank;
    }
    finding.ranks = {finding.rank};
    const auto cause = cause_of(*slow, bad_packets_[slow->node]);
    auto& verdict = finding.verdict;
    verdict.title = cause.because;
    verdict.since_us = us_of(since(slow->node, finding.rank, true));
    describe(finding, cause, finding.excess, all);
    findings.push_back(std::move(finding));
    return findings;
}

void StragglerRule::describe(Finding& finding, const SlowCause& cause, double lost,
                             const std::map<int, RankUse>& all) {
    auto& verdict = finding.verdict;
    verdict.id = "rank-slow";
    verdict.phase = VerdictPhase::Live;
    verdict.node = finding.node;
    verdict.nodes = {finding.node};
    verdict.rank = finding.rank;
    verdict.ranks = finding.ranks;
    verdict.pairs = finding.pairs;
    verdict.reason = to_string(finding.reason);
    verdict.confidence = finding.reason == SlowReason::Unknown    ? 0.6
                         : finding.reason == SlowReason::MoreWork ? 0.7
                                                                  : 0.9;
    for (const auto& pair : finding.pairs) {
        for (const auto& node : {pair.from, pair.to}) {
            if (std::find(verdict.nodes.begin(), verdict.nodes.end(), node) == verdict.nodes.end()) {
                verdict.nodes.push_back(node);
            }
        }
    }
    for (const auto& [rank, use] : all) {
        if (verdict.waiting.size() < kMostWaiting &&
            !std::binary_search(finding.ranks.begin(), finding.ranks.end(), rank)) {
            verdict.waiting.push_back(rank);
        }
    }
    std::string by_how_much = text(kContext, "the others lose %1 of their time by it", {percent(lost)});
    if (const double step_s = step_time_s(); step_s > 0) {
        by_how_much +=
            text(kContext, ", %1 s of a step of %2 s", {short_number(lost * step_s), short_number(step_s)});
    }
    verdict.evidence.push_back({.text = by_how_much});
    for (const auto& line : cause.evidence) {
        verdict.evidence.push_back({.text = line});
    }
    verdict.fix = cause.fix;
}

// The first of the rounds in a row that show it; what is live keeps its time.
double StragglerRule::since(const std::string& node, int rank, bool link) const {
    if (const auto known = live_.find(key_of(node, rank, link)); known != live_.end()) {
        return seconds_of(known->second.verdict.since_us);
    }
    double since_s = rounds_.back().t_s;
    for (auto round = rounds_.rbegin(); round != rounds_.rend(); ++round) {
        const auto excess = round->excesses.find(rank);
        const bool shows = link ? slow_link_of(round->links).has_value()
                                : excess != round->excesses.end() && excess->second >= kLeastExcessOfOne;
        if (!shows) {
            break;
        }
        since_s = round->t_s - round->seconds;
    }
    return since_s;
}

std::vector<Verdict> StragglerRule::take(std::vector<Finding> findings) {
    std::vector<Verdict> verdicts;
    std::set<std::string> found;
    for (auto& finding : findings) {
        const auto key = key_of(finding.node, finding.rank, finding.reason == SlowReason::SlowLink);
        found.insert(key);
        auto& known = live_[key];
        const bool is_new = known.verdict.id.empty();
        known.rounds_without = 0;
        // A cause that was found does not give way to none, nor to another one by chance.
        if (is_new || (is_unexplained(known.reason) && !is_unexplained(finding.reason))) {
            known.verdict = std::move(finding.verdict);
            known.reason = finding.reason;
            known.excess = finding.excess;
            verdicts.push_back(known.verdict);
        }
    }
    for (auto entry = live_.begin(); entry != live_.end();) {
        auto& known = entry->second;
        const bool is_link = known.reason == SlowReason::SlowLink;
        const auto& latest = rounds_.back();
        const auto still_slow = [&](int rank) {
            const auto excess = latest.excesses.find(rank);
            return excess != latest.excesses.end() &&
                   excess->second >= std::max(kLeastExcessOfOne, known.excess * kStillSlow);
        };
        const bool holds = found.contains(entry->first) || (is_link ? slow_link_of(latest.links).has_value()
                                                                    : still_slow(known.verdict.rank));
        known.rounds_without = holds ? 0 : known.rounds_without + 1;
        if (known.rounds_without < kRoundsUntilOver) {
            ++entry;
            continue;
        }
        known.verdict.phase = VerdictPhase::Over;
        verdicts.push_back(std::move(known.verdict));
        entry = live_.erase(entry);
    }
    return verdicts;
}

std::vector<Verdict> StragglerRule::end_all() {
    auto verdicts = gpus_.end_all();
    for (auto& [key, known] : live_) {
        known.verdict.phase = VerdictPhase::Over;
        verdicts.push_back(std::move(known.verdict));
    }
    live_.clear();
    return verdicts;
}

void StragglerRule::forget_rounds() {
    rounds_.clear();
    before_.clear();
    times_.clear();
    suspicious_since_s_ = 0;
}

}  // namespace rankscope::inline runs
