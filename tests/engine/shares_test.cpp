// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

// Reduce-scatter and the all-gather in place: each rank has a share of the elements.

#include <gtest/gtest.h>
#include <tests/engine/in_world.h>

#include <cctype>
#include <memory>
#include <numeric>

namespace rankscope::engine::test {
namespace {

std::vector<WorldOptions> share_worlds() {
    return {{.ranks = 1},
            {.ranks = 2},
            {.ranks = 5},
            {.ranks = 2, .transport = Transport::gloo},
            {.ranks = 5, .transport = Transport::gloo},
            {.ranks = 4, .hosts = {"a", "a", "b", "b"}},
            {.ranks = 5, .hosts = {"a", "b", "b", "c", "b"}},
            {.ranks = 5, .hosts = {"a", "a", "b", "b", "b"}},
            {.ranks = 4, .hosts = {"a", "b", "a", "b"}}};
}

class ShareWorlds : public ::testing::TestWithParam<WorldOptions> {};

INSTANTIATE_TEST_SUITE_P(All, ShareWorlds, ::testing::ValuesIn(share_worlds()),
                         [](const auto& one) { return test_name(one.param); });

float rank_value(int rank, std::size_t i) {
    return static_cast<float>(rank + 1) * 0.1F + static_cast<float>(i % 97) * 1e-3F;
}

std::vector<std::size_t> equal_shares(std::size_t total, int ranks) {
    std::vector<std::size_t> shares;
    for (int rank = 0; rank <= ranks; ++rank) {
        shares.push_back(total * static_cast<std::size_t>(rank) / static_cast<std::size_t>(ranks));
    }
    return shares;
}

/// All to the second rank, or to the only one; the others have nothing.
std::vector<std::size_t> one_share(std::size_t total, int ranks) {
    std::vector<std::size_t> shares(static_cast<std::size_t>(ranks) + 1, total);
    shares[0] = 0;
    shares[ranks > 1 ? 1 : 0] = 0;
    return shares;
}

struct Array {
    std::vector<float> own;
    std::shared_ptr<float> shared;
    std::span<float> values;
    std::vector<Piece> pieces;
    std::size_t total = 0;
};

/// Pieces with gaps; in memory of the group where `of_group` says so.
Array array_of(ProcessGroup& group, std::size_t pieces, std::size_t stride, bool of_group) {
    Array array;
    array.own.resize(pieces * stride);
    array.shared = group.allocate(array.own.size());
    array.values = of_group ? std::span(array.shared.get(), array.own.size()) : std::span(array.own);
    for (std::size_t i = 0; i < array.values.size(); ++i) {
        array.values[i] = rank_value(group.rank(), i);
    }
    for (std::size_t i = 0; i < pieces; ++i) {
        array.pieces.push_back({array.values.data() + i * stride, 1 + (i * 37) % stride});
        array.total += array.pieces.back().count;
    }
    return array;
}

/// Calls `visit(place in the array, place among the elements of the pieces)`.
template <typename Visit>
void over_elements(const Array& array, const Visit& visit) {
    std::size_t joined = 0;
    for (const Piece& piece : array.pieces) {
        const auto begin =
            static_cast<std::size_t>(static_cast<const float*>(piece.data) - array.values.data());
        for (std::size_t i = 0; i < piece.count; ++i) {
            visit(begin + i, joined++);
        }
    }
}

TEST_P(ShareWorlds, ReduceScatterGivesTheBitsOfAnAllReduceToTheirOwner) {
    const WorldOptions world = GetParam();
    in_world(world, [&](ProcessGroup& group) {
        const auto self = static_cast<std::size_t>(group.rank());
        for (const auto& [pieces, stride] :
             {std::pair<std::size_t, std::size_t>{1, 5}, {1, 200'000}, {3, 60'000}, {300, 700}}) {
            for (const bool all_of_group : {true, false}) {
                const bool of_group = all_of_group || group.rank() + 1 < group.size();
                Array sums = array_of(group, pieces, stride, true);
                group.all_reduce({.pieces = sums.pieces, .scale = 0.3F}).wait();
                for (const auto& shares :
                     {equal_shares(sums.total, group.size()), one_share(sums.total, group.size())}) {
                    Array mine = array_of(group, pieces, stride, of_group);
                    group.reduce_scatter({.pieces = mine.pieces, .scale = 0.3F}, shares, When::soon).wait();
                    over_elements(mine, [&](std::size_t place, std::size_t joined) {
                        if (joined >= shares[self] && joined < shares[self + 1]) {
                            ASSERT_EQ(mine.values[place], sums.values[place]) << joined;
                        }
                    });
                }
            }
        }
    });
}

TEST_P(ShareWorlds, GatheredSharesAreTheOwnersAndNothingElseIsTouched) {
    const WorldOptions world = GetParam();
    in_world(world, [&](ProcessGroup& group) {
        for (const auto& [pieces, stride] :
             {std::pair<std::size_t, std::size_t>{1, 5}, {1, 200'000}, {3, 60'000}, {300, 700}}) {
            for (const bool all_of_group : {true, false}) {
                const bool of_group = all_of_group || group.rank() + 1 < group.size();
                Array mine = array_of(group, pieces, stride, of_group);
                for (const auto& shares :
                     {one_share(mine.total, group.size()), equal_shares(mine.total, group.size())}) {
                    mine = array_of(group, pieces, stride, of_group);
                    std::vector<float> expected(mine.values.begin(), mine.values.end());
                    over_elements(mine, [&](std::size_t place, std::size_t joined) {
                        int owner = 0;
                        while (joined >= shares[static_cast<std::size_t>(owner) + 1]) {
                            ++owner;
                        }
                        expected[place] = rank_value(owner, place);
                    });
                    group.gather_shares(mine.pieces, shares, When::soon).wait();
                    ASSERT_TRUE(std::equal(expected.begin(), expected.end(), mine.values.begin()));
                }
            }
        }
    });
}

/// Theory: an all-reduce is a reduce-scatter and an all-gather, of (N − 1) / N of the bytes each.
TEST_P(ShareWorlds, CountsWhatIsSent) {
    const WorldOptions world = GetParam();
    if (!world.hosts.empty()) {
        GTEST_SKIP() << "between hosts only one rank of each sends";
    }
    in_world(world, [&](ProcessGroup& group) {
        const auto ranks = static_cast<std::size_t>(group.size());
        const std::size_t count = 60'000 * ranks;
        const std::uint64_t theory = (ranks - 1) * (count / ranks) * sizeof(float);
        const std::shared_ptr<float> memory = group.allocate(count);
        const Piece piece{memory.get(), count};
        const Traffic before = group.traffic();
        group.reduce_scatter({.pieces = {&piece, 1}}, equal_shares(count, group.size()), When::soon).wait();
        EXPECT_EQ(group.traffic().of(CollectiveKind::reduce_scatter), theory);
        group.gather_shares({&piece, 1}, equal_shares(count, group.size()), When::soon).wait();
        EXPECT_EQ(group.traffic().of(CollectiveKind::all_gather) - before.of(CollectiveKind::all_gather),
                  theory);
        group.all_reduce({.pieces = {&piece, 1}}).wait();
        EXPECT_EQ(group.traffic().of(CollectiveKind::all_reduce) - before.of(CollectiveKind::all_reduce),
                  2 * theory);
        EXPECT_EQ(group.traffic().total() - before.total(), 4 * theory);
    });
}

TEST(Shares, RanksWithOtherOperationsAreNamed) {
    in_world({.ranks = 2}, [&](ProcessGroup& group) {
        const std::shared_ptr<float> memory = group.allocate(1000);
        const Piece piece{memory.get(), 1000};
        const std::vector<std::size_t> shares = equal_shares(1000, 2);
        try {
            if (group.rank() == 0) {
                group.reduce_scatter({.pieces = {&piece, 1}}, shares, When::soon).wait();
            } else {
                group.gather_shares({&piece, 1}, shares, When::soon).wait();
            }
            ADD_FAILURE() << "no error";
        } catch (const Error& error) {
            const std::string text = error.what();
            EXPECT_NE(text.find("reduce_scatter"), std::string::npos) << text;
            EXPECT_NE(text.find("all_gather"), std::string::npos) << text;
        }
    });
}

}  // namespace
}  // namespace rankscope::engine::test
