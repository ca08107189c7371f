// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/rules/matcher.h>

#include <re2/re2.h>

#include <algorithm>
#include <set>

namespace rankscope::logs {
namespace {

constexpr std::size_t kLongestText = 4000;
constexpr std::size_t kLongestWhat = 160;

re2::StringPiece piece(std::string_view text) {
    return {text.data(), text.size()};
}

// A pattern that begins with '^' is compared with what follows the prefixes.
std::string_view compared_part(const Signature& signature, const LogLine& line) {
    return signature.pattern.starts_with('^') ? line.message : line.text;
}

// What holds under conditions claims its lines later, when they are known.
bool claims(const Rule& rule, const Signature& signature) {
    return rule.role != RuleRole::Context && !rule.generic && rule.when.empty() && signature.when.empty();
}

}  // namespace

Matcher::Matcher(const std::vector<Rule>& rules) : rules_(rules) {
    std::vector<std::string> words;
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        found_.emplace_back(rules[rule].signatures.size());
        for (std::size_t signature = 0; signature < rules[rule].signatures.size(); ++signature) {
            const Place place{static_cast<std::uint32_t>(rule), static_cast<std::uint32_t>(signature)};
            const auto& known = rules[rule].signatures[signature];
            if (known.fact != LineFact::None) {
                fact_places_[static_cast<std::size_t>(known.fact)].push_back(place);
                continue;
            }
            if (known.error) {
                error_places_.push_back(place);
                if (error_places_.size() == 1) {  // the first stands for all
                    words.insert(words.end(), kErrorWords.begin(), kErrorWords.end());
                    places_.insert(places_.end(), kErrorWords.size(), place);
                }
                continue;
            }
            for (const auto& anchor : known.anchors) {
                words.push_back(anchor);
                places_.push_back(place);
            }
        }
    }
    scan_ = LiteralScan(std::move(words));
}

std::uint64_t Matcher::key_of(const Place& place, std::size_t process) {
    return std::uint64_t{place.rule} << 48U | std::uint64_t{place.signature} << 32U | process;
}

bool Matcher::admits(const Signature& signature, const LogLine& line) {
    if ((signature.speaker && *signature.speaker != line.speaker) ||
        (signature.level && *signature.level != line.level) || !line.source.starts_with(signature.source)) {
        return false;
    }
    return std::none_of(signature.exceptions.begin(), signature.exceptions.end(), [&](const auto& exception) {
        return re2::RE2::PartialMatch(piece(line.text), *exception);
    });
}

Match Matcher::match_of(const LogLine& line, std::size_t process) const {
    return {.place = line.place,
            .text = std::string((shown_.empty() ? line.text : shown_).substr(0, kLongestText)),
            .part = std::string(line.part),
            .host = std::string(line.host),
            .rank = line.rank,
            .local_rank = line.local_rank,
            .device = line.device >= 0 ? "GPU " + std::to_string(line.device) : std::string(),
            .process = process,
            .time = line.time_of_day_only ? std::numeric_limits<double>::quiet_NaN() : line.time};
}

void Matcher::keep(const Place& place, Match&& match) {
    auto& found = found_[place.rule][place.signature];
    if (!shown_.empty() && !found.kept.empty() && found.kept.back().place == match.place) {
        found.kept.back() = std::move(match);  // its first line alone matched, too
        return;
    }
    ++found.count;
    auto& of_process = of_process_[key_of(place, match.process)];
    ++of_process.seen;
    // Half of the room is left to the first matches of further processes.
    const std::size_t most = found.kept.size() < kMost / 2 ? kFirst + 1 : 1;
    if (of_process.kept < most && found.kept.size() < kMost) {
        ++of_process.kept;
        of_process.latest = found.kept.size();
        found.kept.push_back(std::move(match));
    } else if (of_process.kept > kFirst) {
        found.kept[of_process.latest] = std::move(match);
    }
}

void Matcher::take_fact(const LogLine& line, LineFact fact, std::size_t process) {
    const std::uint32_t bit = 1U << static_cast<unsigned>(fact);
    if (process >= stated_.size()) {
        stated_.resize(process + 1, 0);
    }
    const auto& places = fact_places_[static_cast<std::size_t>(fact)];
    if (places.empty() || (stated_[process] & bit) != 0) {
        return;
    }
    bool more = false;
    for (const auto& place : places) {
        if (rules_[place.rule].role != RuleRole::Context || !enough(place, process)) {
            more = true;
            if (admits(rules_[place.rule].signatures[place.signature], line)) {
                keep(place, match_of(line, process));
            }
        }
    }
    stated_[process] |= more ? 0U : bit;
}

void Matcher::take_pattern(const Place& place, const LogLine& line, std::size_t process) {
    const auto& signature = rules_[place.rule].signatures[place.signature];
    if (signature.literal && !signature.every) {
        if (admits(signature, line)) {
            keep(place, match_of(line, process));
        }
        return;
    }
    const std::string_view text = compared_part(signature, line);
    // Some anchors are words of ordinary lines; the pattern's own text is faster to look for than the pattern.
    if (!signature.required.empty() && text.find(signature.required) == std::string_view::npos) {
        return;
    }
    re2::StringPiece groups[Signature::kMostCaptures + 1];
    // Where a match ends costs a second search, and its captures a third.
    const int count =
        signature.every || !signature.captures.empty() ? static_cast<int>(signature.captures.size()) + 1 : 0;
    std::size_t from = 0;
    while (from <= text.size() &&
           signature.matcher->Match(piece(text), from, text.size(), re2::RE2::UNANCHORED, groups, count)) {
        if (from == 0 && !admits(signature, line)) {
            return;
        }
        Match match = match_of(line, process);
        for (int group = 1; group < count; ++group) {
            match.captures.emplace_back(groups[group].data() != nullptr ? std::string(groups[group]) : "");
        }
        keep(place, std::move(match));
        if (!signature.every || groups[0].empty()) {
            break;
        }
        from = static_cast<std::size_t>(groups[0].data() - text.data()) + groups[0].size();
    }
}

void Matcher::take_error(const LogLine& line, std::size_t process) {
    const auto error = error_places_.empty() ? std::nullopt : error_line(line);
    for (const auto& place : error_places_) {
        const auto& signature = rules_[place.rule].signatures[place.signature];
        if (error && signature.error == error->layer && admits(signature, line)) {
            Match match = match_of(line, process);
            match.captures.emplace_back(error->what.substr(0, kLongestWhat));
            keep(place, std::move(match));
        }
    }
}

// Facts that a process states again and again need no look beyond the first lines.
bool Matcher::may_suffice(const Place& place, LineFact fact) const {
    return rules_[place.rule].role == RuleRole::Context || fact != LineFact::None;
}

bool Matcher::enough(const Place& place, std::size_t process) const {
    const auto known = of_process_.find(key_of(place, process));
    return known != of_process_.end() && known->second.seen >= kFirst;
}

void Matcher::take(const LogLine& line, LineFact fact, std::size_t process) {
    if (fact != LineFact::None) {
        take_fact(line, fact, process);
    }
    words_.clear();
    scan_.scan(line.text, words_);
    bool error = line.level == LineLevel::Error;
    for (std::size_t i = 0; i < words_.size(); ++i) {
        const Place place = places_[words_[i]];
        if (rules_[place.rule].signatures[place.signature].error) {
            error = true;
            continue;
        }
        const bool again = std::any_of(
            words_.begin(), words_.begin() + static_cast<std::ptrdiff_t>(i), [&](std::uint32_t word) {
                return places_[word].rule == place.rule && places_[word].signature == place.signature;
            });
        if (again || (may_suffice(place, fact) && enough(place, process))) {
            continue;
        }
        take_pattern(place, line, process);
    }
    if (error) {
        take_error(line, process);
    }
}

void Matcher::take_whole(const LogLine& whole, std::string_view shown, std::size_t process) {
    shown_ = shown;
    take(whole, LineFact::None, process);
    shown_ = {};
}

std::vector<std::vector<SignatureMatches>> Matcher::finish() {
    std::set<std::pair<std::uint32_t, std::uint64_t>> harmless;
    std::set<std::pair<std::uint32_t, std::uint64_t>> claimed;
    const auto key = [](const Match& match) { return std::pair(match.place.file, match.place.line); };
    for (std::size_t rule = 0; rule < rules_.size(); ++rule) {
        for (std::size_t signature = 0; signature < found_[rule].size(); ++signature) {
            for (const auto& match : found_[rule][signature].kept) {
                if (rules_[rule].role == RuleRole::Harmless) {
                    harmless.insert(key(match));
                } else if (claims(rules_[rule], rules_[rule].signatures[signature])) {
                    claimed.insert(key(match));
                }
            }
        }
    }
    for (std::size_t rule = 0; rule < rules_.size(); ++rule) {
        if (rules_[rule].role == RuleRole::Harmless || rules_[rule].role == RuleRole::Context) {
            continue;
        }
        for (auto& found : found_[rule]) {
            const auto erased = std::erase_if(found.kept, [&](const Match& match) {
                return harmless.contains(key(match)) ||
                       (rules_[rule].generic && claimed.contains(key(match)));
            });
            found.count -= std::min<std::uint64_t>(erased, found.count);
            if (found.kept.empty()) {
                found.count = 0;
            }
        }
    }
    return std::move(found_);
}

}  // namespace rankscope::logs
