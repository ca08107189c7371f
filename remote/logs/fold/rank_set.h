// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rankscope::logs {

/// A set of ranks, one bit each.
class RankSet {
public:
    static constexpr int kMost = 65536;  ///< ranks from here on are not kept

    /// Whether the rank is new in the set.
    bool insert(int rank);
    bool contains(int rank) const;
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    /// In order.
    std::vector<int> ranks() const;

    bool operator==(const RankSet&) const = default;

private:
    std::vector<std::uint64_t> words_;
    std::size_t size_ = 0;
};

/// Sorted ranks as "0-6,8"; empty: "".
std::string ranks_text(const std::vector<int>& ranks);
/// The same of a set.
std::string ranks_text(const RankSet& ranks);
/// "0-6,8" and "3 5" → ranks. Nothing: the text is no list of ranks.
std::optional<RankSet> parse_ranks(std::string_view text);

}  // namespace rankscope::logs
