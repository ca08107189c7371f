// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/number_text.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace rankscope {
namespace {

TEST(NumberText, HasAPoint) {
    EXPECT_EQ(fixed_text(12.5, 1), "12.5");
    EXPECT_EQ(fixed_text(0.05, 1), "0.1");
    EXPECT_EQ(fixed_text(-0.04, 1), "-0.0");
    EXPECT_EQ(fixed_text(1e300, 0).size(), 301U);
    EXPECT_EQ(fixed_text(std::numeric_limits<double>::quiet_NaN(), 2), "nan");
    EXPECT_EQ(short_number_text(1234.5678, 6), "1234.57");
    EXPECT_EQ(number_text(0.1), "0.1");
}

TEST(NumberText, ANumberIsTakenFromTheBeginning) {
    const auto taken = [](std::string_view text) {
        const auto number = take_number(text);
        return std::pair(number.value_or(-1), std::string(text));
    };
    EXPECT_EQ(taken("0.95"), std::pair(0.95, std::string()));
    EXPECT_EQ(taken(" \t+1.5G"), std::pair(1.5, std::string("G")));
    EXPECT_EQ(taken("12,5"), std::pair(12.0, std::string(",5")));
    EXPECT_EQ(taken("1e3 s"), std::pair(1000.0, std::string(" s")));
    EXPECT_EQ(taken("GiB"), std::pair(-1.0, std::string("GiB")));
    EXPECT_EQ(taken("+-1").first, -1.0);
    EXPECT_EQ(taken("").first, -1.0);
}

}  // namespace
}  // namespace rankscope
