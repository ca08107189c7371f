// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <remote/logs/story/merge_times.h>

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace rankscope::logs {
namespace {

constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kMidnight = 20455 * kDay;  // 2026-01-02 00:00:00 UTC

// Seconds after that midnight, of each line.
std::vector<double> seconds_of(MergeTimes& times, const std::vector<std::string>& lines,
                               std::int64_t modified_s = kMidnight + 12 * 3600) {
    times.begin("train.log", modified_s);
    std::uint64_t number = 0;
    for (const auto& line : lines) {
        times.add({{0, ++number}, line});
    }
    std::vector<double> seconds;
    for (const std::int64_t time : times.take()) {
        seconds.push_back(time == 0 ? -1 : static_cast<double>(time) / 1e6 - static_cast<double>(kMidnight));
    }
    return seconds;
}

using Seconds = std::vector<double>;

TEST(MergeTimes, ALineWithoutATimeHasThatOfTheLineBefore) {
    MergeTimes times;
    EXPECT_EQ(seconds_of(times, {"begin", "", "2026-01-02 00:00:05 a", "  b", "2026-01-02 00:00:07 c"}),
              (Seconds{5, 5, 5, 5, 7}));
    EXPECT_EQ(times.without_time(), 3U);
}

TEST(MergeTimes, TimesOfAFileNeverFall) {
    MergeTimes times;
    EXPECT_EQ(seconds_of(times, {"2026-01-02 00:00:05 a", "2026-01-02 00:00:03 b", "2026-01-02 00:00:06 c"}),
              (Seconds{5, 5, 6}));
    EXPECT_EQ(times.without_time(), 0U);
}

TEST(MergeTimes, AFileWithoutTimesHasNone) {
    MergeTimes times;
    EXPECT_EQ(seconds_of(times, {"epoch 1", "epoch 2"}), (Seconds{-1, -1}));
    EXPECT_EQ(seconds_of(times, {}), Seconds());
}

TEST(MergeTimes, ATimeOfDayHasTheDateOfTheFilesEnd) {
    MergeTimes times;
    EXPECT_EQ(seconds_of(times, {"23:59:58 a", "23:59:59 b", "00:00:01 c"}), (Seconds{-2, -1, 1}))
        << "the file ends after midnight";
    EXPECT_EQ(seconds_of(times, {"10:00:01 a", "10:00:00 b"}), (Seconds{36001, 36001})) << "a line came late";
}

TEST(MergeTimes, ATimeOfDayHasTheDateOfTheLinesAround) {
    MergeTimes times;
    EXPECT_EQ(seconds_of(times, {"01:00:00 a", "2026-01-02 02:00:00 b", "23:00:00 c", "00:30:00 d"},
                         kMidnight + 30 * kDay),
              (Seconds{3600, 7200, 82800, kDay + 1800}));
}

TEST(MergeTimes, ATimeFarAfterTheFilesLastChangeIsNone) {
    MergeTimes times;
    EXPECT_EQ(seconds_of(times, {"2026-01-02 00:00:05 a", "2099-01-01 00:00:00 b", "2026-01-02 00:00:06 c"}),
              (Seconds{5, 5, 6}));
    EXPECT_EQ(times.without_time(), 1U);
}

}  // namespace
}  // namespace rankscope::logs
