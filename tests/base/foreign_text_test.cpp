// SPDX-FileCopyrightText: Rankscope contributors
// SPDX-License-Identifier: GPL-3.0-or-later

#include <base/json_text.h>
#include <base/visible_text.h>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <ctime>

namespace rankscope {
namespace {

std::string repeated(const std::string& text, std::size_t times) {
    std::string all;
    all.reserve(text.size() * times);
    for (std::size_t i = 0; i < times; ++i) {
        all += text;
    }
    return all;
}

std::string why_not(const std::string& text, const JsonLimits& limits = {}) {
    std::string why;
    EXPECT_TRUE(read_json(text, limits, &why).is_discarded());
    return why;
}

TEST(ForeignJson, ReadsWhatIsWithinTheLimits) {
    EXPECT_EQ(read_json(R"({"a": [1, "[[[[", {"b\"[": null}]})")["a"][1], "[[[[");
    const std::string deepest = repeated("[", 64) + repeated("]", 64);
    EXPECT_TRUE(read_json(deepest).is_array());
    EXPECT_TRUE(read_json(repeated("[],", 5).insert(0, "[") + "1]", {.depth = 2}).is_array());
    EXPECT_EQ(read_ordered_json(R"({"z": 1, "a": 2})").begin().key(), "z");
}

TEST(ForeignJson, RefusesDeepNesting) {
    EXPECT_NE(why_not(repeated("[", 100'000)).find("deep"), std::string::npos);
    EXPECT_NE(why_not(repeated("[", 65) + repeated("]", 65)).find("deep"), std::string::npos);
    EXPECT_NE(why_not(repeated("{\"a\":", 100'000)).find("deep"), std::string::npos);
    EXPECT_NE(why_not("[\"\\\"\"," + repeated("[", 100'000)).find("deep"), std::string::npos)
        << "an escaped quote ends no string";
}

TEST(ForeignJson, RefusesMoreValuesThanMemoryShouldHold) {
    EXPECT_NE(why_not("[" + repeated("0,", 2'000'000) + "0]").find("many"), std::string::npos);
    EXPECT_NE(why_not("[" + repeated("[],", 2'000'000) + "0]").find("many"), std::string::npos);
    EXPECT_NE(why_not(std::string(200, ' '), {.bytes = 100}).find("long"), std::string::npos);
}

TEST(ForeignJson, ManyKeysOfAnOrderedObjectCostNoMinutes) {
    std::string text = "{";
    for (int i = 0; i < 400'000; ++i) {
        text += '"' + std::to_string(i) + "\":0,";
    }
    text += "\"x\":0}";
    const std::clock_t begin = std::clock();  // of the processor: others may use it, too
    EXPECT_TRUE(read_ordered_json(text).is_discarded());
    EXPECT_LT(std::clock() - begin, 10 * CLOCKS_PER_SEC);
}

TEST(ForeignJson, SaysWhatIsWrong) {
    EXPECT_NE(why_not("{\"a\": 1,}").find("line 1"), std::string::npos);
    EXPECT_FALSE(why_not("\"\\").empty());
    EXPECT_FALSE(why_not("").empty());
}

TEST(ForeignJson, ALineObeysNoTerminal) {
    const nlohmann::json value{{"a", "\x1b]52;c;x\x07 \xc2\x9b \x7f \xff é"}};
    const std::string line = json_line(value);
    EXPECT_EQ(line, R"({"a":"\u001b]52;c;x\u0007 \u009b \u007f )"
                    "\xef\xbf\xbd é\"}");
    EXPECT_EQ(json_line(nlohmann::ordered_json{{"b", 1}, {"a", 2}}), R"({"b":1,"a":2})");
}

TEST(VisibleText, IsOneLineThatNothingObeys) {
    EXPECT_EQ(visible_line("python3 -c import x\nx.run()\t1\r"), "python3 -c import x\\nx.run()\\t1\\r");
    EXPECT_EQ(visible_line("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
    EXPECT_EQ(visible_line("\xc2\x9b"
                           "2J\xff \xe2\x80\xae"
                           "abc 日本 é"),
              "\\u009b2J\\xff \\u202eabc 日本 é");
    EXPECT_EQ(visible_line(std::string_view("\0", 1)), "\\x00");
    EXPECT_EQ(visible_line(""), "");
}

TEST(VisibleText, TwoNamesThatLookAlikeAreTwo) {
    for (const char* mark : {"\u00ad", "\u034f", "\u061c", "\u115f", "\u180e", "\u200b", "\u2060", "\u2064",
                             "\u206a", "\u3164", "\ufeff", "\uffa0", "\ufff9", "\U000e0041"}) {
        EXPECT_NE(visible_line(std::string("node1") + mark), std::string("node1") + mark)
            << visible_line(mark);
    }
    for (const char* text : {"日本語 é ✓", "👩‍👩‍👧 ❤️", "می‌خواهم"}) {
        EXPECT_EQ(visible_line(text), text) << "joiners and variants are parts of letters";
    }
}

}  // namespace
}  // namespace rankscope
