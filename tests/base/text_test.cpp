// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/strong_index.h>
#include <base/text.h>

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <set>
#include <type_traits>

namespace rankscope {
namespace {

TEST(Text, NamesAreJoined) {
    EXPECT_EQ(joined(std::vector<std::string>{"a", "b", "c"}), "a, b, c");
    EXPECT_EQ(joined(std::array{"x", "y"}, " | "), "x | y");
    EXPECT_EQ(joined(std::set<std::string>{}), "");
    EXPECT_EQ(joined(std::vector<std::string>{"", ""}), ", ") << "empty names count";
}

TEST(Text, WholeNumbersOnly) {
    EXPECT_EQ(parse_number<int>("-17"), -17);
    EXPECT_EQ(parse_number<unsigned>("4294967295"), 4294967295U);
    EXPECT_DOUBLE_EQ(parse_number<double>("1.5e3").value(), 1500);
    for (const char* text : {"", " 1", "1 ", "+1", "1x", "x", "99999999999"}) {
        EXPECT_FALSE(parse_number<int>(text)) << text;
    }
    EXPECT_FALSE(parse_number<unsigned>("-1"));
    EXPECT_FALSE(parse_number<std::uint8_t>("256"));
}

TEST(Text, Pieces) {
    using Pieces = std::vector<std::string_view>;
    EXPECT_EQ(split("a:b::c", ':'), (Pieces{"a", "b", "", "c"}));
    EXPECT_EQ(split("a:", ':'), (Pieces{"a", ""}));
    EXPECT_EQ(split(":", ':'), (Pieces{"", ""}));
    EXPECT_EQ(split("", ':'), Pieces{});
}

TEST(Text, Sizes) {
    EXPECT_EQ(size_text(0), "0 B");
    EXPECT_EQ(size_text(1023), "1023 B");
    EXPECT_EQ(size_text(1024), "1.0 KiB");
    EXPECT_EQ(size_text(1536), "1.5 KiB");
    EXPECT_EQ(size_text((1U << 20U) - 1), "1.0 MiB");
    EXPECT_EQ(size_text(150U << 20U), "150 MiB");
    EXPECT_EQ(size_text(std::numeric_limits<std::uint64_t>::max()), "16.0 EiB");
}

TEST(Text, TheNearestWord) {
    const std::vector<std::string> known{"batch_size", "epochs", "momentum", "cosine"};
    EXPECT_EQ(nearest_word("epcohs", known), "epochs") << "two swapped letters";
    EXPECT_EQ(nearest_word("momentun", known), "momentum");
    EXPECT_EQ(nearest_word("batch", known), "batch_size") << "begins alike";
    EXPECT_EQ(nearest_word("cos", known), "cosine");
    EXPECT_EQ(nearest_word("workers", known), "");
    EXPECT_EQ(nearest_word("", known), "");
    EXPECT_EQ(nearest_word(std::string(100000, 'e'), known), "") << "takes no time";
}

TEST(StrongIndex, KindsDoNotMix) {
    using ValueId = StrongIndex<struct ValueTag>;
    using ParameterId = StrongIndex<struct ParameterTag>;
    static_assert(!std::is_convertible_v<ValueId, ParameterId>);
    static_assert(!std::is_convertible_v<std::size_t, ValueId>);
    static_assert(!std::is_convertible_v<ValueId, std::size_t>);
    static_assert(sizeof(ValueId) == sizeof(std::size_t));
    IndexedVector<ValueId, std::string> values;
    const ValueId first = values.add("a");
    const ValueId second = values.add("b");
    EXPECT_LT(first, second);
    EXPECT_EQ(values[second], "b");
    std::string all;
    for (const ValueId id : values.indices()) {
        all += values[id];
    }
    for (const ValueId id : values.reversed_indices()) {
        all += values[id];
    }
    EXPECT_EQ(all, "abba");
    EXPECT_TRUE(values.contains(second));
    EXPECT_FALSE(values.contains(values.end_index()));
    for (const ValueId id : IndexedVector<ValueId, bool>().reversed_indices()) {
        ADD_FAILURE() << id.value();
    }
    EXPECT_EQ(std::hash<ValueId>()(second), 1U);
}

}  // namespace
}  // namespace rankscope
