// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/fold/folded_rows.h>
#include <remote/logs/fold/odd_ranks.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>

namespace rankscope::logs {
namespace {

constexpr const char* kVaries = "\u2026";

class Work {
public:
    Work(const FoldedLog& log, const LineGuide& guide) : log_(log), guide_(guide) {}

    FoldedRows make() {
        number_speakers();
        FoldedRows rows{.rows = {},
                        .ranks = all_,
                        .silent = silent(),
                        .ranks_known = ranks_known_,
                        .taken = log_.taken(),
                        .left_out = log_.left_out()};
        for (const auto& line : log_.lines()) {
            rows.rows.push_back(row_of(line));
        }
        return rows;
    }

private:
    // Ranks where all speakers that made a communicator have one of their own; else the speakers are counted.
    void number_speakers() {
        const auto& speakers = log_.speakers();
        std::set<int> used;
        std::vector<std::size_t> unknown;
        numbers_.assign(speakers.size(), -1);
        for (std::size_t i = 0; i < speakers.size(); ++i) {
            if (speakers[i].rank >= 0) {
                numbers_[i] = speakers[i].rank;
                used.insert(speakers[i].rank);
            } else {
                unknown.push_back(i);
            }
        }
        ranks_known_ = unknown.empty() && !used.empty();
        if (used.empty()) {
            std::iota(numbers_.begin(), numbers_.end(), 0);
        } else {
            adopt(unknown);
        }
        std::set<int> all;
        for (const int number : numbers_) {
            if (number >= 0) {
                all.insert(number);
            }
        }
        all_.assign(all.begin(), all.end());
    }

    std::vector<int> silent() const {
        int ranks = 0;
        for (const auto& speaker : log_.speakers()) {
            ranks = std::max(ranks, speaker.rank_of);
        }
        std::vector<int> missing;
        for (int rank = 0; rank < std::min(ranks, RankSet::kMost) && ranks_known_; ++rank) {
            if (!std::binary_search(all_.begin(), all_.end(), rank)) {
                missing.push_back(rank);
            }
        }
        return missing.size() < all_.size() ? missing : std::vector<int>();
    }

    // A process prints its first lines before it knows its device: they belong to its only rank.
    void adopt(const std::vector<std::size_t>& unknown) {
        const auto& speakers = log_.speakers();
        ranks_known_ = true;
        for (const auto i : unknown) {
            const auto same = [&](const LogSpeaker& other) {
                return other.rank >= 0 && other.host == speakers[i].host && other.pid == speakers[i].pid;
            };
            const auto first = std::find_if(speakers.begin(), speakers.end(), same);
            if (first != speakers.end() && std::count_if(speakers.begin(), speakers.end(), same) == 1) {
                numbers_[i] = first->rank;
            }
        }
    }

    std::vector<int> ranks_of(const RankSet& speakers) const {
        std::vector<int> ranks;
        for (const int speaker : speakers.ranks()) {
            if (const int rank = numbers_[static_cast<std::size_t>(speaker)]; rank >= 0) {
                ranks.push_back(rank);
            }
        }
        std::sort(ranks.begin(), ranks.end());
        ranks.erase(std::unique(ranks.begin(), ranks.end()), ranks.end());
        return ranks;
    }

    FoldedRow row_of(const FoldedLine& line) const {
        FoldedRow row;
        row.ranks = ranks_of(line.speakers);
        row.count = line.count;
        row.first_s = line.first_s;
        row.last_s = line.last_s;
        row.level = line.level;
        row.speaker = line.speaker;
        row.phase = line.phase;
        row.source = line.source;
        row.communicators = line.communicators;
        const LineMeaning* meaning = guide_.find(line.sample);
        if (meaning != nullptr) {
            row.subsystem = meaning->subsystem;
            row.meaning = meaning->meaning;
            row.since = meaning->since;
            row.until = meaning->until;
        } else {
            row.subsystem = line.speaker == Speaker::Torch  ? "TORCH"
                            : line.speaker == Speaker::Gloo ? "GLOO"
                                                            : "OTHER";
        }
        const bool own = meaning != nullptr && meaning->own;
        add_text(line, own, row);
        if (!own && !(meaning != nullptr && meaning->some)) {
            add_presence(line, row);
        }
        for (const auto& first : line.firsts) {
            if (const int rank = numbers_[static_cast<std::size_t>(first.speaker)]; rank >= 0) {
                row.first_lines.push_back({.rank = rank, .place = first.place});
            }
        }
        std::stable_sort(row.first_lines.begin(), row.first_lines.end(),
                         [](const RankLine& left, const RankLine& right) { return left.rank < right.rank; });
        return row;
    }

    void add_text(const FoldedLine& line, bool own, FoldedRow& row) const {
        std::size_t place = 0;
        for (const char c : line.key) {
            if (c != kPlaceMark || place >= line.places.size()) {
                row.text += c;
                continue;
            }
            row.text += own ? text_of(line.places[place]) : place_text(line.places[place], row);
            ++place;
        }
    }

    static std::string text_of(const FoldedPlace& place) {
        return place.many || place.values.size() != 1 ? kVaries : place.values.front().text;
    }

    // What most ranks have at a place; the others become odd ones.
    std::string place_text(const FoldedPlace& place, FoldedRow& row) const {
        if (place.many || place.values.size() < 2 || place.kind == PlaceKind::Own) {
            return text_of(place);
        }
        const auto most = std::max_element(place.values.begin(), place.values.end(),
                                           [](const FoldedValue& left, const FoldedValue& right) {
                                               return left.speakers.size() < right.speakers.size();
                                           });
        const auto usual = ranks_of(most->speakers);
        std::vector<int> different;
        for (const int rank : row.ranks) {
            if (!std::binary_search(usual.begin(), usual.end(), rank)) {
                different.push_back(rank);
            }
        }
        if (different.empty() || different.size() > most_odd_ranks(row.ranks.size())) {
            return kVaries;
        }
        for (const auto& value : place.values) {
            if (&value == &*most) {
                continue;
            }
            OddOne odd{.kind = OddKind::Value,
                       .ranks = {},
                       .value = value.text,
                       .others = most->text,
                       .place = value.first};
            for (const int rank : ranks_of(value.speakers)) {
                if (std::binary_search(different.begin(), different.end(), rank)) {
                    odd.ranks.push_back(rank);
                }
            }
            if (!odd.ranks.empty()) {
                row.odd.push_back(std::move(odd));
            }
        }
        return most->text;
    }

    // A line that all but few ranks have, or that few have.
    void add_presence(const FoldedLine& line, FoldedRow& row) const {
        const bool is_warning = line.level == LineLevel::Warn || line.level == LineLevel::Error;
        const auto presence = presence_of(row.ranks, all_, is_warning);
        if (presence == Presence::Missing) {
            OddOne odd{.kind = OddKind::Missing, .ranks = {}};
            std::set_difference(all_.begin(), all_.end(), row.ranks.begin(), row.ranks.end(),
                                std::back_inserter(odd.ranks));
            row.odd.push_back(std::move(odd));
        } else if (presence == Presence::Alone) {
            row.odd.push_back({.kind = OddKind::Alone,
                               .ranks = row.ranks,
                               .place = line.firsts.empty() ? LinePlace{} : line.firsts.front().place});
        }
    }

    const FoldedLog& log_;
    const LineGuide& guide_;
    std::vector<int> numbers_;  ///< speaker → rank
    std::vector<int> all_;
    bool ranks_known_ = true;
};

bool has_text(std::string_view text, std::string_view part) {
    const auto found =
        std::search(text.begin(), text.end(), part.begin(), part.end(),
                    [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
    return found != text.end() || part.empty();
}

bool has_rank(const FoldedRow& row, const RankSet& ranks) {
    const auto wanted = [&](int rank) { return ranks.contains(rank); };
    return std::any_of(row.ranks.begin(), row.ranks.end(), wanted) ||
           std::any_of(row.odd.begin(), row.odd.end(), [&](const OddOne& odd) {
               return std::any_of(odd.ranks.begin(), odd.ranks.end(), wanted);
           });
}

}  // namespace

FoldedRows folded_rows(const FoldedLog& log, const LineGuide& guide) {
    return Work(log, guide).make();
}

bool passes(const FoldedRow& row, const FoldedFilter& filter) {
    const auto odd_text = [&](const OddOne& odd) { return has_text(odd.value, filter.text); };
    return (filter.subsystem.empty() || row.subsystem == filter.subsystem) &&
           (filter.communicator.empty() || std::find(row.communicators.begin(), row.communicators.end(),
                                                     filter.communicator) != row.communicators.end()) &&
           (has_text(row.text, filter.text) || has_text(row.meaning, filter.text) ||
            std::any_of(row.odd.begin(), row.odd.end(), odd_text)) &&
           (filter.ranks.empty() || has_rank(row, filter.ranks)) && row.level >= filter.least &&
           (!filter.odd_only || !row.odd.empty()) && !(row.last_s < filter.from_s) &&
           !(row.first_s > filter.until_s);
}

}  // namespace rankscope::logs
