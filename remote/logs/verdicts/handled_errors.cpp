// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/verdicts/handled_errors.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace rankscope::logs {
namespace {

// One number after an error may be part of a summary, or the bar that is drawn once more.
constexpr std::size_t kOfTheRank = 2;
// Other ranks continue until they need the one that failed: to the end of a step, which may be many small ones where
// gradients are accumulated.
constexpr std::size_t kOfOthers = Progress::kKept;

class Handled {
public:
    Handled(const Story& story, bool several_ranks) : story_(story), several_ranks_(several_ranks) {
        for (const auto& exit : story.exits()) {
            if (exit.rank >= 0 && (exit.finished || exit.code != 0)) {
                (exit.finished ? finished_ : failed_).insert(exit.rank);
            }
        }
    }

    bool operator()(const Match& match) const {
        if (match.rank >= 0 && finished_.contains(match.rank) && !failed_.contains(match.rank)) {
            return true;
        }
        const auto own = story_.progress().after(match.place, match.part, spoken_rank(match));
        if (own >= (spoken_rank(match) >= 0 || !several_ranks_ ? kOfTheRank : kOfOthers)) {
            return true;
        }
        return !failed_.contains(match.rank) &&
               story_.progress().others_after(match.place, match.part, spoken_rank(match), match.time) >=
                   kOfOthers;
    }

private:
    // As the lines say it: what other lines say of the process is in Match::rank.
    int spoken_rank(const Match& match) const { return story_.processes()[match.process].rank; }

    const Story& story_;
    const bool several_ranks_;
    std::set<int> finished_;
    std::set<int> failed_;
};

}  // namespace

std::vector<HandledError> take_handled_errors(const std::vector<Rule>& rules,
                                              std::vector<std::vector<SignatureMatches>>& found,
                                              const Story& story, bool several_ranks) {
    std::vector<HandledError> all;
    const Handled handled(story, several_ranks);
    for (std::size_t rule = 0; rule < rules.size(); ++rule) {
        if (!rules[rule].fatal) {
            continue;
        }
        for (auto& signature : found[rule]) {
            const auto rest = std::stable_partition(signature.kept.begin(), signature.kept.end(),
                                                    [&](const Match& match) { return !handled(match); });
            const auto taken = static_cast<std::uint64_t>(signature.kept.end() - rest);
            for (auto match = rest; match != signature.kept.end(); ++match) {
                all.push_back({rule, std::move(*match)});
            }
            signature.kept.erase(rest, signature.kept.end());
            signature.count = signature.kept.empty() ? 0 : signature.count - std::min(taken, signature.count);
        }
    }
    return all;
}

}  // namespace rankscope::logs
