// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/story/timed_out_work.h>

#include <re2/re2.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <tuple>

namespace rankscope::logs {
namespace {

// Operations of which each rank may have its own size, or which only two ranks run.
bool is_comparable(const std::string& operation) {
    for (const std::string_view word :
         {"SEND", "RECV", "ALLTOALL", "COALESCED", "GATHER", "SCATTER", "UNKNOWN"}) {
        const auto at = operation.find(word);
        const bool of_all = operation.find("ALLGATHER") != std::string::npos ||
                            operation.find("REDUCE_SCATTER") != std::string::npos;
        if (at != std::string::npos && (!of_all || word == "COALESCED")) {
            return false;
        }
    }
    return true;
}

// The value that more than half have.
template <typename Value>
std::optional<Value> common(const std::vector<std::pair<int, Value>>& all) {
    std::map<Value, std::size_t> votes;
    for (const auto& [rank, value] : all) {
        if (2 * ++votes[value] > all.size()) {
            return value;
        }
    }
    return std::nullopt;
}

}  // namespace

void TimedOutWorks::take(const LogLine& line) {
    const auto has = [&](std::string_view words) { return line.text.find(words) != std::string_view::npos; };
    const bool timed_out = has(kWords[0]);
    if ((!timed_out && !has(kWords[1])) || count_ >= kMost) {
        return;
    }
    static const re2::RE2 rank_shape(R"(\[(?:PG [^\]]*)?[Rr]ank ?(\d+)\])");
    static const re2::RE2 group_shape(R"(\[PG (?:ID \d+ PG GUID )?([^\s\]]+) Rank \d+\])");
    static const re2::RE2 work_shape(R"(WorkNCCL\((?:SeqNum=(\d+), )?OpType=(\w+), (.*?), Timeout\(ms\))");
    static const re2::RE2 enqueued_shape(R"(last enqueued (?:NCCL )?work: (\d+))");
    const re2::StringPiece text(line.text.data(), line.text.size());
    int rank = line.rank;
    if (!re2::RE2::PartialMatch(text, rank_shape, &rank) && rank < 0) {
        return;
    }
    std::string group;
    re2::RE2::PartialMatch(text, group_shape, &group);
    auto [known, added] = groups_[group].try_emplace(rank);
    count_ += added ? 1U : 0U;
    auto& work = known->second;
    if (added) {
        work.place = line.place;
    }
    if (work.last_enqueued < 0) {
        re2::RE2::PartialMatch(text, enqueued_shape, &work.last_enqueued);
    }
    std::string sequence;
    std::string operation;
    std::string size;
    if (timed_out && work.operation.empty() &&
        re2::RE2::PartialMatch(text, work_shape, &sequence, &operation, &size)) {
        work.place = line.place;
        work.host = line.origin();
        if (!line.time_of_day_only) {
            work.time = line.time;
        }
        work.operation = operation;
        work.size = size;
        if (!sequence.empty() && sequence.size() < 18) {
            work.sequence = std::stoll(sequence);
        }
    }
}

WorkComparison TimedOutWorks::compare(const Ranks& ranks) {
    WorkComparison result;
    std::vector<std::pair<int, std::int64_t>> sequences;
    for (const auto& [rank, work] : ranks) {
        if (work.sequence >= 0) {
            sequences.emplace_back(rank, work.sequence);
        }
    }
    const auto sequence = common(sequences);
    if (!sequence) {
        return result;
    }
    using What = std::tuple<std::string, std::string>;
    std::vector<std::pair<int, What>> what;
    for (const auto& [rank, work] : ranks) {
        if (work.sequence == *sequence && is_comparable(work.operation)) {
            what.emplace_back(rank, What(work.operation, work.size));
        } else if (work.sequence == *sequence) {
            return result;
        } else if ((work.last_enqueued >= 0 && work.last_enqueued < *sequence) ||
                   (work.sequence >= 0 && work.sequence < *sequence)) {
            result.ranks.push_back(rank);
        }
    }
    if (!result.ranks.empty()) {
        result.odds = WorkOdds::Behind;
    } else if (std::any_of(what.begin(), what.end(),
                           [&](const auto& one) { return one.second != what.front().second; })) {
        result.odds = WorkOdds::Differ;
        if (const auto usual = common(what)) {
            for (const auto& [rank, one] : what) {
                if (one != *usual) {
                    result.ranks.push_back(rank);
                }
            }
        }
    }
    for (const bool odd : {true, false}) {
        for (const auto& [rank, work] : ranks) {
            if ((std::find(result.ranks.begin(), result.ranks.end(), rank) != result.ranks.end()) == odd) {
                result.places.push_back(work.place);
            }
        }
    }
    return result;
}

WorkComparison TimedOutWorks::compare() const {
    for (const auto& [group, ranks] : groups_) {
        if (auto result = compare(ranks); result.odds != WorkOdds::None) {
            return result;
        }
    }
    return {};
}

}  // namespace rankscope::logs
