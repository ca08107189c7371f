// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/block_arena.h>
#include <gui/strings.h>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <QDir>
#include <QTemporaryDir>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstring>
#include <span>
#include <thread>
#include <vector>

namespace rankscope::gui {
namespace {

constexpr std::size_t kBlockBytes = std::size_t(1) << 16;  // whole pages on all machines

void fill(std::byte* block, std::size_t number) {
    std::fill_n(block, kBlockBytes, std::byte(number % 251));
}

bool holds(const std::byte* block, std::size_t number) {
    return std::all_of(block, block + kBlockBytes,
                       [number](std::byte byte) { return byte == std::byte(number % 251); });
}

TEST(BlockArena, AFullBlockIsInTheFileAtTheSameAddress) {
    const QTemporaryDir folder;
    BlockArena arena({.folder = ss(folder.path()), .block_bytes = kBlockBytes, .leave_free_bytes = 0});
    constexpr std::size_t kBlocks = 300;
    std::vector<std::byte*> blocks;
    for (std::size_t i = 0; i < kBlocks; ++i) {
        blocks.push_back(arena.add());
        EXPECT_TRUE(holds(blocks.back(), 0));
        fill(blocks.back(), i);
        if (i % 3 != 2) {  // others stay memory
            arena.settle_newest();
        }
    }
    for (std::size_t i = 0; i < kBlocks; ++i) {
        EXPECT_TRUE(holds(blocks[i], i)) << i;
    }
    EXPECT_EQ(arena.blocks(), kBlocks);
    EXPECT_EQ(arena.blocks_in_file(), kBlocks / 3 * 2);
    EXPECT_TRUE(QDir(folder.path()).isEmpty(QDir::AllEntries | QDir::Hidden | QDir::NoDotAndDotDot))
        << "a file without a name";
}

TEST(BlockArena, WhatTheDiskDoesNotTakeStaysInMemory) {
    const QTemporaryDir folder;
    BlockArena nowhere({.folder = ss(folder.path()) + "/missing", .block_bytes = kBlockBytes});
    BlockArena full({.folder = ss(folder.path()),
                     .block_bytes = kBlockBytes,
                     .leave_free_bytes = std::uint64_t(1) << 60});
    for (BlockArena* arena : {&nowhere, &full}) {
        std::byte* const block = arena->add();
        fill(block, 7);
        arena->settle_newest();
        EXPECT_TRUE(holds(block, 7));
        EXPECT_EQ(arena->blocks_in_file(), 0U);
    }
}

TEST(BlockArena, ADiskThatIsFullForAWhileIsUsedAgain) {
    const QTemporaryDir folder;
    BlockArena arena({.folder = ss(folder.path()), .block_bytes = kBlockBytes, .leave_free_bytes = 0});
    std::vector<std::byte*> blocks;
    const auto add = [&] {
        blocks.push_back(arena.add());
        fill(blocks.back(), blocks.size());
        arena.settle_newest();
    };
    add();
    // A file beyond this size cannot be written (setrlimit(2)); the signal that says so is ignored.
    const auto before = std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlimit small{kBlockBytes + kBlockBytes / 2, limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    add();
    ::setrlimit(RLIMIT_FSIZE, &limit);
    std::signal(SIGXFSZ, before);
    EXPECT_EQ(arena.blocks_in_file(), 1U);
    add();
    EXPECT_EQ(arena.blocks_in_file(), 2U);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        EXPECT_TRUE(holds(blocks[i], i + 1)) << i;
    }
}

TEST(BlockArena, ReadersSeeTheSameBytesWhileABlockMoves) {
    const QTemporaryDir folder;
    BlockArena arena({.folder = ss(folder.path()), .block_bytes = kBlockBytes, .leave_free_bytes = 0});
    constexpr std::size_t kBlocks = 400;
    std::vector<std::byte*> blocks(kBlocks);
    std::atomic<std::size_t> published{0};
    std::atomic<std::size_t> wrong{0};
    std::atomic<std::size_t> looks{0};
    {
        const std::jthread reader([&](const std::stop_token& stop) {
            while (!stop.stop_requested()) {
                const std::size_t seen = published.load(std::memory_order_acquire);
                for (std::size_t i = seen > 3 ? seen - 3 : 0; i < seen; ++i) {
                    wrong += holds(blocks[i], i) ? 0 : 1;
                    ++looks;
                }
            }
        });
        for (std::size_t i = 0; i < kBlocks; ++i) {
            blocks[i] = arena.add();
            fill(blocks[i], i);
            const std::size_t looked = looks;
            published.store(i + 1, std::memory_order_release);
            while (looks == looked) {
                std::this_thread::yield();
            }
            arena.settle_newest();
        }
    }
    EXPECT_EQ(wrong, 0U);
    EXPECT_EQ(arena.blocks_in_file(), kBlocks);
}

}  // namespace
}  // namespace rankscope::gui
