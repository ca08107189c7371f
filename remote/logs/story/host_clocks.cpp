// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/story/host_clocks.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <set>
#include <utility>

namespace rankscope::logs {
namespace {

constexpr double kFirstDate = 1e6;  // seconds since 1970; less is a time of day
constexpr double kInfinite = std::numeric_limits<double>::infinity();
constexpr std::size_t kMostMoments = 4096;

// How far apart hosts may be at the same moment, as long as too few moments show it: a connection more, a poll of the
// store, a rank that enters its collective later.
constexpr double kOfCommunicator = 0.5;
constexpr double kOfRendezvous = 1;
constexpr double kOfTimeOut = 5;

constexpr std::size_t kEnough = 4;         // moments that show their own spread
constexpr double kLeastUncertainty = 0.1;  // s
constexpr double kLeastCorrection = 0.25;  // s
constexpr double kRounding = 1;            // of a difference, where times have no fractions, s

double median(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) {
        return *middle;
    }
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// A moment that several hosts log. Hosts are indexes.
struct SharedMoment {
    std::map<std::size_t, std::vector<double>> ends;  // what happens at the same time
    // Of a communicator: no host ends its set-up before the last one has begun it.
    std::map<std::size_t, double> last_start;
    std::map<std::size_t, double> first_end;
    double spread = kOfCommunicator;
    bool of_communicator = true;
};

// What is known of a host against the reference.
struct Estimate {
    double ahead = 0;
    double uncertainty = 0;
    std::size_t communicators = 0;
    std::size_t others = 0;
    bool consistent = true;
    bool bounded = false;  // an order that must be says that the clocks differ
};

bool is_date(double time) {
    return std::isfinite(time) && time > kFirstDate;
}

class Comparison {
public:
    std::size_t host(const std::string& name) {
        const auto [known, added] = index_.try_emplace(name, names_.size());
        if (added) {
            names_.push_back(name);
            rank_.push_back(std::numeric_limits<int>::max());
            whole_.push_back(true);
        }
        return known->second;
    }
    void note_rank(std::size_t host, int rank) { rank_[host] = std::min(rank_[host], rank); }
    void note_time(std::size_t host, double time) { whole_[host] = whole_[host] && time == std::floor(time); }
    void add(SharedMoment moment) {
        if (moment.ends.size() > 1 && moments_.size() < kMostMoments) {
            moments_.push_back(std::move(moment));
        }
    }

    std::vector<HostClock> clocks() {
        std::vector<HostClock> all;
        std::set<std::size_t> waiting;
        for (const auto& moment : moments_) {
            for (const auto& [host, times] : moment.ends) {
                waiting.insert(host);
            }
        }
        while (!waiting.empty()) {
            auto reference =
                *std::min_element(waiting.begin(), waiting.end(), [&](std::size_t a, std::size_t b) {
                    return std::pair(rank_[a], a) < std::pair(rank_[b], b);
                });
            auto known = compared_with(reference);
            if (const auto usual = usual_of(known); usual != reference) {
                reference = usual;
                known = compared_with(reference);
            }
            for (const auto& [host, estimate] : known) {
                waiting.erase(host);
                if (host != reference) {
                    all.push_back(clock_of(host, reference, estimate));
                }
            }
        }
        return all;
    }

private:
    using Estimates = std::map<std::size_t, Estimate>;

    // The host whose clock is in the middle.
    static std::size_t usual_of(const Estimates& known) {
        std::vector<std::pair<double, std::size_t>> sorted;
        std::size_t reference = 0;
        for (const auto& [host, estimate] : known) {
            sorted.emplace_back(estimate.ahead, host);
            if (estimate.communicators + estimate.others == 0) {
                reference = host;
            }
        }
        std::sort(sorted.begin(), sorted.end());
        const auto& low = sorted[(sorted.size() - 1) / 2];
        const auto& high = sorted[sorted.size() / 2];
        const auto& nearer = std::abs(low.first) <= std::abs(high.first) ? low : high;
        return std::abs(nearer.first) <= kLeastCorrection ? reference : nearer.second;
    }

    // All hosts that share moments with the reference, or with a host that does.
    Estimates compared_with(std::size_t reference) const {
        Estimates known{{reference, {}}};
        for (bool more = true; more;) {
            std::map<std::size_t, std::vector<const SharedMoment*>> next;
            for (const auto& moment : moments_) {
                const bool reaches = std::any_of(moment.ends.begin(), moment.ends.end(),
                                                 [&](const auto& of) { return known.contains(of.first); });
                for (const auto& [host, times] : moment.ends) {
                    if (reaches && !known.contains(host)) {
                        next[host].push_back(&moment);
                    }
                }
            }
            Estimates found;
            for (auto& [host, moments] : next) {
                found.emplace(host, estimate_of(host, reference, moments, known));
            }
            more = !found.empty();
            known.insert(found.begin(), found.end());
        }
        return known;
    }

    static std::vector<double> true_ends(const SharedMoment& moment, const Estimates& known,
                                         double& uncertainty) {
        std::vector<double> all;
        for (const auto& [host, times] : moment.ends) {
            if (const auto of = known.find(host); of != known.end()) {
                all.push_back(median(times) - of->second.ahead);
                uncertainty = std::max(uncertainty, of->second.uncertainty);
            }
        }
        return all;
    }

    Estimate estimate_of(std::size_t host, std::size_t reference,
                         const std::vector<const SharedMoment*>& moments, const Estimates& known) const {
        Estimate estimate;
        const bool communicators =
            std::any_of(moments.begin(), moments.end(),
                        [](const SharedMoment* moment) { return moment->of_communicator; });
        std::vector<double> differences;
        double spread = 0;
        double inherited = 0;
        double low = -kInfinite;
        double high = kInfinite;
        const double rounding = whole_[host] || whole_[reference] ? kRounding : 0;
        for (const auto* moment : moments) {
            if (moment->of_communicator != communicators) {
                continue;
            }
            spread = std::max(spread, moment->spread);
            differences.push_back(median(moment->ends.at(host)) -
                                  median(true_ends(*moment, known, inherited)));
            narrow(*moment, host, known, low, high);
        }
        const auto count = differences.size();
        (communicators ? estimate.communicators : estimate.others) = count;
        estimate.ahead = median(differences);
        std::vector<double> deviations;
        deviations.reserve(count);
        for (const double difference : differences) {
            deviations.push_back(std::abs(difference - estimate.ahead));
        }
        const double shown = 1.4826 * median(deviations);
        const double deviation = count >= kEnough ? shown : std::max(shown, spread);
        // What is rounded may be rounded alike each time: more moments make it no better.
        estimate.uncertainty = std::max(
            kLeastUncertainty, std::hypot(2 * deviation / std::sqrt(static_cast<double>(count)), rounding));
        low -= rounding;
        high += rounding;
        estimate.consistent = low <= high && estimate.ahead >= low - estimate.uncertainty &&
                              estimate.ahead <= high + estimate.uncertainty;
        if (estimate.consistent) {
            estimate.ahead = std::clamp(estimate.ahead, low, high);
            estimate.uncertainty = std::clamp(std::max(high - estimate.ahead, estimate.ahead - low),
                                              kLeastUncertainty, estimate.uncertainty);
            estimate.bounded = low > 0 || high < 0;
        }
        estimate.uncertainty = std::hypot(estimate.uncertainty, inherited);
        return estimate;
    }

    // By the order that must be: a set-up ends nowhere before it has begun everywhere.
    static void narrow(const SharedMoment& moment, std::size_t host, const Estimates& known, double& low,
                       double& high) {
        const auto own_start = moment.last_start.find(host);
        const auto own_end = moment.first_end.find(host);
        for (const auto& [other, start] : moment.last_start) {
            const auto of = known.find(other);
            if (of != known.end() && own_end != moment.first_end.end()) {
                high = std::min(high, own_end->second - (start - of->second.ahead) + of->second.uncertainty);
            }
        }
        for (const auto& [other, end] : moment.first_end) {
            const auto of = known.find(other);
            if (of != known.end() && own_start != moment.last_start.end()) {
                low = std::max(low, own_start->second - (end - of->second.ahead) - of->second.uncertainty);
            }
        }
    }

    HostClock clock_of(std::size_t host, std::size_t reference, const Estimate& estimate) const {
        const double least = estimate.bounded ? estimate.uncertainty : 2 * estimate.uncertainty;
        return {
            .host = names_[host],
            .reference = names_[reference],
            .ahead_s = estimate.ahead,
            .uncertainty_s = estimate.uncertainty,
            .communicators = estimate.communicators,
            .other_moments = estimate.others,
            .corrected = estimate.consistent && std::abs(estimate.ahead) > std::max(kLeastCorrection, least)};
    }

    std::map<std::string, std::size_t> index_;
    std::vector<std::string> names_;
    std::vector<int> rank_;    // the lowest of each host
    std::vector<bool> whole_;  // no time of the host has a fraction
    std::vector<SharedMoment> moments_;
};

// Before 2.18 communicators have no id: which of those with the same size it is, is a guess.
bool is_certain(const RunFacts& facts, const Communicator& communicator) {
    return !communicator.id.empty() ||
           std::count_if(facts.communicators.begin(), facts.communicators.end(),
                         [&](const Communicator& other) {
                             return other.id.empty() && other.nranks == communicator.nranks;
                         }) == 1;
}

void add_communicators(const RunFacts& facts, Comparison& comparison) {
    for (const auto& communicator : facts.communicators) {
        if (!is_certain(facts, communicator)) {
            continue;
        }
        const bool complete =
            std::any_of(communicator.members.begin(), communicator.members.end(),
                        [](const CommMember& member) { return is_date(member.complete_time); });
        SharedMoment moment;
        for (const auto& member : communicator.members) {
            const auto host = comparison.host(facts.hosts[facts.processes[member.process].host].name);
            comparison.note_rank(host, member.rank);
            const double end = complete ? member.complete_time : member.connected_time;
            if (is_date(end)) {
                comparison.note_time(host, end);
                moment.ends[host].push_back(end);
                auto& first = moment.first_end.try_emplace(host, end).first->second;
                first = std::min(first, end);
            }
            if (is_date(member.start_time)) {
                auto& last = moment.last_start.try_emplace(host, member.start_time).first->second;
                last = std::max(last, member.start_time);
            }
        }
        comparison.add(std::move(moment));
    }
}

// Which of several it is shows only where all hosts log all of them.
bool are_complete(const std::vector<Rendezvous>& all) {
    std::map<std::string, int> counts;
    for (const auto& one : all) {
        ++counts[one.host];
    }
    return std::all_of(counts.begin(), counts.end(),
                       [&](const auto& of) { return of.second == counts.begin()->second; });
}

void add_rendezvous(const Story& story, Comparison& comparison) {
    if (!are_complete(story.rendezvous())) {
        return;
    }
    std::map<int, SharedMoment> by_number;
    for (const auto& one : story.rendezvous()) {
        auto& moment = by_number[one.number];
        const auto host = comparison.host(one.host);
        comparison.note_time(host, one.time);
        moment.ends[host].push_back(one.time);
    }
    for (auto& [number, moment] : by_number) {
        moment.spread = kOfRendezvous;
        moment.of_communicator = false;
        comparison.add(std::move(moment));
    }
}

void add_time_outs(const Story& story, const std::map<int, std::string>& host_of_rank,
                   Comparison& comparison) {
    for (const auto& [group, ranks] : story.timed_out_works().groups()) {
        std::map<std::int64_t, SharedMoment> by_sequence;
        for (const auto& [rank, work] : ranks) {
            const auto known = host_of_rank.find(rank);
            const auto& name = !work.host.empty() || known == host_of_rank.end() ? work.host : known->second;
            if (!name.empty() && work.sequence >= 0 && is_date(work.time)) {
                const auto host = comparison.host(name);
                comparison.note_rank(host, rank);
                comparison.note_time(host, work.time);
                by_sequence[work.sequence].ends[host].push_back(work.time);
            }
        }
        for (auto& [sequence, moment] : by_sequence) {
            moment.spread = kOfTimeOut;
            moment.of_communicator = false;
            comparison.add(std::move(moment));
        }
    }
}

std::string_view without_domain(std::string_view host) {
    return host.substr(0, host.find('.'));
}

bool is_name(std::string_view host) {
    return host.find_first_not_of("0123456789.:") != std::string_view::npos;
}

}  // namespace

std::map<int, std::string> hosts_of_ranks(const RunFacts& facts) {
    const auto largest = std::max_element(
        facts.communicators.begin(), facts.communicators.end(),
        [](const Communicator& left, const Communicator& right) { return left.nranks < right.nranks; });
    std::map<int, std::string> hosts;
    std::set<int> several;
    if (largest == facts.communicators.end()) {
        return hosts;
    }
    for (const auto& communicator : facts.communicators) {
        if (communicator.nranks != largest->nranks) {
            continue;
        }
        for (const auto& member : communicator.members) {
            const auto& name = facts.hosts[facts.processes[member.process].host].name;
            if (hosts.try_emplace(member.rank, name).first->second != name) {
                several.insert(member.rank);
            }
        }
    }
    for (const int rank : several) {
        hosts.erase(rank);
    }
    return hosts;
}

HostClocks::HostClocks(const RunFacts& facts, const Story& story) : host_of_rank_(hosts_of_ranks(facts)) {
    Comparison comparison;
    add_communicators(facts, comparison);
    add_rendezvous(story, comparison);
    add_time_outs(story, host_of_rank_, comparison);
    all_ = comparison.clocks();
    for (const auto& clock : all_) {
        if (clock.corrected) {
            ahead_.emplace(clock.host, clock.ahead_s);
        }
    }
    for (const auto& clock : all_) {
        if (clock.corrected && is_name(clock.host)) {
            ahead_.emplace(without_domain(clock.host), clock.ahead_s);
        }
    }
}

double HostClocks::ahead_of(std::string_view host, int rank) const {
    if (ahead_.empty()) {
        return 0;
    }
    if (const auto known = host_of_rank_.find(rank); host.empty() && known != host_of_rank_.end()) {
        host = known->second;
    }
    auto found = ahead_.find(host);
    if (found == ahead_.end() && is_name(host)) {
        found = ahead_.find(without_domain(host));
    }
    return found != ahead_.end() ? found->second : 0;
}

}  // namespace rankscope::logs
