// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/text.h>
#include <remote/logs/fold/rank_set.h>

#include <bit>

namespace rankscope::logs {
namespace {

constexpr std::size_t kBits = 64;

}  // namespace

bool RankSet::insert(int rank) {
    if (rank < 0 || rank >= kMost) {
        return false;
    }
    const auto bit = static_cast<std::size_t>(rank);
    if (bit / kBits >= words_.size()) {
        words_.resize(bit / kBits + 1);
    }
    std::uint64_t& word = words_[bit / kBits];
    const std::uint64_t mask = std::uint64_t{1} << (bit % kBits);
    if ((word & mask) != 0) {
        return false;
    }
    word |= mask;
    ++size_;
    return true;
}

bool RankSet::contains(int rank) const {
    const auto bit = static_cast<std::size_t>(rank);
    return rank >= 0 && bit / kBits < words_.size() && ((words_[bit / kBits] >> (bit % kBits)) & 1U) != 0;
}

std::vector<int> RankSet::ranks() const {
    std::vector<int> all;
    all.reserve(size_);
    for (std::size_t i = 0; i < words_.size(); ++i) {
        for (std::uint64_t word = words_[i]; word != 0; word &= word - 1) {
            all.push_back(static_cast<int>(i * kBits) + std::countr_zero(word));
        }
    }
    return all;
}

std::string ranks_text(const std::vector<int>& ranks) {
    std::string text;
    for (std::size_t i = 0; i < ranks.size();) {
        std::size_t last = i;
        while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) {
            ++last;
        }
        text.append(text.empty() ? "" : ",").append(std::to_string(ranks[i]));
        if (last > i) {
            text.append(last > i + 1 ? "-" : ",").append(std::to_string(ranks[last]));
        }
        i = last + 1;
    }
    return text;
}

std::string ranks_text(const RankSet& ranks) {
    return ranks_text(ranks.ranks());
}

std::optional<RankSet> parse_ranks(std::string_view text) {
    RankSet ranks;
    while (!text.empty()) {
        const auto end = text.find_first_of(", ;");
        const auto part = text.substr(0, end);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        if (part.empty()) {
            continue;
        }
        const auto dash = part.find('-');
        const auto first = parse_number<int>(part.substr(0, dash));
        const auto last = dash == part.npos ? first : parse_number<int>(part.substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first || *last >= RankSet::kMost) {
            return std::nullopt;
        }
        for (int rank = *first; rank <= *last; ++rank) {
            ranks.insert(rank);
        }
    }
    return ranks.empty() ? std::nullopt : std::optional(ranks);
}

}  // namespace rankscope::logs
