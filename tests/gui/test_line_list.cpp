// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/line_list.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <utility>
#include <vector>

namespace rankscope::gui::testing {
namespace {

std::vector<std::uint32_t> numbers_of(const LineList& list) {
    std::vector<std::uint32_t> numbers;
    for (std::uint32_t i = 0; i < list.size(); ++i) {
        numbers.push_back(list.at(i));
    }
    return numbers;
}

TEST(LineList, AgreesWithAVectorAndDoesNotChangeOnceHandedOut) {
    std::mt19937 random(11);
    LineListBuilder builder;
    std::vector<std::uint32_t> expected;
    std::vector<std::pair<LineList, std::vector<std::uint32_t>>> handed_out;
    for (int round = 0; round < 60; ++round) {
        for (std::uint32_t i = random() % 20'000; i > 0; --i) {
            builder.push_back(std::uint32_t(expected.size()) ^ 5U);
            expected.push_back(std::uint32_t(expected.size()) ^ 5U);
        }
        if (round % 3 == 0) {
            handed_out.emplace_back(builder.list(), expected);
        }
        if (round % 4 == 1) {  // most often a little, at times far back into what is in the file
            const std::size_t back = random() % (round % 8 == 1 ? 100'000 : 50);
            expected.resize(expected.size() - std::min(back, expected.size()));
            builder.truncate(std::uint32_t(expected.size()));
        }
        ASSERT_EQ(builder.size(), expected.size());
    }
    ASSERT_GT(expected.size(), 100'000U);
    for (const auto& [list, numbers] : handed_out) {
        EXPECT_EQ(numbers_of(list), numbers);
    }
    EXPECT_EQ(numbers_of(builder.list()), expected);
    builder.truncate(0);
    EXPECT_TRUE(builder.empty());
    builder.push_back(7);
    EXPECT_EQ(numbers_of(builder.list()), std::vector<std::uint32_t>{7});
    EXPECT_EQ(numbers_of(handed_out.back().first), handed_out.back().second);
}

TEST(LineList, KeepsItsNewestNumbersInMemory) {
    auto& spool = own_block_spool<65'536>();
    const std::size_t before = spool.blocks_in_file() + spool.blocks_in_memory();
    {
        LineListBuilder builder;
        for (std::uint32_t i = 0; i < 20 * 16'384; ++i) {
            builder.push_back(i ^ 1U);
        }
        EXPECT_GE(spool.blocks_in_file() + spool.blocks_in_memory(), before + 18);
        const LineList list = builder.list();
        builder.truncate(0);
        EXPECT_EQ(list.at(16'384), 16'385U) << "a list keeps what the builder gives up";
    }
    EXPECT_EQ(spool.blocks_in_file() + spool.blocks_in_memory(), before);
}

TEST(LineList, StoresNothingWhereNumbersCountUp) {
    auto& spool = own_block_spool<65'536>();
    const std::size_t before = spool.blocks_in_file() + spool.blocks_in_memory();
    LineListBuilder builder;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < 20 * 16'384; ++i) {
        const std::uint32_t number = i / 16'384 == 7 ? 5 * i : i + 3;
        builder.push_back(number);
        expected.push_back(number);
    }
    EXPECT_EQ(spool.blocks_in_file() + spool.blocks_in_memory(), before + 1);
    EXPECT_EQ(numbers_of(builder.list()), expected);
    builder.truncate(6 * 16'384 + 10);
    expected.resize(6 * 16'384 + 10);
    builder.push_back(1);
    expected.push_back(1);
    EXPECT_EQ(numbers_of(builder.list()), expected) << "a part of what counts up is kept";
}

}  // namespace
}  // namespace rankscope::gui::testing
