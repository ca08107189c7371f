// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <gui/data/line_order.h>
#include <gui/data/log_store.h>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <QTemporaryDir>
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <random>
#include <string>
#include <thread>

namespace rankscope::gui {
namespace {

std::vector<std::uint32_t> all_of(const LineList& list) {
    std::vector<std::uint32_t> out;
    for (std::uint32_t i = 0; i < list.size(); ++i) {
        out.push_back(list.at(i));
    }
    return out;
}

TEST(LineStore, HoldsWhatANaiveSplitterFindsWhateverThePieces) {
    std::mt19937 random(7);
    std::vector<std::string> expected[3];
    LogStore log;
    std::vector<std::pair<int, std::string>> order;
    for (int rank = 0; rank < 3; ++rank) {
        std::string whole;
        for (int i = 0; i < 6000; ++i) {
            expected[rank].push_back(std::to_string(rank) + "/" + std::to_string(i) +
                                     std::string(random() % 5 == 0 ? random() % 3000 : random() % 40, 'x'));
            whole += expected[rank].back() + (random() % 7 == 0 ? "\r\n" : "\n");
        }
        for (std::size_t at = 0; at < whole.size();) {
            const std::size_t size = 1 + random() % 5000;
            order.emplace_back(rank, whole.substr(at, size));
            at += size;
        }
    }
    std::stable_sort(order.begin(), order.end(),
                     [](const auto& a, const auto& b) { return a.second.size() % 7 < b.second.size() % 7; });
    // Pieces of one rank keep their order.
    std::vector<std::vector<std::string>> pieces(3);
    for (const auto& [rank, piece] : order) {
        pieces[std::size_t(rank)].push_back({});
    }
    for (int rank = 0; rank < 3; ++rank) {
        std::string whole;
        for (const std::string& line : expected[rank]) {
            whole += line + "\n";
        }
        std::size_t at = 0;
        for (std::string& piece : pieces[std::size_t(rank)]) {
            const std::size_t size = &piece == &pieces[std::size_t(rank)].back()
                                         ? whole.size() - at
                                         : std::min<std::size_t>(1 + random() % 4000, whole.size() - at);
            piece = whole.substr(at, size);
            at += size;
        }
    }
    std::size_t next[3] = {0, 0, 0};
    for (const auto& [rank, piece] : order) {
        log.append(rank, false, pieces[std::size_t(rank)][next[rank]++], 1);
    }
    for (int rank = 0; rank < 3; ++rank) {
        std::vector<std::string> found;
        for (const LogLine& line : log.lines_of(rank, 1'000'000)) {
            found.push_back(line.text);
        }
        EXPECT_EQ(found, expected[rank]) << rank;
    }
    EXPECT_EQ(log.last_number(), 18000U);
}

TEST(LineStore, PiecesCoverAllLinesAcrossSegments) {
    LineStore store;
    const std::string text(3'000'000, 'z');
    constexpr std::uint32_t kLines = 50;  // three segments
    for (std::uint32_t i = 0; i < kLines; ++i) {
        store.append(text.substr(0, text.size() - i), 0, LogKind::Out, 0);
    }
    store.publish();
    std::uint32_t first = 0;
    int pieces = 0;
    while (first < kLines) {
        const LineSource::Piece piece = store.piece(first, kLines);
        ASSERT_GT(piece.end, first);
        std::size_t offset = 0;
        for (std::uint32_t line = first; line < piece.end; ++line) {
            ASSERT_EQ(store.text(line).view().size(), text.size() - line);
            EXPECT_EQ(store.line_at(piece, offset, first), line);
            EXPECT_EQ(store.line_at(piece, offset + store.text(line).view().size(), line), line)
                << "its line end";
            offset += store.text(line).view().size() + 1;
        }
        EXPECT_EQ(piece.text.size(), offset);
        first = piece.end;
        ++pieces;
    }
    EXPECT_EQ(pieces, 3);
}

TEST(LineStore, ReadersInOtherThreadsSeeWholeLines) {
    LogStore log;
    const std::shared_ptr<const LineStore> lines = log.lines();
    constexpr std::uint32_t kLines = 30000;
    std::atomic<int> wrong{0};
    const auto read = [&] {
        std::uint32_t checked = 0;
        while (checked < kLines) {
            const std::uint32_t size = lines->size();
            for (; checked < size; ++checked) {
                const std::string expected = "line " + std::to_string(checked);
                const bool ok = lines->text(checked).view() == expected &&
                                lines->rank(checked) == int(checked % 5) &&
                                lines->t_us(checked) == std::int64_t(checked);
                wrong += ok ? 0 : 1;
            }
            std::this_thread::yield();
        }
    };
    std::jthread first(read);
    std::jthread second(read);
    for (std::uint32_t i = 0; i < kLines; ++i) {
        log.append(int(i % 5), false, "line " + std::to_string(i) + "\n", i);
    }
    first.join();
    second.join();
    EXPECT_EQ(wrong, 0);
}

TEST(LineStore, AFullDiskKeepsTheNewestLines) {
    QTemporaryDir folder;
    LogStore log(TextSpool::Options{.folder = folder.path().toStdString(), .most_bytes = 1'000'000});
    const std::string line(9999, 'a');
    for (int i = 0; i < 40'000; ++i) {  // 400 MB
        log.append(0, false, std::to_string(i) + line + "\n", 1);
    }
    const LineStore& lines = *log.lines();
    EXPECT_TRUE(lines.spool().in_memory());
    EXPECT_EQ(lines.spool().fault(), "No space left on device");
    EXPECT_EQ(lines.size(), 40'000U);
    EXPECT_TRUE(lines.text(39'999).view().starts_with("39999aaa"));
    EXPECT_TRUE(lines.text(0).view().empty() || lines.text(0).view().starts_with("0aaa"));
    EXPECT_TRUE(lines.is_gone(50)) << "the oldest part of what did not fit";
    EXPECT_TRUE(lines.text(50).view().empty());
    EXPECT_TRUE(std::filesystem::is_empty(folder.path().toStdString())) << "the file has no name";
}

TEST(LineStore, AFolderThatCannotBeWrittenIsSaid) {
    LogStore log(TextSpool::Options{.folder = "/proc/no/such/folder"});
    log.append(0, false, "still here\n", 1);
    EXPECT_EQ(log.line(1).text, "still here");
    EXPECT_TRUE(log.lines()->spool().in_memory());
    EXPECT_FALSE(log.lines()->spool().fault().empty());
}

TEST(LineStore, AWriteThatFailsInTheMiddleLosesNothing) {
    QTemporaryDir folder;
    LogStore log(TextSpool::Options{.folder = folder.path().toStdString()});
    rlimit before{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
    rlimit small = before;
    small.rlim_cur = 100'000;
    const auto old = std::signal(SIGXFSZ, SIG_IGN);
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    for (int i = 0; i < 30'000; ++i) {
        log.append(0, false, "line " + std::to_string(i) + "\n", 1);
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, old);
    EXPECT_TRUE(log.lines()->spool().in_memory());
    for (std::uint32_t i = 0; i < 30'000; ++i) {
        ASSERT_EQ(log.lines()->text(i).view(), "line " + std::to_string(i));
    }
}

TEST(LineOrder, LateLinesStandWhereTheyBelong) {
    std::mt19937 random(3);
    auto store = std::make_shared<LineStore>();
    LineOrder order(store, {});
    LineOrder of_rank(store, {.whose = LineChoice::Whose::Rank, .rank = 2});
    LineOrder of_node(store, {.whose = LineChoice::Whose::Node, .node = "n1", .ranks = {false, true, true}});
    std::vector<std::uint32_t> expected;
    LineList before = order.lines().list();
    for (int batch = 0; batch < 60; ++batch) {
        for (int i = 0; i < 700; ++i) {
            const auto line = std::uint32_t(expected.size());
            const int rank = int(random() % 4) - 1;
            store->append(rank < 0 && line % 2 == 0 ? "n1: paused" : "n11: x", rank, LogKind::Out,
                          batch * 1000 - std::int64_t(random() % (batch % 10 == 9 ? 20000 : 1500)));
            expected.push_back(line);
        }
        store->publish();
        const std::vector<std::uint32_t> kept = all_of(before);
        const std::uint32_t unchanged = order.advance(store->size());
        EXPECT_EQ(all_of(before), kept) << "a list that was handed out does not change";
        const LineList now = order.lines().list();
        for (std::uint32_t i = 0; i < unchanged; ++i) {
            ASSERT_EQ(now.at(i), before.at(i));
        }
        before = now;
    }
    of_rank.advance(store->size());
    of_node.advance(store->size());
    const auto by_time = [&](std::uint32_t a, std::uint32_t b) { return stands_before(*store, a, b); };
    std::sort(expected.begin(), expected.end(), by_time);
    EXPECT_EQ(all_of(before), expected);
    std::vector<std::uint32_t> of_two;
    std::vector<std::uint32_t> of_n1;
    for (const std::uint32_t line : expected) {
        if (store->rank(line) == 2) {
            of_two.push_back(line);
        }
        if (store->rank(line) == 1 || store->rank(line) == 2 ||
            (store->rank(line) == -1 && store->text(line).view().starts_with("n1:"))) {
            of_n1.push_back(line);
        }
    }
    EXPECT_EQ(all_of(of_rank.lines().list()), of_two);
    EXPECT_EQ(all_of(of_node.lines().list()), of_n1);
    for (std::uint32_t row = 0; row < before.size(); row += 97) {
        EXPECT_EQ(place_of(*store, before, before.at(row)), row);
    }
}

}  // namespace
}  // namespace rankscope::gui
