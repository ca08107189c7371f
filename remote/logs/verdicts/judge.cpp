// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/diagnosis/failure_catalogue.h>
#include <remote/logs/verdicts/conditions.h>
#include <remote/logs/verdicts/judge.h>
#include <remote/logs/verdicts/rule_text.h>
#include <remote/logs/verdicts/text_place.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sstream>

namespace rankscope::logs {
namespace {

constexpr double kLeast = 0.02;
constexpr double kMost = 0.97;
constexpr double kSure = 0.5;  // from here on a cause explains what else is seen
constexpr std::size_t kMostEvidence = 6;
constexpr double kClearly = 1;  // s between the first error and the next rank's

// A rule that applies.
struct Finding {
    std::size_t rule = 0;
    double confidence = 0;
    std::vector<const Match*> matches = {};  // the one that decides first
    std::map<const Match*, const Signature*> signature_of = {};
    const Signature* deciding = nullptr;
    std::vector<std::size_t> signatures = {};  // that hold
    std::string node = {};
    std::vector<std::string> nodes = {};
    int rank = -1;
    std::vector<int> ranks = {};
    bool explained = false;
};

bool is_fault(RuleRole role) {
    return role == RuleRole::Cause || role == RuleRole::Victim;
}

bool earlier(const Match& left, const Match& right) {
    if (!std::isnan(left.time) && !std::isnan(right.time) && left.time != right.time) {
        return left.time < right.time;
    }
    return std::pair(left.place.file, left.place.line) < std::pair(right.place.file, right.place.line);
}

std::string capture_of(const Match& match, const Signature& signature, std::string_view name) {
    for (std::size_t i = 0; i < signature.captures.size() && i < match.captures.size(); ++i) {
        if (signature.captures[i] == name) {
            return match.captures[i];
        }
    }
    return {};
}

class Judge {
public:
    Judge(const Observed& observed, const std::vector<std::string>& sources)
        : observed_(observed), sources_(sources) {}

    Judgement judgement() {
        for (std::size_t rule = 0; rule < observed_.rules.size(); ++rule) {
            if (is_fault(observed_.rules[rule].role)) {
                add_finding(rule);
            }
        }
        explain();
        std::stable_sort(findings_.begin(), findings_.end(), [&](const Finding& left, const Finding& right) {
            return std::tuple(left.explained, role(left), -left.confidence) <
                       std::tuple(right.explained, role(right), -right.confidence) ||
                   (std::tuple(left.explained, role(left), left.confidence) ==
                        std::tuple(right.explained, role(right), right.confidence) &&
                    earlier(*left.matches.front(), *right.matches.front()));
        });
        Judgement judgement;
        for (const auto& finding : findings_) {
            for (const std::size_t signature : finding.signatures) {
                judgement.applied[{finding.rule, signature}] =
                    role(finding) == RuleRole::Cause && !finding.explained;
            }
        }
        judgement.verdicts = listed();
        return judgement;
    }

private:
    RuleRole role(const Finding& finding) const { return observed_.rules[finding.rule].role; }

    static std::string value_in(const Match& match, const Signature& signature, std::string_view name) {
        auto value = capture_of(match, signature, name);
        if (value.empty() && name == "host") {
            value = match.host;
        } else if (value.empty() && name == "rank" && match.rank >= 0) {
            value = std::to_string(match.rank);
        }
        return value;
    }

    // Of the line that decides; else of the place that the finding blames, or of another line of the same process.
    static std::string value_of(const Finding& finding, std::string_view name) {
        const Match& first = *finding.matches.front();
        auto value = value_in(first, *finding.deciding, name);
        if (value.empty() && (name == "host" || name == "node")) {
            value = finding.node;
        } else if (value.empty() && name == "rank" && finding.rank >= 0) {
            value = std::to_string(finding.rank);
        }
        for (const Match* other : finding.matches) {
            if (!value.empty()) {
                break;
            }
            if (other->process == first.process) {
                value = value_in(*other, *finding.signature_of.at(other), name);
            }
        }
        return value;
    }

    // Of the process whose end a launcher reports around the deciding line: its rank and its pid.
    std::string value_of_exit(const Finding& finding, std::string_view name) const {
        constexpr std::uint64_t kLines = 4;  // of a summary
        const LinePlace& place = finding.matches.front()->place;
        for (const auto& exit : observed_.story.exits()) {
            const auto apart = std::max(exit.place.line, place.line) - std::min(exit.place.line, place.line);
            if (exit.place.file != place.file || apart > kLines) {
                continue;
            }
            if (name == "inner" && exit.rank >= 0) {
                return std::to_string(exit.rank);
            }
            if (name == "pid" && exit.pid > 0) {
                return std::to_string(exit.pid);
            }
        }
        return {};
    }

    void add_finding(std::size_t index) {
        const Rule& rule = observed_.rules[index];
        if (!all_hold(rule.when, index, observed_)) {
            return;
        }
        Finding finding;
        finding.rule = index;
        std::size_t seen = 0;
        for (std::size_t i = 0; i < rule.signatures.size(); ++i) {
            const Signature& signature = rule.signatures[i];
            const auto& matches = observed_.found[index][i].kept;
            if (matches.empty() || !all_hold(signature.when, index, observed_)) {
                continue;
            }
            ++seen;
            finding.signatures.push_back(i);
            const double confidence = signature.confidence.value_or(rule.confidence);
            std::vector<const Match*> own;
            for (const auto& match : matches) {
                own.push_back(&match);
                finding.signature_of.emplace(&match, &signature);
            }
            std::stable_sort(own.begin(), own.end(),
                             [](const Match* left, const Match* right) { return earlier(*left, *right); });
            if (finding.deciding == nullptr || confidence > finding.confidence) {
                finding.confidence = confidence;
                finding.deciding = &signature;
                finding.matches.insert(finding.matches.begin(), own.begin(), own.end());
            } else {
                finding.matches.insert(finding.matches.end(), own.begin(), own.end());
            }
            if (signature.place) {
                collect_places(rule, signature, own, finding);
            }
        }
        if (seen == 0 || (rule.all_signatures && seen < rule.signatures.size())) {
            return;
        }
        for (const auto& adjustment : rule.adjust) {
            if (all_hold(adjustment.when, index, observed_)) {
                finding.confidence += adjustment.add;
            }
        }
        finding.confidence = std::clamp(finding.confidence, kLeast, kMost);
        const auto asks = [](const Condition& condition) {
            return condition.kind == ConditionKind::Collectives;
        };
        const auto& deciding = finding.deciding->when;
        const bool compared = std::any_of(deciding.begin(), deciding.end(), asks);
        if (compared || (rule.fault_rank == "others" && observed_.work.odds == WorkOdds::Behind)) {
            blame_odd_ranks(finding);
        } else if (rule.fault_rank == "others" && finding.ranks.empty()) {
            blame_others(finding);
        }
        settle_places(finding);
        if (rule.role == RuleRole::Cause && rule.fault_rank == "{rank}" && finding.rank < 0) {
            blame_first(finding);
        }
        findings_.push_back(std::move(finding));
    }

    // The ranks that are unlike the others; their lines are the first evidence.
    void blame_odd_ranks(Finding& finding) const {
        finding.ranks = observed_.work.ranks;
        const auto& places = observed_.work.places;
        const auto order = [&](const Match* match) {
            return std::find(places.begin(), places.end(), match->place) - places.begin();
        };
        std::stable_sort(finding.matches.begin(), finding.matches.end(),
                         [&](const Match* left, const Match* right) { return order(left) < order(right); });
        finding.deciding = finding.signature_of.at(finding.matches.front());
    }

    // Of those who wait: the ranks that speak, but do not say so.
    void blame_others(Finding& finding) const {
        std::set<int> waiting;
        std::set<int> others;
        for (const Match* match : finding.matches) {
            waiting.insert(match->rank);
        }
        for (const auto& process : observed_.story.processes()) {
            if (process.rank >= 0 && !waiting.contains(process.rank)) {
                others.insert(process.rank);
            }
        }
        if (!waiting.contains(-1) && others.size() < waiting.size()) {
            finding.ranks.assign(others.begin(), others.end());
        }
    }

    // Every node and rank that a match of the rule blames.
    void collect_places(const Rule& rule, const Signature& signature,
                        const std::vector<const Match*>& matches, Finding& finding) const {
        for (const Match* match : matches) {
            if (!rule.fault_node.empty()) {
                const auto name = complete_text(
                    rule.fault_node, [&](std::string_view key) { return value_in(*match, signature, key); });
                if (const auto node = name ? observed_.surroundings.host_of(*name) : std::string();
                    names_node(node)) {
                    finding.nodes.push_back(node);
                }
            }
            if (rule.fault_rank.empty()) {
                continue;
            }
            std::istringstream late(rule.fault_rank == "others"
                                        ? capture_of(*match, signature, "late")
                                        : complete_text(rule.fault_rank, [&](std::string_view key) {
                                              return value_in(*match, signature, key);
                                          }).value_or(""));
            for (std::string text; std::getline(late >> std::ws, text, ',');) {
                if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos &&
                    text.size() < 8) {
                    finding.ranks.push_back(std::stoi(text));
                }
            }
        }
    }

    // The one that all, or more than half, blame.
    template <typename T>
    static T blamed(std::vector<T>& all, T none) {
        std::map<T, std::size_t> votes;
        for (const auto& one : all) {
            ++votes[one];
        }
        T most = none;
        for (const auto& [one, count] : votes) {
            if (2 * count > all.size()) {
                most = one;
            }
        }
        all.clear();
        for (const auto& [one, count] : votes) {
            all.push_back(one);
        }
        return most;
    }

    static void settle_places(Finding& finding) {
        finding.node = blamed(finding.nodes, std::string());
        finding.rank = blamed(finding.ranks, -1);
    }

    // Of several ranks that report the same: the one that is clearly the first.
    static void blame_first(Finding& finding) {
        std::map<int, const Match*> first;
        for (const Match* match : finding.matches) {
            if (std::isnan(match->time)) {
                return;
            }
            const Match*& known = first.try_emplace(match->rank, match).first->second;
            known = match->time < known->time ? match : known;
        }
        std::vector<const Match*> order;
        order.reserve(first.size());
        for (const auto& [rank, match] : first) {
            order.push_back(match);
        }
        std::sort(order.begin(), order.end(),
                  [](const Match* left, const Match* right) { return left->time < right->time; });
        if (order.size() < 2 || first.contains(-1) || order[1]->time - order[0]->time < kClearly ||
            std::find(finding.ranks.begin(), finding.ranks.end(), order[0]->rank) == finding.ranks.end()) {
            return;
        }
        finding.rank = order[0]->rank;
        if (std::find(finding.nodes.begin(), finding.nodes.end(), order[0]->host) != finding.nodes.end()) {
            finding.node = order[0]->host;
        }
    }

    static bool names(const std::string& shape, const std::string& id) {
        return shape.ends_with('*') ? id.starts_with(shape.substr(0, shape.size() - 1)) : shape == id;
    }

    bool explains(const Finding& cause, const Finding& other) const {
        const auto& shapes = observed_.rules[cause.rule].explains;
        const auto& id = observed_.rules[other.rule].id;
        return std::any_of(shapes.begin(), shapes.end(),
                           [&](const std::string& shape) { return names(shape, id); });
    }

    void explain() {
        for (auto& cause : findings_) {
            if (role(cause) != RuleRole::Cause || cause.confidence < kSure) {
                continue;
            }
            for (auto& other : findings_) {
                const bool mutual = explains(other, cause) && other.confidence >= kSure &&
                                    other.confidence > cause.confidence;
                if (&other != &cause && explains(cause, other) && !mutual) {
                    other.explained = true;
                }
            }
        }
    }

    std::string source_name(std::uint32_t file) const {
        return file < sources_.size() ? sources_[file] : std::string();
    }

    void add_evidence(const Match& match, std::vector<Evidence>& evidence) const {
        Evidence line{.file = source_name(match.place.file),
                      .line = static_cast<std::int64_t>(match.place.line),
                      .text = match.text};
        if (evidence.size() < kMostEvidence &&
            std::find(evidence.begin(), evidence.end(), line) == evidence.end()) {
            evidence.push_back(std::move(line));
        }
    }

    // Of the line that decides, else of another line of its process: where the rule is about the speaker, or the words
    // of the line name the device.
    std::string device_of(const Finding& finding) const {
        const Match& first = *finding.matches.front();
        const auto& rule = observed_.rules[finding.rule];
        for (const Match* match : finding.matches) {
            const bool own = match->says_device || rule.fault_rank == "{rank}";
            if (match->process == first.process && !match->device.empty() && own) {
                return match->device;
            }
        }
        return {};
    }

    Verdict verdict_of(const Finding& finding) const {
        const Rule& rule = observed_.rules[finding.rule];
        Verdict verdict;
        verdict.id = FailureId::from(rule.id);
        const Signature& deciding = *finding.deciding;
        const auto value = [&](std::string_view name) {
            if (name == "frame") {
                return observed_.story.tracebacks().frame_of(finding.matches.front()->place);
            }
            const auto found = value_of(finding, name);
            return found.empty() ? value_of_exit(finding, name) : found;
        };
        verdict.node = finding.node;
        verdict.nodes = finding.nodes;
        verdict.rank = finding.rank;
        verdict.ranks = finding.ranks;
        verdict.device = device_of(finding);
        verdict.title =
            with_place(title_text(deciding.title.empty() ? rule.title : deciding.title, value),
                       {.node = verdict.node,
                        .ranks = verdict.ranks,
                        .rank = verdict.rank,
                        .local_rank = rule.fault_rank == "{rank}" ? finding.matches.front()->local_rank : -1,
                        .device = verdict.device});
        verdict.confidence = std::round(finding.confidence * 100) / 100;
        verdict.phase = VerdictPhase::End;
        verdict.reason = rule.role == RuleRole::Victim ? "victim" : deciding.reason;
        for (const Match* one : finding.matches) {
            add_evidence(*one, verdict.evidence);
        }
        for (const auto& fix : deciding.fix.empty() ? rule.fix : deciding.fix) {
            verdict.fix.push_back(fix_text(fix, value));
        }
        return verdict;
    }

    // What the deciding lines do not rule out.
    void add_alternatives(const Finding& finding, std::vector<Verdict>& list) const {
        const Rule& rule = observed_.rules[finding.rule];
        const auto& also = finding.deciding->also.empty() ? rule.also : finding.deciding->also;
        if (also.empty()) {
            return;
        }
        const double rest = (1 - list.front().confidence) / static_cast<double>(also.size());
        for (const auto& id : also) {
            const bool listed = std::any_of(list.begin(), list.end(),
                                            [&](const Verdict& verdict) { return verdict.id.text() == id; });
            if (listed) {
                continue;
            }
            Verdict verdict = list.front();
            verdict.id = FailureId::from(id);
            verdict.confidence = std::round(std::clamp(rest, kLeast, 0.45) * 100) / 100;
            verdict.reason = "not-excluded";
            const auto known = std::find_if(observed_.rules.begin(), observed_.rules.end(),
                                            [&](const Rule& other) { return other.id == id; });
            if (known != observed_.rules.end()) {
                const auto value = [&](std::string_view name) { return value_of(finding, name); };
                verdict.title = title_text(known->title, value);
                verdict.fix.clear();
                for (const auto& fix : known->fix) {
                    verdict.fix.push_back(fix_text(fix, value));
                }
            } else if (const auto* entry = catalogue_entry(verdict.id)) {
                verdict.title = without_places(entry->title);
                verdict.fix = {without_places(entry->remedy)};
            }
            list.push_back(std::move(verdict));
        }
    }

    std::vector<Verdict> listed() {
        std::vector<Verdict> list;
        std::set<int> waiting;
        const bool cause =
            !findings_.empty() && role(findings_.front()) == RuleRole::Cause && !findings_.front().explained;
        for (const auto& finding : findings_) {
            if (finding.explained || (cause && role(finding) == RuleRole::Victim)) {
                for (const Match* match : finding.matches) {
                    waiting.insert(match->rank);
                }
                continue;
            }
            Verdict verdict = verdict_of(finding);
            if (!list.empty()) {  // two causes cannot both be the first
                const double most = std::max(0.1, 1 - list.front().confidence);
                verdict.confidence =
                    std::round(100 * std::min({verdict.confidence, list.front().confidence, most})) / 100;
            }
            list.push_back(std::move(verdict));
        }
        if (!list.empty()) {
            for (const int rank : waiting) {
                if (rank >= 0 && rank != list.front().rank) {
                    list.front().waiting.push_back(rank);
                }
            }
            const auto first = std::find_if(findings_.begin(), findings_.end(),
                                            [](const Finding& finding) { return !finding.explained; });
            add_alternatives(*first, list);
            std::stable_sort(list.begin() + 1, list.end(), [](const Verdict& left, const Verdict& right) {
                return left.confidence > right.confidence;
            });
        }
        return list;
    }

    const Observed& observed_;
    const std::vector<std::string>& sources_;
    std::vector<Finding> findings_;
};

}  // namespace

namespace {

// A rule that asks whether nothing else was seen is no fault itself.
bool asks_for_silence(const Rule& rule) {
    return std::any_of(rule.when.begin(), rule.when.end(),
                       [](const Condition& condition) { return condition.kind == ConditionKind::Silent; });
}

bool has_several_ranks(const Story& story, const RunFacts& facts) {
    return std::any_of(story.processes().begin(), story.processes().end(),
                       [](const Process& process) { return process.rank > 0; }) ||
           std::any_of(facts.communicators.begin(), facts.communicators.end(),
                       [](const Communicator& communicator) { return communicator.nranks > 1; });
}

// The lines of signatures whose conditions hold are none of the generic rules.
void claim_under_conditions(const std::vector<Rule>& rules, std::vector<std::vector<SignatureMatches>>& found,
                            const Observed& observed) {
    const auto key = [](const Match& match) { return std::pair(match.place.file, match.place.line); };
    std::set<std::pair<std::uint32_t, std::uint64_t>> claimed;
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        if (!is_fault(rules[rule].role) || rules[rule].generic ||
            !all_hold(rules[rule].when, rule, observed)) {
            continue;
        }
        for (std::size_t i = 0; i < rules[rule].signatures.size(); ++i) {
            const auto& signature = rules[rule].signatures[i];
            const bool depends = !rules[rule].when.empty() || !signature.when.empty();
            if (depends && !found[rule][i].kept.empty() && all_hold(signature.when, rule, observed)) {
                for (const auto& match : found[rule][i].kept) {
                    claimed.insert(key(match));
                }
            }
        }
    }
    for (std::size_t rule = 0; rule < rules.size() && !claimed.empty(); ++rule) {
        for (auto& signature : found[rule]) {
            if (rules[rule].generic) {
                const auto erased = std::erase_if(
                    signature.kept, [&](const Match& match) { return claimed.contains(key(match)); });
                signature.count = signature.kept.empty()
                                      ? 0
                                      : signature.count - std::min<std::uint64_t>(erased, signature.count);
            }
        }
    }
}

void correct_times(const HostClocks& clocks, std::vector<std::vector<SignatureMatches>>& found,
                   Story& story) {
    for (auto& signatures : found) {
        for (auto& signature : signatures) {
            for (auto& match : signature.kept) {
                const auto& process = story.processes()[match.process];
                match.time -= clocks.ahead_of(process.origin(), process.rank);
            }
        }
    }
    const auto correct = [](Moment& moment, double ahead) {
        moment.time -= moment.time_of_day_only ? 0 : ahead;
    };
    for (auto& process : story.processes()) {
        const double ahead = clocks.ahead_of(process.origin(), process.rank);
        correct(process.begin, ahead);
        correct(process.end, ahead);
        correct(process.last.moment, ahead);
        if (process.first_error) {
            correct(process.first_error->moment, ahead);
        }
    }
    story.progress().correct([&](std::string_view host, int rank) { return clocks.ahead_of(host, rank); });
    for (auto& exit : story.exits()) {
        correct(exit.moment, clocks.ahead_of(exit.printed_on, -1));
    }
}

}  // namespace

Judgement judge(const std::vector<Rule>& rules, std::vector<std::vector<SignatureMatches>>& found,
                Story& story, const RunFacts& facts, const HostClocks& clocks,
                const std::vector<std::string>& sources) {
    const Surroundings surroundings(rules, found, story, facts);
    if (clocks.any()) {
        correct_times(clocks, found, story);
    }
    auto handled = take_handled_errors(rules, found, story, has_several_ranks(story, facts));
    Observed observed{rules, found, story, surroundings, story.compared_work()};
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        if (!is_fault(rules[rule].role) || asks_for_silence(rules[rule])) {
            continue;
        }
        for (std::size_t i = 0; i < rules[rule].signatures.size(); ++i) {
            // A signature with conditions may be a fact of a healthy run as well.
            observed.faults_seen |= found[rule][i].count > 0 && rules[rule].when.empty() &&
                                    rules[rule].signatures[i].when.empty();
        }
    }
    claim_under_conditions(rules, found, observed);
    auto judgement = Judge(observed, sources).judgement();
    judgement.handled = std::move(handled);
    return judgement;
}

}  // namespace rankscope::logs
