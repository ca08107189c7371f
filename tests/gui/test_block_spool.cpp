// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/block_spool.h>
#include <gui/data/spooled_column.h>
#include <gui/strings.h>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <QDir>
#include <QTemporaryDir>
#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <span>
#include <thread>

namespace rankscope::gui {
namespace {

constexpr std::size_t kValues = 1024;  // of a block

std::vector<float> block_from(float first) {
    std::vector<float> values(kValues);
    std::iota(values.begin(), values.end(), first);
    return values;
}

std::byte* store(BlockSpool& spool, float first) {
    const std::vector<float> values = block_from(first);
    return spool.append(nullptr, 0, std::as_bytes(std::span(values)));
}

bool spool_holds(const std::byte* block, float first) {
    const std::vector<float> values = block_from(first);
    return std::memcmp(block, values.data(), kValues * sizeof(float)) == 0;
}

TEST(BlockSpool, ABlockIsInTheFileAndLeavesRoomForTheNext) {
    const QTemporaryDir folder;
    BlockSpool spool({.folder = ss(folder.path()), .leave_free_bytes = 0});
    std::byte* const first = store(spool, 1);
    std::byte* const second = store(spool, 2);
    EXPECT_TRUE(spool_holds(first, 1) && spool_holds(second, 2));
    EXPECT_EQ(spool.blocks_in_file(), 2U);
    EXPECT_EQ(spool.blocks_in_memory(), 0U);
    EXPECT_TRUE(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot))
        << "a file without a name";
    spool.release(first);
    std::byte* const third = store(spool, 3);
    EXPECT_EQ(third, first);
    EXPECT_TRUE(spool_holds(second, 2) && spool_holds(third, 3));
}

TEST(BlockSpool, BeginsAgainWhenNothingIsLeft) {
    const QTemporaryDir folder;
    BlockSpool spool({.folder = ss(folder.path()), .leave_free_bytes = 0});
    spool.release(store(spool, 1));
    EXPECT_EQ(spool.blocks_in_file(), 0U);
    EXPECT_TRUE(spool_holds(store(spool, 5), 5));
    EXPECT_EQ(spool.blocks_in_file(), 1U);
}

TEST(BlockSpool, KeepsWhatWasStoredWhenASegmentIsFull) {
    const QTemporaryDir folder;
    constexpr std::size_t kBytes = std::size_t(16) << 20;
    BlockSpool spool({.folder = ss(folder.path()), .block_bytes = kBytes, .leave_free_bytes = 0});
    std::vector<std::byte*> blocks;
    for (int i = 0; i < 6; ++i) {
        const std::vector<std::byte> bytes(kBytes, std::byte(i));
        blocks.push_back(spool.append(nullptr, 0, bytes));
    }
    EXPECT_EQ(spool.blocks_in_file(), 6U);
    for (int i = 0; i < 6; ++i) {
        EXPECT_TRUE(blocks[std::size_t(i)][0] == std::byte(i) &&
                    blocks[std::size_t(i)][kBytes - 1] == std::byte(i))
            << i;
    }
}

TEST(BlockSpool, WhatTheDiskDoesNotTakeStaysInMemory) {
    const QTemporaryDir folder;
    BlockSpool nowhere({.folder = ss(folder.path()) + "/missing"});
    BlockSpool small({.folder = ss(folder.path()), .most_bytes = 1});
    BlockSpool full({.folder = ss(folder.path()), .leave_free_bytes = std::uint64_t(1) << 60});
    for (BlockSpool* spool : {&nowhere, &small, &full}) {
        std::byte* const block = store(*spool, 7);
        std::byte* const other = store(*spool, 8);
        EXPECT_TRUE(spool_holds(block, 7) && spool_holds(other, 8));
        EXPECT_EQ(spool->blocks_in_file(), 0U);
        EXPECT_EQ(spool->blocks_in_memory(), 2U);
        spool->release(block);
        spool->release(other);
        EXPECT_EQ(spool->blocks_in_memory(), 0U);
    }
}

TEST(BlockSpool, ABlockIsFilledInPieces) {
    const QTemporaryDir folder;
    BlockSpool in_file({.folder = ss(folder.path()), .leave_free_bytes = 0});
    BlockSpool in_memory({.folder = ss(folder.path()) + "/missing"});
    const std::vector<float> values = block_from(4);
    const auto bytes = std::as_bytes(std::span(values));
    for (BlockSpool* spool : {&in_file, &in_memory}) {
        std::byte* block = nullptr;
        for (std::size_t used = 0; used < bytes.size(); used += 1024) {
            block = spool->append(block, used, bytes.subspan(used, 1024));
            EXPECT_TRUE(std::equal(block, block + used + 1024, bytes.begin())) << used;
        }
        EXPECT_EQ(spool->blocks_in_file() + spool->blocks_in_memory(), 1U);
        spool->release(block);
    }
}

TEST(BlockSpool, ABlockThatTheDiskTakesNoLongerMovesToMemory) {
    const QTemporaryDir folder;
    BlockSpool spool({.folder = ss(folder.path()), .leave_free_bytes = 0});
    const std::vector<float> values = block_from(6);
    const auto bytes = std::as_bytes(std::span(values));
    std::byte* const begun = spool.append(nullptr, 0, bytes.first(1024));
    std::byte* const other = store(spool, 2);
    // A file beyond this size cannot be written (setrlimit(2)); the signal that says so is ignored.
    const auto before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlimit small{512, limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    std::byte* const moved = spool.append(begun, 1024, bytes.subspan(1024));
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, before);
    EXPECT_NE(moved, begun);
    EXPECT_TRUE(spool_holds(moved, 6) && spool_holds(other, 2));
    EXPECT_EQ(spool.blocks_in_memory(), 1U);
    EXPECT_EQ(spool.blocks_in_file(), 1U);
    spool.release(moved);
    spool.release(other);
}

TEST(BlockSpool, TriesTheDiskAgain) {
    const QTemporaryDir folder;
    const std::string later = ss(folder.path()) + "/later";
    BlockSpool patient({.folder = later, .leave_free_bytes = 0});
    BlockSpool quick({.folder = later, .leave_free_bytes = 0, .try_again = std::chrono::milliseconds(0)});
    const std::array before{store(patient, 1), store(quick, 1)};
    std::filesystem::create_directory(later);
    const std::array after{store(patient, 2), store(quick, 2)};
    EXPECT_EQ(patient.blocks_in_file(), 0U) << "not before its time";
    EXPECT_EQ(quick.blocks_in_file(), 1U);
    EXPECT_TRUE(spool_holds(before[1], 1) && spool_holds(after[1], 2));
    for (std::size_t i = 0; i < 2; ++i) {
        BlockSpool& spool = i == 0 ? patient : quick;
        spool.release(before[i]);
        spool.release(after[i]);
        EXPECT_EQ(spool.blocks_in_memory() + spool.blocks_in_file(), 0U);
    }
}

TEST(BlockSpool, TakesFromSeveralThreads) {
    const QTemporaryDir folder;
    BlockSpool spool({.folder = ss(folder.path()), .leave_free_bytes = 0});
    std::vector<std::jthread> threads;
    std::vector<int> wrong(4, 0);
    for (int thread = 0; thread < 4; ++thread) {
        threads.emplace_back([&, thread] {
            std::vector<std::byte*> blocks;
            for (int i = 0; i < 200; ++i) {
                blocks.push_back(store(spool, float(thread * 1000 + i)));
                if (i % 3 == 2) {
                    spool.release(blocks.front());
                    blocks.erase(blocks.begin());
                }
            }
            for (std::size_t i = 0; i < blocks.size(); ++i) {
                wrong[std::size_t(thread)] +=
                    spool_holds(blocks[i], float(thread * 1000 + 66 + int(i))) ? 0 : 1;
                spool.release(blocks[i]);
            }
        });
    }
    threads.clear();
    EXPECT_EQ(wrong, std::vector<int>(4, 0));
    EXPECT_EQ(spool.blocks_in_file(), 0U);
}

TEST(SpooledColumn, EqualsAVectorWhateverIsAppendedTruncatedAndCopied) {
    constexpr std::size_t kPiece = 64;
    using Column = SpooledColumn<float, kPiece, 4>;
    Column column;
    std::vector<float> twin;
    const auto same = [&](const Column& one) {
        bool all = one.size() == twin.size() && one.empty() == twin.empty();
        for (std::size_t i = 0; all && i < twin.size(); ++i) {
            all = one[i] == twin[i];
        }
        return all;
    };
    for (int round = 0; round < 60; ++round) {
        for (int i = 0; i < 173 * (round % 7); ++i) {
            column.push_back(float(round * 10000 + i));
            twin.push_back(float(round * 10000 + i));
        }
        if (round % 5 == 4) {
            std::size_t size =
                twin.size() * std::size_t(round % 3) / 3 + std::size_t(round % 2) * (twin.size() / 5);
            if (round % 4 == 0) {
                size = size / kPiece * kPiece;  // where a piece ends
            }
            column.truncate(size);
            twin.resize(size);
        }
        ASSERT_TRUE(same(column)) << round;
        if (!twin.empty()) {
            ASSERT_EQ(column.back(), twin.back());
            column.back() = twin.back() = float(-round);
        }
    }
    const Column copy = column;
    Column moved = std::move(column);
    EXPECT_TRUE(same(copy));
    EXPECT_TRUE(same(moved));
    column = copy;
    moved = Column();
    EXPECT_TRUE(same(column));
    EXPECT_TRUE(moved.empty() && moved.size() == 0);
}

}  // namespace
}  // namespace rankscope::gui
