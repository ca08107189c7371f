// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/value_column.h>
#include <gui/data/value_spool.h>
#include <gui/strings.h>

#include <gtest/gtest.h>

#include <QDir>
#include <QTemporaryDir>
#include <numeric>
#include <optional>
#include <thread>

namespace rankscope::gui {
namespace {

constexpr std::size_t kBlock = ValueSpool::kBlockValues;

std::vector<float> block_from(float first) {
    std::vector<float> values(kBlock);
    std::iota(values.begin(), values.end(), first);
    return values;
}

bool holds(const ValueSpool::Block& block, float first) {
    return std::equal(block.values(), block.values() + kBlock, block_from(first).begin());
}

TEST(ValueSpool, ABlockIsInTheFileAndLeavesRoomForTheNext) {
    const QTemporaryDir folder;
    ValueSpool spool({.folder = ss(folder.path()), .leave_free_bytes = 0});
    std::optional<ValueSpool::Block> first = spool.store(block_from(1));
    ValueSpool::Block second = spool.store(block_from(2));
    EXPECT_TRUE(holds(*first, 1) && holds(second, 2));
    EXPECT_EQ(spool.blocks_in_file(), 2U);
    EXPECT_EQ(spool.blocks_in_memory(), 0U);
    EXPECT_TRUE(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot))
        << "a file without a name";
    const float* const place = first->values();
    first.reset();
    ValueSpool::Block third = spool.store(block_from(3));
    EXPECT_EQ(third.values(), place);
    EXPECT_TRUE(holds(second, 2) && holds(third, 3));
    // Moved: the one that is overwritten goes with the other.
    third = std::move(second);
    EXPECT_TRUE(holds(third, 2));
}

TEST(ValueSpool, BeginsAgainWhenNothingIsLeft) {
    const QTemporaryDir folder;
    ValueSpool spool({.folder = ss(folder.path()), .leave_free_bytes = 0});
    { const auto block = spool.store(block_from(1)); }
    EXPECT_EQ(spool.blocks_in_file(), 0U);
    const auto again = spool.store(block_from(5));
    EXPECT_TRUE(holds(again, 5));
    EXPECT_EQ(spool.blocks_in_file(), 1U);
}

TEST(ValueSpool, WhatTheDiskDoesNotTakeStaysInMemory) {
    const QTemporaryDir folder;
    ValueSpool nowhere({.folder = ss(folder.path()) + "/missing"});
    ValueSpool small({.folder = ss(folder.path()), .most_bytes = ValueSpool::kSegmentBytes - 1});
    ValueSpool full({.folder = ss(folder.path()), .leave_free_bytes = std::uint64_t(1) << 60});
    for (ValueSpool* spool : {&nowhere, &small, &full}) {
        {
            const auto block = spool->store(block_from(7));
            const auto other = spool->store(block_from(8));
            EXPECT_TRUE(holds(block, 7) && holds(other, 8));
            EXPECT_EQ(spool->blocks_in_file(), 0U);
            EXPECT_EQ(spool->blocks_in_memory(), 2U);
        }
        EXPECT_EQ(spool->blocks_in_memory(), 0U);
    }
}

TEST(ValueSpool, TakesFromSeveralThreads) {
    const QTemporaryDir folder;
    ValueSpool spool({.folder = ss(folder.path()), .leave_free_bytes = 0});
    std::vector<std::jthread> threads;
    std::vector<int> wrong(4, 0);
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            std::vector<ValueSpool::Block> blocks;
            for (int i = 0; i < 200; ++i) {
                blocks.push_back(spool.store(block_from(float(thread * 1000 + i))));
                if (i % 3 == 2) {
                    blocks.erase(blocks.begin());
                }
            }
            for (std::size_t i = 0; i < blocks.size(); ++i) {
                wrong[std::size_t(thread)] += holds(blocks[i], float(thread * 1000 + 66 + int(i))) ? 0 : 1;
            }
        });
    }
    threads.clear();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
    EXPECT_EQ(spool.blocks_in_file(), 0U);
}

TEST(ValueColumn, EqualsAVectorWhateverIsAppendedTruncatedAndCopied) {
    ValueColumn column;
    std::vector<float> twin;
    const auto same = [&](const ValueColumn& one) {
        bool all = one.size() == twin.size();
        for (std::size_t i = 0; all && i < twin.size(); ++i) {
            all = one[i] == twin[i];
        }
        return all;
    };
    for (int round = 0; round < 40; ++round) {
        for (int i = 0; i < 173 * (round % 7); ++i) {
            column.push_back(float(round * 10000 + i));
            twin.push_back(float(round * 10000 + i));
        }
        if (round % 5 == 4) {
            const std::size_t size =
                twin.size() * std::size_t(round % 3) / 3 + std::size_t(round % 2) * (twin.size() / 5);
            column.truncate(size);
            twin.resize(size);
        }
        ASSERT_TRUE(same(column)) << round;
    }
    const ValueColumn copy = column;
    const ValueColumn moved = std::move(column);
    EXPECT_TRUE(same(copy));
    EXPECT_TRUE(same(moved));
}

}  // namespace
}  // namespace rankscope::gui
